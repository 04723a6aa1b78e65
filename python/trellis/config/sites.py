"""The section of a run over several sites."""

from __future__ import annotations

from collections.abc import Sequence

from trellis.config.parameters import Parameters, parameter
from trellis.config.sections import RunParameters
from trellis.errors import InputError


class SitesParameters(Parameters):
    """Which machines share the run."""

    ring: Sequence[str] = parameter(
        ..., "the sites, in their order: HOST:PORT of each, at which its first rank listens", min_length=2
    )
    speeds: Sequence[float] = parameter(
        [], "how fast a rank of each site is, compared with the others; if not given, all are alike"
    )
    grace: float = parameter(
        120.0, "how long a site may be silent before it counts as dead", unit="seconds", ge=1, le=3600
    )


def check_sites(sites: SitesParameters | None, run: RunParameters, source: str, *, replicas: bool) -> None:
    """Raise a ValueError if the section does not fit itself, or the run."""
    if sites is None:
        return
    if replicas:
        raise InputError(f"{source}: a run over several sites cannot have [replica_exchange]")
    if sites.speeds and len(sites.speeds) != len(sites.ring):
        raise InputError(
            f"{source}: 'sites.speeds' has {len(sites.speeds)} values, but must have one for each of the"
            f" {len(sites.ring)} of sites.ring"
        )
    if any(speed <= 0 for speed in sites.speeds):
        raise InputError(f"{source}: 'sites.speeds' is {list(sites.speeds)}, but all must be above 0")
    if len(set(sites.ring)) < len(sites.ring):
        raise InputError(f"{source}: 'sites.ring' names a site twice")
    if run.files != 1:
        raise InputError(f"{source}: 'run.files' is {run.files}, but must be 1 in a run over several sites")
    if run.resident:
        raise InputError(f"{source}: 'run.resident' is true, but a run over several sites has several ranks")

"""Runs over several sites: joining them, and what they have sent each other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rich.console import Console

from trellis import _core
from trellis.config.sites import SitesParameters, links_given, relays_given
from trellis.errors import InputError
from trellis.parallel import world
from trellis.parallel.sites import join_sites, site_firsts
from trellis.run.sites_log import CLASSES
from trellis.run.time_limit import span_of

OF_A_SITE = ("run.output", "initial_conditions", "--time-limit")  # which may differ


def join_ring(sites: SitesParameters | None, name: str | None, wait: str) -> None:
    """Make the ranks of all sites those of this run; a ValueError if the options do not fit the parameters."""
    seconds = _seconds(wait)
    if sites is None:
        if name is not None:
            raise InputError(f"--site is '{name}', but the parameter file has no section [sites] with the ring")
        return
    if name is None:
        raise InputError(f"sites.ring has {len(sites.ring)} sites: say with --site which one is here")
    speeds = () if isinstance(sites.speeds, str) else sites.speeds
    site = _core.site_named(list(sites.ring), name)
    links, relays = links_given(sites, site), relays_given(sites, site)
    join_sites(sites.ring, name, wait=seconds, grace=sites.grace, speeds=speeds, links=links, relays=relays)
    if world.rank() > 0:  # the first site speaks
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115


def of_all_sites(parameters: dict[str, object]) -> dict[str, object]:
    """Return those parameters that are the same on all ranks."""
    if len(site_firsts()) == 1:
        return parameters
    return {name: value for name, value in parameters.items() if name not in OF_A_SITE}


def say_wide_traffic(console: Console, steps: int) -> None:
    """Say what the sites have sent to each other, and waited for; all ranks call this."""
    if len(site_firsts()) == 1 or steps == 0:
        return
    of_all = world.gather(_core.wide_traffic())
    trips = max(each["trips"] for each in of_all)
    sent, messages = (
        sum(sum(each[f"{part}_{name}"] for part in CLASSES) for each in of_all) for name in ("bytes", "messages")
    )
    waiting = max(sum(each[f"{part}_waiting"] for part in CLASSES) for each in of_all)
    visible, hidden = (max(each[name] for each in of_all) for name in ("visible", "hidden"))
    console.print(
        f"between sites: {sent / 1e6:.1f} MB in {messages:.0f} messages, {trips / steps:.2f} trips one after another"
        f" in a step with all that was written, {visible / steps:.2f} of them waited for, up to {waiting:.1f} s of"
        f" waiting for other ranks and {hidden:.1f} s of work while messages were under way"
    )


def _seconds(wait: str) -> float:
    seconds = span_of(wait)
    if seconds is None:
        raise InputError(f"--wait is '{wait}', but must be a time above 0 such as 90s, 30m or 2h")
    return seconds

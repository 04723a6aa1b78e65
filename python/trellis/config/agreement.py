"""Checks of a run file that concern several of its sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trellis.config.replicas import OF_STATES
from trellis.config.run import SCHEDULES
from trellis.config.run_file import RunFile
from trellis.config.sentence import Missing, about_missing
from trellis.config.sites import relays_of
from trellis.errors import InputError

NOT_WITH_COSMOLOGY = (
    "lennard_jones", "sph", "coulomb", "pair", "bonds", "external", "thermostat", "container", "barostat",
    "replica_exchange",
)  # fmt: skip

NOT_WITH_BAROSTAT = ("sph", "external", "steps", "sites")

NOT_WITH_REPLICAS = (
    "resident", "snapshot_every", "snapshot_times", "snapshot_steps", "snapshots_per_decade",
    "snapshot_first", "keep_order", "log_every", "on_energy_alarm", "files",
)  # fmt: skip
"""Parameters of [run] without a meaning for systems that a device advances by itself."""


def check_agreement(file: RunFile, source: str) -> None:
    """Raise an InputError if the sections of a file do not go together.

    Parameters
    ----------
    file : RunFile
        The file, whose sections are valid by themselves.
    source : str
        Its name, for the message.
    """
    wrong = (
        _of_gas(file)
        or _of_bonds(file)
        or _of_cosmology(file)
        or _of_missing(file)
        or _of_steps(file)
        or _of_resident_particles(file)
        or _of_replicas(file)
        or _of_barostat(file)
        or _of_sites(file, source)
    )
    if wrong is not None:
        raise InputError(f"{source}: {wrong}")


def lacking(content: Mapping[str, Any]) -> list[Missing]:
    """Return what a file lacks for the sections that it has, by its content alone, valid or not."""
    return [*_start(content), *_timestep(content), *_schedule(content)]


def _start(content: Mapping[str, Any]) -> Iterator[Missing]:
    if content.get("initial_conditions") is None and content.get("ic") is None:
        given = "neither of 'initial_conditions' and [ic] given, but a run starts from one of them"
        yield Missing("one of 'initial_conditions' and [ic]", "what a run starts from", given)


def _timestep(content: Mapping[str, Any]) -> Iterator[Missing]:
    without = any(content.get(name) is not None for name in ("cosmology", "steps", "sph", "replica_exchange"))
    if without or _run(content).get("timestep") is not None or _is_softened(content.get("gravity")):
        return
    meaning = "only [sph] and [gravity] with a softening do without"
    yield Missing("'run.timestep'", meaning, f"'run.timestep' is missing: {meaning}")


def _is_softened(gravity: Any) -> bool:
    softening = gravity.get("softening") if isinstance(gravity, Mapping) else None
    return any(bool(length) for length in (softening.values() if isinstance(softening, Mapping) else [softening]))


def _schedule(content: Mapping[str, Any]) -> Iterator[Missing]:
    known = SCHEDULES if content.get("cosmology") is None else (*SCHEDULES, "snapshot_redshifts")
    given = any(_run(content).get(name) is not None for name in known)
    if content.get("replica_exchange") is None and not given:
        names = ", ".join(known)
        alone = f"'run' does not say when snapshots are written, but must have one of {names}"
        yield Missing(f"one of {names} in [run]", "when snapshots are written", alone)


def _run(content: Mapping[str, Any]) -> Mapping[str, Any]:
    run = content.get("run")
    return run if isinstance(run, Mapping) else {}


def _of_missing(file: RunFile) -> str | None:
    missing = lacking(file.content())
    return about_missing(missing) if missing else None


def _of_gas(file: RunFile) -> str | None:
    isothermal = file.sph is not None and file.sph.sound_speed is not None
    for name in ("dimensions",) if isothermal else ("dimensions", "gamma"):
        begun, moved = getattr(file.ic, name, None), getattr(file.sph, name, None)
        if begun is not None and moved is not None and begun != moved:
            return f"'sph.{name}' is {moved}, but must be 'ic.{name}', which is {begun}"
    if file.gravity is None and file.sph is not None and file.sph.adaptive_softening:
        return "'sph.adaptive_softening' is true, but needs a section [gravity]"
    return None


def _of_bonds(file: RunFile) -> str | None:
    within_cutoff = file.pair is not None and file.pair.cutoff is not None
    of_pairs = file.lennard_jones is not None or file.coulomb is not None or within_cutoff
    excluding = next((number for number, table in enumerate(file.bonds) if table.exclude), None)
    if excluding is None or of_pairs:
        return None
    needed = "a section [lennard_jones], [coulomb], or [pair] with a cutoff"
    return f"'bonds.{excluding}.exclude' is true, but needs {needed}"


def _of_cosmology(file: RunFile) -> str | None:
    if file.cosmology is None:
        changing = file.gravity.changes_with_redshift() if file.gravity is not None else None
        return None if changing is None else f"'gravity.{changing}' changes with redshift, but there is no [cosmology]"
    wrong = next((name for name in NOT_WITH_COSMOLOGY if getattr(file, name)), None)
    if wrong is not None:
        return f"[{wrong}] does not go with [cosmology]: expanding space knows gravity alone"
    if file.run.timestep is not None:
        return "'run.timestep' is given, but with [cosmology] give 'cosmology.steps', or neither"
    if file.run.resident:
        return "'run.resident' is true, but particles on a device know no expanding space"
    if file.run.until <= 0:
        return f"'run.until' is {file.run.until:g}, but with [cosmology] must be a scale factor"
    return None


def _of_steps(file: RunFile) -> str | None:
    if file.steps is not None:
        return _of_individual_steps(file)
    return None


def _of_individual_steps(file: RunFile) -> str | None:
    if file.run.timestep is not None:
        return "'run.timestep' is given, but with [steps] give 'steps.longest' alone"
    if file.cosmology is not None and file.cosmology.steps is not None:
        return "'cosmology.steps' is given, but with [steps] give 'steps.longest', in ln a, alone"
    if file.run.resident:
        return "[steps] is given, but 'run.resident' is true: particles on a device have the same step"
    if file.sites is not None and file.sph is not None:
        return "[steps] does not go with [sites] and [sph]: over several sites a gas has one step for all"
    if file.sites is not None and file.steps is not None and file.steps.order == 4:
        return "'steps.order' is 4, but with [sites] must be 2"
    return None


def _of_resident_particles(file: RunFile) -> str | None:
    force = file.gravity if file.gravity is not None else file.lennard_jones
    on = file.run.device if force is None or force.device is None else force.device
    if file.run.resident and on == "host":
        return "'run.resident' is true, but the device is host: particles stay on cpu, cuda:0, ..."
    return None


def _of_replicas(file: RunFile) -> str | None:
    given = file.replica_exchange
    if given is not None and file.steps is not None:
        return "[steps] is given, but the systems of [replica_exchange] have one step for all particles"
    if given is None:
        return None if file.container is None else "[container] is given, but goes with [replica_exchange] alone"
    if file.barostat is None and given.pressures is not None:
        return "'replica_exchange.pressures' is given, but there is no [barostat] to hold them"
    for section in OF_STATES:
        if getattr(given, section) and getattr(file, section) is None:
            return f"'replica_exchange.{section}' is given, but there is no [{section}]"
    for name in NOT_WITH_REPLICAS:
        if getattr(file.run, name) != type(file.run).model_fields[name].default:
            return f"'run.{name}' is given, but does not go with [replica_exchange]"
    others = any(each is not None for each in (file.sph, file.coulomb)) or file.external
    if others or sum(each is not None for each in (file.gravity, file.lennard_jones, file.pair)) > 1:
        return (
            "[replica_exchange] goes with one of [lennard_jones], [gravity] and [pair], and no other forces but"
            " [[bonds]]"
        )
    if file.thermostat is None:
        return "[thermostat] is missing: replica exchange needs one"
    if file.run.timestep is None:
        return "'run.timestep' is missing: the systems of [replica_exchange] need one"
    return None


def _of_barostat(file: RunFile) -> str | None:
    """Return what is wrong with the barostat of a simulation; that of the systems of an exchange has its own checks."""
    if file.barostat is None or file.replica_exchange is not None:
        return None
    if file.thermostat is None:
        return "[barostat] is given, but there is no [thermostat]: a pressure is held at a temperature"
    wrong = next((name for name in NOT_WITH_BAROSTAT if getattr(file, name)), None)
    return None if wrong is None else f"[{wrong}] does not go with [barostat]"


def _of_sites(file: RunFile, source: str) -> str | None:
    sites = file.sites
    if sites is None:
        return None
    if file.replica_exchange is not None:
        return "a run over several sites cannot have [replica_exchange]"
    speeds = () if isinstance(sites.speeds, str) else sites.speeds
    if speeds and len(speeds) != len(sites.ring):
        return (
            f"'sites.speeds' has {len(speeds)} values, but must have one for each of the {len(sites.ring)} of"
            " sites.ring"
        )
    if any(speed <= 0 for speed in speeds):
        return f"'sites.speeds' is {list(speeds)}, but all must be above 0"
    if len(set(sites.ring)) < len(sites.ring):
        return "'sites.ring' names a site twice"
    relays = relays_of(sites, source)
    for (a, b), third in relays.items():
        if third in (a, b) or any(tuple(sorted((third, end))) in relays for end in (a, b)):
            return (
                f"'sites.link' relays what {sites.ring[a]} and {sites.ring[b]} send to each other by way of"
                f" {sites.ring[third]}, but must do so by a third site whose links to both have no relay"
            )
    if file.run.files != 1:
        return f"'run.files' is {file.run.files}, but must be 1 in a run over several sites"
    if file.run.resident:
        return "'run.resident' is true, but a run over several sites has several ranks"
    return None

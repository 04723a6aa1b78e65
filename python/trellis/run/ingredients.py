"""Particles, forces, thermostat and barostat of a run file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trellis.ic as ic
from trellis._core import (
    Andersen,
    Barostat,
    Coulomb,
    Csvr,
    Force,
    Gravity,
    Langevin,
    LennardJones,
    NoseHoover,
    Sph,
    Thermostat,
)
from trellis.config import FIELDS, CosmologyModel, RunFile
from trellis.config.units import units_of_model
from trellis.errors import InputError
from trellis.io import Snapshot, read_snapshot
from trellis.notes import warn
from trellis.particles import ParticleSet
from trellis.run.bonded import bonded_forces, excluded_pairs, tuples_of
from trellis.units import Units

THERMOSTATS: dict[str, Any] = {
    "langevin": Langevin,
    "nose-hoover": NoseHoover,
    "csvr": Csvr,
    "andersen": Andersen,
}


@dataclass(frozen=True)
class Start:
    """The particles that a run starts from."""

    particles: ParticleSet
    time: float
    units: Units
    units_assumed: bool = False


def forces_of(file: RunFile, particles: ParticleSet, units: Units, sizes: dict[str, int]) -> list[Force]:
    """Make the forces; gravity, if it acts, is the first, whose sizes a checkpoint knows."""
    forces: list[Force] = []
    tuples = tuples_of(file, particles)
    exclude = excluded_pairs(file, tuples)
    if file.gravity is not None:
        forces.append(Gravity(**{**file.gravity.model_dump(), "G": units.G, **sizes}))
    if file.lennard_jones is not None:
        given = file.lennard_jones.model_dump()
        forces.append(LennardJones(**{**given, "exclude": _with(exclude, given["exclude"])}))
    if file.sph is not None:
        gravity = forces[0] if file.sph.adaptive_softening else None
        forces.append(Sph(**{**file.sph.model_dump(), "adaptive_softening": gravity}))
    if file.coulomb is not None:
        given = file.coulomb.model_dump()
        forces.append(Coulomb(**{**given, "exclude": _with(exclude, given["exclude"])}))
    if file.pair is not None:
        forces.append(file.pair.force(exclude))
    forces += bonded_forces(file, tuples)
    for field in file.external:
        made: Any = FIELDS[field.model]
        given = field.model_dump(exclude={"model"})
        forces.append(made(**given | ({"G": units.G} if given.get("G", 0) is None else {})))
    return forces


def _with(exclude: NDArray[Any] | None, given: list[list[float]] | None) -> Any:
    """Return the pairs that bonds exclude and those of a file, which may have a factor as well."""
    if exclude is None or given is None:
        return given if exclude is None else exclude
    rows = np.zeros((len(exclude) + len(given), 3))
    rows[: len(exclude), :2] = exclude
    for row, pair in zip(rows[len(exclude) :], given, strict=True):
        row[: len(pair)] = pair
    return rows


def thermostat_of(file: RunFile) -> Thermostat | None:
    """Make the thermostat, if there is one."""
    if file.thermostat is None:
        return None
    made: Thermostat = THERMOSTATS[file.thermostat.method](**file.thermostat.model_dump(exclude={"method"}))
    return made


def barostat_of(file: RunFile) -> Barostat | None:
    """Make the barostat, if there is one."""
    return None if file.barostat is None else Barostat(**file.barostat.model_dump())


def start_of(file: RunFile) -> Start:
    """Make or read the initial conditions."""
    if file.initial_conditions is not None:
        snapshot = read_snapshot(file.initial_conditions, expanding=file.cosmology is not None)
        _check_whole(snapshot)
        return Start(snapshot.particles, snapshot.time, snapshot.units, snapshot.units_assumed)
    try:
        return _made(file)
    except ArithmeticError as error:
        raise InputError(
            f"[ic] or [cosmology] has values too large or too small to be computed with: {error}"
        ) from None


def _made(file: RunFile) -> Start:
    """Make initial conditions by a model."""
    assert file.ic is not None
    given, units = file.ic.model_dump(exclude={"model"}), units_of_model(file.ic.model, file.units)
    if isinstance(file.ic, CosmologyModel):
        if file.cosmology is None:
            raise InputError("ic.model is 'cosmology', but without [cosmology] space does not expand")
        matter = ic.cosmology(file.cosmology.cosmology(units), **given, units=units)
        return Start(matter, 1 / (1 + file.ic.redshift), units)
    if file.cosmology is not None:
        raise InputError(f"[cosmology] does not go with ic.model '{file.ic.model}', which has no scale factor")
    make = getattr(ic, file.ic.model.replace("-", "_"))
    return Start(make(**given), 0.0, units)


def _check_whole(snapshot: Snapshot) -> None:
    """Raise a ValueError if a run cannot start from what is left in a snapshot; note if it starts from some types."""
    if "velocity" in snapshot.left_out:
        raise InputError(f"'{snapshot.path}' leaves out the velocities, but no run starts without them")
    if snapshot.fraction < 1:
        raise InputError(
            f"'{snapshot.path}' has a fraction {snapshot.fraction:g} of the particles, but runs start from all of them"
        )
    if snapshot.types:
        warn(f"'{snapshot.path}' has particles of the types {', '.join(snapshot.types)} alone")

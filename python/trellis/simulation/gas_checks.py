"""A gas in a simulation: checks of its particles and of those that join it; its conduction beside other forces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from trellis import _core
from trellis.forces import StepLimit
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet


def gas_beside_others(forces: Sequence[_core.Force]) -> list[_core.Force]:
    """Return the forces; a gas that others act beside conducts heat by its flow, if no conduction is given.

    In a gas at rest under gravity, pressures differ where nothing is to be smoothed: conduction by their difference
    would carry heat outwards, and the gas would contract.
    """
    alone = all(isinstance(force, (_core.Sph, StepLimit)) for force in forces)
    return [force if alone or not isinstance(force, _core.Sph) else force.beside_others() for force in forces]


def check_gas(particles: ParticleSet, forces: Iterable[_core.Force], timestep: float | None) -> None:
    """Raise a ValueError if `Sph` is among the forces, but no particle is gas; all ranks call this.

    A UserWarning says if the energies of the gas are all 0, and steps are to be chosen.
    """
    for force in forces:
        if isinstance(force, _core.Sph):
            types: Any = force.settings["types"]
            if "type" in particles.field_names:
                _check_types(particles, types)
            if isothermal(force):
                continue
            if "internal_energy" not in particles.field_names:
                raise _core.InputError(
                    "the particles have no internal energy, with which a gas (Sph, [sph]) begins: give them a field"
                    " 'internal_energy', or their file a dataset PartType0/InternalEnergy"
                )
            if timestep is None:
                _note_no_pressure(particles)


def isothermal(force: _core.Force) -> bool:
    """Return whether a force is that of a gas of one temperature, which needs no internal energies."""
    return isinstance(force, _core.Sph) and force.settings["sound_speed"] is not None


def complete_beside_gas(newcomers: ParticleSet, particles: ParticleSet, forces: Iterable[_core.Force]) -> None:
    """Give particles that join a gas, and are not gas by their types, the internal energy that a gas has.

    Raises
    ------
    ValueError
        If they lack it, and may be gas.
    """
    gas = [force for force in forces if isinstance(force, _core.Sph) and not isothermal(force)]
    if not gas or "internal_energy" in newcomers.field_names:
        return
    settings: list[dict[str, Any]] = [force.settings for force in gas]
    types = [kind for each in settings for kind in each["types"]]
    have_types = all("type" in each.field_names for each in (particles, newcomers))
    if not have_types or np.isin(newcomers.column("type"), types).any():
        begun = "" if "type" in particles.field_names else ", and to the simulation's at its start (gas.type = 'gas')"
        raise _core.InputError(
            "the particles to be added have no internal energy, with which a gas begins: give them a field"
            f" 'internal_energy', or, if they are no gas, a type (more.type = 'stars'){begun}"
        )
    newcomers.internal_energy = 0.0


def _note_no_pressure(particles: ParticleSet) -> None:
    (warm,) = world.any_rank(bool(particles.column("internal_energy").any()), call="Simulation")
    if not warm:
        warn(
            "the internal energies of the gas are all 0: without a pressure, it hardly limits steps; give energies, or"
            " a timestep"
        )


def _check_types(particles: ParticleSet, types: list[int]) -> None:
    own = np.isin(particles.column("type"), types)
    (some,) = world.any_rank(bool(own.any()), call="Simulation")
    if not some:
        there = np.unique(np.concatenate(world.gather(np.unique(particles.column("type")))))
        raise _core.InputError(
            f"no particle is gas (Sph, [sph]), which has the types {types}: there are those of type"
            f" {', '.join(f'{kind:g}' for kind in there)}"
        )

"""Checks of the particles of a gas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from trellis import _core
from trellis.parallel import world
from trellis.particles import ParticleSet


def check_gas(particles: ParticleSet, forces: Iterable[_core.Force]) -> None:
    """Raise a ValueError if `Sph` is among the forces, but no particle is gas; all ranks call this."""
    for force in forces:
        if isinstance(force, _core.Sph):
            types: Any = force.settings["types"]
            if "type" in particles.field_names:
                _check_types(particles, types)
            if "internal_energy" not in particles.field_names:
                raise _core.InputError(
                    "the particles have no internal energy, with which a gas (Sph, [sph]) begins: give them a field"
                    " 'internal_energy', or their file a dataset PartType0/InternalEnergy"
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

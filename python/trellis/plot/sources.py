"""Sources of a picture: the particles of a set, a snapshot or a simulation, and those of each type."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.known_fields import TYPE_NAMES
from trellis.particles.particle_set import check_no_selection
from trellis.units import Units

if TYPE_CHECKING:
    from trellis.io import Snapshot
    from trellis.simulation import Simulation

Source: TypeAlias = "Simulation | Snapshot | ParticleSet"

TYPE = "type"


def particles_of(source: Source) -> ParticleSet:
    """Return position, mass and type, if there are types; of a simulation on several ranks those of all.

    Raises
    ------
    ValueError
        If it is a selection.
    """
    check_no_selection(source)
    particles = source if isinstance(source, ParticleSet) else source.particles
    if world.ranks() == 1 or not hasattr(source, "particle_count"):  # which a simulation has
        return particles
    names = ["position", "mass", *([TYPE] if TYPE in particles.field_names else [])]
    own = [particles.column(name) for name in names]
    columns = [np.concatenate(each) for each in zip(*world.gather(own), strict=True)]
    everywhere = ParticleSet.from_columns(position=columns[0], mass=columns[1])
    everywhere.box = particles.box
    if len(columns) > 2:
        everywhere.type = columns[2]
    return everywhere


def units_of(source: Source) -> Units | None:
    """Units of a snapshot; other sources do not know theirs."""
    return getattr(source, "units", None) if not isinstance(source, ParticleSet) else None


def fraction_of(source: Source) -> float:
    """Return the fraction of the particles that a source has: a snapshot may hold a part, which stands for all."""
    return getattr(source, "fraction", 1.0) if not isinstance(source, ParticleSet) else 1.0


def types_of(particles: ParticleSet) -> list[int]:
    """Return the types that are there, in order; none if particles have no types."""
    return np.unique(particles.column(TYPE)).astype(int).tolist() if TYPE in particles.field_names else []


def of_type(particles: ParticleSet, kind: int) -> ParticleSet:
    """Return position and mass of the particles of one type.

    Raises
    ------
    ValueError
        If no particle has this type.
    """
    if kind not in types_of(particles):
        there = ", ".join(f"{each} ({type_name(each)})" for each in types_of(particles)) or "no column 'type'"
        raise InputError(f"there are no particles of type {kind}: there are {there}")
    rows = particles.column(TYPE) == kind
    chosen = ParticleSet.from_columns(position=particles.position[rows], mass=particles.mass[rows])
    chosen.box = particles.box
    return chosen


def type_name(kind: int) -> str:
    """Return the name of Gadget's type of this number."""
    return TYPE_NAMES[kind] if 0 <= kind < len(TYPE_NAMES) else f"type {kind}"

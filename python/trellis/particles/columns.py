"""Columns of a particle set apart from the set: for copies, pickles and sets that are joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from trellis.particles.particle_set import ParticleSet

Rows = slice | NDArray[np.int64]
ALL_ROWS = slice(None)


@dataclass(frozen=True)
class Declaration:
    """The declaration of a field."""

    name: str
    components: int
    unit: str
    meaning: str


@dataclass(frozen=True)
class Columns:
    """The box of a set, and some rows of each of its fields."""

    box: NDArray[np.float64]
    fields: list[tuple[Declaration, NDArray[Any]]]


def declaration(particles: ParticleSet, name: str) -> Declaration:
    """Return the declaration of a field."""
    shape = particles.column(name).shape
    return Declaration(name, shape[1] if len(shape) > 1 else 1, *particles.field_info(name))


def columns_of(particles: ParticleSet, rows: Rows = ALL_ROWS) -> Columns:
    """Return the columns; all rows of them are views of the set's memory."""
    fields = [(declaration(particles, name), particles.column(name)[rows]) for name in particles.field_names]
    return Columns(particles.region, fields)


def declare(particles: ParticleSet, field: Declaration) -> None:
    """Add a field to a set, if it has none of that name."""
    if field.name not in particles.field_names:
        particles.add_field(field.name, field.components, field.unit, field.meaning)


def fill(particles: ParticleSet, columns: Columns) -> None:
    """Make box and fields of a set those given; it has as many particles as they have."""
    particles.box = columns.box
    for field, values in columns.fields:
        declare(particles, field)
        particles.column(field.name)[...] = values

"""Columns of a particle set apart from the set: for copies, pickles and sets that are joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.errors import InputError

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


def public_fields(particles: _core.ParticleSet) -> list[str]:
    """Return the names of the fields but for those that begin with an underscore, which forces keep for themselves."""
    return [name for name in particles.field_names if not name.startswith("_")]


def declaration(particles: _core.ParticleSet, name: str) -> Declaration:
    """Return the declaration of a field."""
    shape = particles.column(name).shape
    return Declaration(name, shape[1] if len(shape) > 1 else 1, *particles.field_info(name))


def check_field_name(name: object, taken: set[str]) -> None:
    """Raise a ValueError for a name that no file can have, or no attribute, or that is kept for forces."""
    if not isinstance(name, str) or name == "" or set(name) & set("/\0"):
        raise InputError(f"a field has the name {name!r}, but must have one without '/', of a letter or more")
    if name in taken:
        raise InputError(f"a field has the name '{name}', which is that of a method or an attribute of particles")
    if name.startswith("_"):
        raise InputError(f"a field has the name '{name}', but those that begin with '_' are kept for forces")


def check_shape(name: str, values: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Raise a ValueError for values that do not fill a column of a shape."""
    try:
        fits = np.broadcast_shapes(values.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise InputError(f"values of shape {values.shape} do not fit column '{name}' of shape {shape}")


def columns_of(particles: _core.ParticleSet, rows: Rows = ALL_ROWS) -> Columns:
    """Return the columns; all rows of them are views of the set's memory."""
    fields = [(declaration(particles, name), particles.column(name)[rows]) for name in particles.field_names]
    return Columns(particles.region, fields)


def declare(particles: _core.ParticleSet, field: Declaration) -> None:
    """Add a field to a set, if it has none of that name."""
    if field.name not in particles.field_names:
        _core.ParticleSet.add_field(particles, field.name, field.components, field.unit, field.meaning)


def fill(particles: _core.ParticleSet, columns: Columns) -> None:
    """Set box and fields of a set to `columns`, which have the same number of rows."""
    particles.set_region(columns.box)
    for field, values in columns.fields:
        declare(particles, field)
        particles.column(field.name)[...] = values

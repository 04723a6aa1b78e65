"""Assignment to columns of particles, of all rows or of some."""

from __future__ import annotations

from typing import Any

import numpy as np

from trellis import _core
from trellis.particles.columns import ALL_ROWS, Rows, check_shape, declare, public_fields
from trellis.particles.given_numbers import values_for
from trellis.particles.joining import check_own_ids
from trellis.particles.known_fields import KNOWN, no_such_field, numbers_of
from trellis.units import Units


def assign(
    particles: _core.ParticleSet, name: str, value: Any, rows: Rows | int = ALL_ROWS, units: Units | None = None
) -> None:
    """Fill rows of a column; a field of known meaning is added if the set has none.

    Parameters
    ----------
    particles : ParticleSet
        The set, which stays as it is if a value is refused.
    name : str
        The field.
    value : array_like
        The values; for ``type`` also names, for ``fixed`` truth values.
    rows : slice, array of int, or int
        The rows.
    units : Units, optional
        The units of the columns, for quantities.

    Raises
    ------
    AttributeError
        For a name that is no field.
    ValueError
        For values that the rows cannot hold, and for an id that is there twice.
    """
    added = KNOWN.get(name) if name not in particles.field_names else None
    if added is None and name not in particles.field_names:
        raise AttributeError(no_such_field(name, public_fields(particles)))
    column = np.zeros(particles.size) if added else particles.column(name)
    unit = added.unit if added else particles.field_info(name)[0]
    values = values_for(column, name, numbers_of(name, value), unit, units)
    check_shape(name, values, column[rows].shape)
    if name == "id":
        after = column.copy()
        after[rows] = values
        check_own_ids(after)
    if added:
        declare(particles, added)
        column = particles.column(name)
    column[rows] = values

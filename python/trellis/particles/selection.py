"""Selections of particles of a set, by their ids or by their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.particles.assignment import values_for
from trellis.particles.columns import columns_of
from trellis.particles.summary import selection_summary

if TYPE_CHECKING:
    from trellis.particles.particle_set import ParticleSet


class Selection:
    """Some particles of a set; their columns are attributes, as those of a `ParticleSet`.

    They are in the order of the ids or rows that picked them. A column that is read is a copy, which cannot be written
    to; assigning to the attribute changes the particles. The selection is good until a step reorders the rows.

    Attributes
    ----------
    rows : ndarray of int64, or int
        The particles' rows; one number if one id was given.
    """

    rows: NDArray[np.int64] | int

    def __init__(self, particles: ParticleSet, rows: NDArray[np.int64] | int) -> None:
        object.__setattr__(self, "_particles", particles)
        object.__setattr__(self, "rows", rows)

    def copy(self) -> ParticleSet:
        """Return a set of its own with these particles, and all fields."""
        made: ParticleSet = type(self._particles)(len(self))
        made.__setstate__(columns_of(self._particles, np.atleast_1d(self.rows)))
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = np.array(getattr(self._particles, name)[self.rows])
        values.flags.writeable = False
        return values if values.ndim > 0 else values[()]

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        column = getattr(self._particles, name)
        values = values_for(column, name, value)
        try:
            column[self.rows] = values
        except ValueError:
            raise _core.InputError(
                f"values of shape {values.shape} do not fit '{name}' of shape {column[self.rows].shape}"
            ) from None

    def __len__(self) -> int:
        return int(np.size(self.rows))

    def __repr__(self) -> str:
        return selection_summary(self._particles, self.rows).text()

    def _repr_html_(self) -> str:
        return selection_summary(self._particles, self.rows).html()


def check_no_selection(particles: object) -> None:
    """Raise a ValueError for a selection where particles of their own are needed."""
    if isinstance(particles, Selection):
        raise _core.InputError(
            f"the particles are a selection of {len(particles)}, but must be a set of their own: give its copy()"
        )


def whole_numbers(wanted: int | Sequence[int] | ArrayLike) -> NDArray[Any]:
    """Return ids as they were given, as an array; ValueError unless they are whole numbers."""
    given = np.asarray(wanted)
    if given.size > 0 and (given.ndim > 1 or not np.issubdtype(given.dtype, np.integer)):
        what = f"an array of {given.dtype} of shape {given.shape}" if given.ndim > 0 else repr(wanted)
        raise _core.InputError(f"id is {what}, but must be a whole number, or a sequence of them")
    return given


def rows_of(ids: NDArray[np.uint64], wanted: int | Sequence[int] | ArrayLike, where: str) -> NDArray[np.int64] | int:
    """Find the rows of some ids.

    Parameters
    ----------
    ids : ndarray
        The id in each row.
    wanted : int or array_like of int
        Ids to be found.
    where : str
        Ends the sentence about an id that is not there.

    Raises
    ------
    ValueError
        If an id is not there, or is no whole number.
    """
    given = whole_numbers(wanted)
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(ids)
    exact = given.astype(np.uint64)  # a negative one is not among these
    found = np.searchsorted(ids, exact, sorter=order)
    there = (given >= 0) & (np.append(ids[order], np.uint64(0))[found] == exact) & (found < len(ids))
    if not there.all():
        raise _core.InputError(f"there is no particle of id {given[~there].flat[0]}{where}")
    rows = order[found].astype(np.int64)
    return int(rows) if given.ndim == 0 else rows


def rows_picked(size: int, key: object) -> NDArray[np.int64] | None:
    """Return the rows that a slice or a mask picks; None if it is neither of them.

    Parameters
    ----------
    size : int
        Number of rows.
    key : object
        The expression in the brackets.

    Raises
    ------
    ValueError
        If a mask has not one value for each row.
    """
    if isinstance(key, slice):
        return np.arange(size, dtype=np.int64)[key]
    mask = np.asarray(key)
    if mask.dtype != np.bool_:
        return None
    if mask.shape != (size,):
        raise _core.InputError(
            f"the mask has the shape {mask.shape}, but must have one value for each particle: the shape ({size},)"
        )
    return np.flatnonzero(mask)

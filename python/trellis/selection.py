"""Some particles of a set, picked by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core

if TYPE_CHECKING:
    from trellis.particles import ParticleSet


class Selection:
    """The particles of some ids, in the order of these; their columns are attributes, as those of a `ParticleSet`.

    A column that is read is a copy, which cannot be written to; assigning to the attribute changes the particles. The
    selection is good until a step reorders the rows.

    Attributes
    ----------
    rows : ndarray of int64, or int
        The particles' rows; one number if one id was given.
    """

    rows: NDArray[np.int64] | int

    def __init__(self, particles: ParticleSet, rows: NDArray[np.int64] | int) -> None:
        object.__setattr__(self, "_particles", particles)
        object.__setattr__(self, "rows", rows)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = np.array(getattr(self._particles, name)[self.rows])
        values.flags.writeable = False
        return values if values.ndim > 0 else values[()]

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        column = getattr(self._particles, name)
        try:
            column[self.rows] = value
        except ValueError:
            raise _core.InputError(
                f"values of shape {np.shape(value)} do not fit '{name}' of shape {column[self.rows].shape}"
            ) from None

    def __len__(self) -> int:
        return int(np.size(self.rows))

    def __repr__(self) -> str:
        return f"Selection({len(self):,} of {len(self._particles):,} particles)"


def rows_of(ids: NDArray[np.uint64], wanted: int | Sequence[int] | ArrayLike, where: str) -> NDArray[np.int64] | int:
    """Find the rows of some ids.

    Parameters
    ----------
    ids : ndarray
        The id in each row.
    wanted : int or array_like of int
        Those to be found.
    where : str
        Ends the sentence about an id that is not there.

    Raises
    ------
    ValueError
        If an id is not there, or is no whole number.
    """
    given = np.asarray(wanted)
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    if given.ndim > 1 or not np.issubdtype(given.dtype, np.integer):
        raise _core.InputError(f"id is {wanted!r}, but must be a whole number, or a sequence of them")
    order = np.argsort(ids)
    exact = given.astype(np.uint64)  # a negative one is none of these
    places = np.searchsorted(ids, exact, sorter=order)
    there = (given >= 0) & (np.append(ids[order], np.uint64(0))[places] == exact) & (places < len(ids))
    if not there.all():
        raise _core.InputError(f"there is no particle of id {given[~there].flat[0]}{where}")
    rows = order[places].astype(np.int64)
    return int(rows) if given.ndim == 0 else rows

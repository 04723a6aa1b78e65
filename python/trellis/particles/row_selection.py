"""Rows of particles that are selected, by ids, by a slice or by a mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core


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

"""Rows of particles that are selected, by ids, by a slice or by a mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core

FEW = 16  # ids that are sought one by one


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
    exact = given.astype(np.uint64)  # a negative one is not among these
    rows, found = _found(ids, exact)
    there = (given >= 0) & found
    if not there.all():
        raise _core.InputError(f"there is no particle of id {given[~there].flat[0]}{where}")
    return int(rows) if given.ndim == 0 else rows


def _found(ids: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the rows of the wanted ids, and which of these there are; a few are not worth an order of all ids."""
    if len(ids) > 0:  # often the id is the number of the row
        same = np.minimum(wanted, np.uint64(len(ids) - 1)).astype(np.int64)
        if (ids[same] == wanted).all():
            return same, np.ones(wanted.shape, dtype=np.bool_)
    if wanted.size <= FEW:
        matches = [np.flatnonzero(ids == each) for each in wanted.flat]
        rows = np.array([match[0] if len(match) > 0 else -1 for match in matches]).reshape(wanted.shape)
        return rows, rows >= 0
    order = np.argsort(ids)
    at = np.searchsorted(ids, wanted, sorter=order)
    found = (np.append(ids[order], np.uint64(0))[at] == wanted) & (at < len(ids))
    return np.append(order, -1)[at].astype(np.int64), found


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

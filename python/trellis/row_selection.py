"""Rows that are picked as NumPy picks them: by a slice, or by a mask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis import _core


def rows_picked(size: int, key: object) -> NDArray[np.int64] | None:
    """Return the rows that a slice or a mask picks; None if it is neither of them.

    Parameters
    ----------
    size : int
        Number of rows.
    key : object
        What stands in the brackets.

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

"""Values assigned to a column: numbers that it can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.errors import InputError


def values_for(column: NDArray[Any], name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array that the column can hold; a ValueError if it would change any value."""
    try:
        given = np.asarray(value)
    except ValueError:  # lists of unequal length
        raise InputError(f"column '{name}' is given lists of unequal length, but must be numbers") from None
    if given.dtype.kind not in "biuf":
        shown = repr(value) if given.ndim == 0 else f"values of the type {given.dtype}"
        raise InputError(f"column '{name}' is given {shown}, but must be numbers")
    if column.dtype.kind == "u" and given.dtype.kind != "u":
        with np.errstate(invalid="ignore"):  # NaN becomes a number, and differs from it
            wrong = (given < 0) | (given.astype(column.dtype) != given)
        if wrong.any():
            raise InputError(f"column '{name}' is given {given[wrong].flat[0]}, but must be whole numbers from 0 on")
    return given

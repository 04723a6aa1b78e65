"""Values that a user's function has returned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core


def real_array(function: str, name: str, given: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return what a function has returned as an array; a ValueError, with the names of both, if it is not of a shape.

    Parameters
    ----------
    function : str
        The function.
    name : str
        The name of the values.
    given : object
        The values.
    shape : tuple of int
        The shape that they must have.
    """
    wanted = f"but must be real numbers of shape {shape}"
    try:
        values = np.asarray(given)
        if given is None or np.issubdtype(values.dtype, np.complexfloating):
            raise TypeError
        values = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise _core.InputError(f"{function} has returned as {name} {kind_of(given)}, {wanted}") from None
    if values.shape != shape:
        raise _core.InputError(f"{function} has returned as {name} an array of shape {values.shape}, {wanted}")
    return values


def kind_of(given: object) -> str:
    """Return the kind of a value in words."""
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype} of shape {given.shape}"
    return "None" if given is None else f"a {type(given).__name__}"

"""The box of a set, as users give it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.particles.given_numbers import real_numbers
from trellis.units import Units


def faces_of(box: Any, units: Units | None = None) -> NDArray[np.float64]:
    """Return the low and the high faces, shape (2, 3).

    Parameters
    ----------
    box : array_like
        The faces; or the side of a cube, or three sides, of a box that begins at 0. An infinite side is an axis that is
        open.
    units : Units, optional
        The unit of length, for a quantity.

    Raises
    ------
    ValueError
        For other shapes and values.
    """
    given = np.array(real_numbers("box", box, "length", units), dtype=np.float64)
    if given.shape == (2, 3):
        return given
    if given.shape not in ((), (1,), (3,)):
        raise InputError(
            f"box has the shape {given.shape}, but must be a side, three sides, or low and high faces: the shape (2, 3)"
        )
    sides = np.broadcast_to(given, 3)
    if not (sides > 0).all():
        raise InputError(f"box has the side {sides[~(sides > 0)][0]:g}, but sides are above 0")
    return np.array([np.where(np.isinf(sides), -np.inf, 0.0), sides])

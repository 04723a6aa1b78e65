"""Boxes that are periodic along all axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError

Floats = NDArray[np.float64]


def lengths_from_box(box: Floats, what: str) -> Floats:
    """Return the sides of a box; a ValueError, which says what is wanted in it, unless all axes are periodic."""
    sides = np.ptp(box, axis=0)
    if not np.isfinite(sides).all():
        raise InputError(f"{what} is wanted in a box that is not periodic along all axes")
    return np.asarray(sides)


def nearest_image(offsets: Floats, sides: Floats) -> Floats:
    """Return offsets between places as those to the nearest images."""
    return np.asarray(offsets - sides * np.round(offsets / sides))

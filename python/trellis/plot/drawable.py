"""Values that a picture has room for: squares, sums and margins of larger ones are no numbers any more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError

LARGEST = 1e100


def check_drawable(name: str, values: NDArray[Any]) -> None:
    """Raise a ValueError if a column has values that cannot be drawn."""
    beyond = values[~(np.abs(values) <= LARGEST)]
    if len(beyond) > 0:
        raise InputError(f"column '{name}' has {beyond[0]:g}, which cannot be drawn: allowed is up to {LARGEST:g}")


def check_masses(mass: NDArray[Any]) -> None:
    """Raise a ValueError if there are no particles to draw, or their masses make no picture."""
    if len(mass) == 0:
        raise InputError("there are no particles to draw")
    check_drawable("mass", mass)
    if (mass < 0).any():
        raise InputError(f"column 'mass' has {mass.min():g}, but a surface density is drawn of masses of at least 0")
    if not (mass > 0).any():
        raise InputError("column 'mass' is 0 of all particles, but a surface density is drawn of masses above 0")


def drawable(values: NDArray[Any]) -> NDArray[Any]:
    """Return values of a curve, with gaps for those that cannot be drawn."""
    return np.where(np.abs(values) <= LARGEST, values, np.nan)

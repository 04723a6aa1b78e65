"""The values of an exact solution at some positions at one time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Density, velocity (along x, outwards, or around the axis) and pressure of an ideal gas, a value a position."""

    density: Floats
    velocity: Floats
    pressure: Floats
    gamma: float

    @property
    def internal_energy(self) -> Floats:
        """Internal energy of a unit of mass; infinite where pressure acts on no mass."""
        with np.errstate(divide="ignore"):
            return self.pressure / ((self.gamma - 1.0) * self.density)


def check_gamma(gamma: float, below: float = np.inf) -> None:
    """Raise a ValueError unless the adiabatic index is above 1, and below a limit."""
    if not 1.0 < gamma < below:
        limit = "" if below == np.inf else f" and below {below:g}"
        raise InputError(f"gamma is {gamma:g}, but must be a finite number above 1{limit}")


def check_positive(**values: float) -> None:
    """Raise a ValueError for the first value that is not a finite number above 0."""
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise InputError(f"{name} is {value:g}, but must be a finite number above 0")


def check_dimensions(dimensions: int) -> None:
    """Raise a ValueError unless there are 1, 2 or 3 dimensions."""
    if dimensions not in (1, 2, 3):
        raise InputError(f"dimensions is {dimensions}, but must be 1, 2 or 3")

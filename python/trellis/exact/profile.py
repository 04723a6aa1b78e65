"""The values of an exact solution at some positions at one time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.arguments import is_number, shown
from trellis.errors import InputError
from trellis.particles.given_numbers import real_numbers

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


def distances(radius: ArrayLike) -> Floats:
    """Return the argument `radius` as an array; a ValueError unless all values are distances, 0 or more."""
    given = np.asarray(real_numbers("radius", radius), dtype=np.float64)
    if not (given >= 0.0).all():
        raise InputError(f"radius has the value {given[~(given >= 0.0)][0]:g}, but must be distances, 0 or more")
    return given


def check_gamma(gamma: float, below: float = np.inf) -> None:
    """Raise a ValueError unless the adiabatic index is above 1, and below a limit."""
    if not 1.0 < gamma < below:
        limit = "" if below == np.inf else f" and below {below:g}"
        raise InputError(f"gamma is {gamma:g}, but must be a finite number above 1{limit}")


def check_positive(**values: float) -> None:
    """Raise a ValueError for the first value that is not a finite number above 0."""
    for name, value in values.items():
        check_finite(name, value)
        if not value > 0.0:
            raise InputError(f"{name} is {value:g}, but must be a finite number above 0")


def check_finite(name: str, value: float) -> None:
    """Raise a ValueError unless a value is a finite number."""
    if not (is_number(value) and np.isfinite(value)):
        raise InputError(f"{name} is {shown(value)}, but must be a finite number")


def check_dimensions(dimensions: int) -> None:
    """Raise a ValueError unless there are 1, 2 or 3 dimensions."""
    if dimensions not in (1, 2, 3):
        raise InputError(f"dimensions is {dimensions}, but must be 1, 2 or 3")

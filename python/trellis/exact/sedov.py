"""The Sedov-Taylor blast wave: much energy at one place, at once, in a cold gas at rest.

Kamm and Timmes (2007), On Efficient Generation of Numerically Robust Sedov Solutions, LA-UR-07-2849: the standard case,
in a gas of uniform density.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gamma as factorial_before  # Euler's function, of the same name as the adiabatic index
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from trellis.arguments import checked_arguments
from trellis.exact.profile import Floats, Profile, check_dimensions, check_gamma, check_positive, distances

POINTS = 20_001


@dataclass(frozen=True)
class _Shape:
    """The wave when its radius is 1: radius, and density, velocity and pressure over those just behind the shock."""

    place: Floats
    density: Floats
    velocity: Floats
    pressure: Floats


@dataclass(frozen=True)
class SedovSolution:
    """A blast wave."""

    energy: float
    density: float
    gamma: float
    dimensions: int
    alpha: float  # energy = alpha density radius^(dimensions + 2) / time^2
    _shape: _Shape

    def shock_radius(self, time: float) -> float:
        """Radius of the shock at a time."""
        return float((self.energy * time**2 / (self.alpha * self.density)) ** (1.0 / (self.dimensions + 2)))

    def __call__(self, radius: ArrayLike, time: float) -> Profile:
        """Sample the solution.

        Parameters
        ----------
        radius : array_like
            Distances from the centre.
        time : float
            Time since the blast.
        """
        check_positive(time=time)
        edge, shape, g = self.shock_radius(time), self._shape, self.gamma
        speed = 2.0 / (self.dimensions + 2) * edge / time
        place = distances(radius) / edge

        def wave(ahead: float, behind: float, inside: Floats) -> Floats:
            return np.where(place > 1.0, ahead, behind * np.interp(place, shape.place, inside))

        return Profile(
            wave(self.density, self.density * (g + 1.0) / (g - 1.0), shape.density),
            wave(0.0, 2.0 / (g + 1.0) * speed, shape.velocity),
            wave(0.0, 2.0 / (g + 1.0) * self.density * speed**2, shape.pressure),
            g,
        )


@checked_arguments()
def sedov(energy: float = 1.0, density: float = 1.0, gamma: float = 5.0 / 3.0, dimensions: int = 3) -> SedovSolution:
    """Solve for a blast wave.

    Parameters
    ----------
    energy : float
        Energy of the blast; in 2D of a unit of length of its line, in 1D of a unit of area of its plane.
    density : float
        Density of the gas ahead.
    gamma : float
        Adiabatic index, below 7.
    dimensions : int
        3: from a point; 2: from a line; 1: from a plane, to both sides.
    """
    check_positive(energy=energy, density=density)
    check_gamma(gamma, below=7.0)
    check_dimensions(dimensions)
    shape = _shape(gamma, dimensions)
    return SedovSolution(energy, density, gamma, dimensions, _alpha(shape, gamma, dimensions), shape)


def _shape(gamma: float, j: int) -> _Shape:
    """Evaluate the formulae of Kamm and Timmes (2007), with omega = 0, in their letters."""
    g = gamma if abs(gamma - 2.0) > 1e-7 else 2.0 + 1e-7  # two exponents are infinite at 2; the solution is smooth
    a0 = 2.0 / (j + 2)
    a2 = (1.0 - g) / (2.0 * (g - 1.0) + j)
    a1 = (j + 2) * g / (2.0 + j * (g - 1.0)) * (2.0 * j * (2.0 - g) / (g * (j + 2) ** 2) - a2)
    a3 = j / (2.0 * (g - 1.0) + j)
    a4 = (j + 2) / (2.0 - g) * a1
    a5 = -2.0 / (2.0 - g)
    # The variable V runs from the centre to the shock. Places grow as x2^-a2 from the centre: points are even there.
    x2 = np.linspace(0.0, 1.0, POINTS) ** (-1.0 / a2)
    centre, shock = 2.0 / (g * (j + 2)), 4.0 / ((j + 2) * (g + 1.0))
    v = centre + (shock - centre) * x2
    e = 0.5 * (2.0 + j * (g - 1.0))
    x1 = v / shock
    x3 = (1.0 - e * v) / (1.0 - e * shock)
    x4 = (1.0 - 0.5 * (j + 2) * v) / (1.0 - 0.5 * (j + 2) * shock)
    place = x1**-a0 * x2**-a2 * x3**-a1
    # near gamma = 2 the powers of x3 and x4 are huge, and their product is not
    return _Shape(
        place,
        density=x2**a3 * np.exp(a4 * np.log(x3) + a5 * np.log(x4)),
        velocity=x1 * place,
        pressure=x1 ** (a0 * j) * np.exp((a4 - 2.0 * a1) * np.log(x3) + (1.0 + a5) * np.log(x4)),
    )


def _alpha(shape: _Shape, gamma: float, j: int) -> float:
    """Integrate the energy of the wave of radius 1, in a gas of density 1, at time 1."""
    sphere = 2.0 * sqrt(pi) ** j / factorial_before(0.5 * j)  # surface of the unit sphere: 2, 2 pi, 4 pi
    kinetic = 0.5 * (gamma + 1.0) / (gamma - 1.0) * shape.density * (2.0 / (gamma + 1.0) * shape.velocity) ** 2
    thermal = 2.0 / ((gamma + 1.0) * (gamma - 1.0)) * shape.pressure
    inside = (kinetic + thermal) * shape.place ** (j - 1)
    integral = float(np.sum(0.5 * (inside[1:] + inside[:-1]) * np.diff(shape.place)))
    return sphere * (2.0 / (j + 2)) ** 2 * integral

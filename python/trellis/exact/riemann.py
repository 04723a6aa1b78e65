"""The Riemann problem: two uniform states of an ideal gas on both sides of x = 0.

Toro (2009), Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 4; K is a side, left or right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.exact.profile import Floats, Profile, check_finite, check_gamma, check_positive
from trellis.particles.given_numbers import real_numbers


@dataclass(frozen=True)
class State:
    """A uniform state."""

    density: float
    velocity: float
    pressure: float

    def sound_speed(self, gamma: float) -> float:
        """Speed of sound."""
        return float(np.sqrt(gamma * self.pressure / self.density))


SOD_LEFT, SOD_RIGHT = State(1.0, 0.0, 1.0), State(0.125, 0.0, 0.1)


@dataclass(frozen=True)
class Wave:
    """A shock, of which both edges are one, or a rarefaction, and the state that it leaves behind.

    Speeds count along x: the outer edge is the one that faces the undisturbed gas.
    """

    outer: float
    inner: float
    density: float

    @property
    def is_shock(self) -> bool:
        """True for a shock."""
        return self.outer == self.inner


@dataclass(frozen=True)
class RiemannSolution:
    """Two waves, and the star region between them: of one pressure and velocity, with a density on each side."""

    left: State
    right: State
    gamma: float
    pressure: float
    velocity: float
    left_wave: Wave
    right_wave: Wave

    def __call__(self, speed: ArrayLike) -> Profile:
        """Sample the solution, which depends on x / t alone.

        Parameters
        ----------
        speed : array_like
            x / t of the positions.
        """
        xi = np.asarray(real_numbers("speed", speed), dtype=np.float64)
        density, velocity, pressure = (np.empty_like(xi) for _ in range(3))
        for mine, state, wave, sign in (
            (xi < self.velocity, self.left, self.left_wave, 1.0),
            (xi >= self.velocity, self.right, self.right_wave, -1.0),
        ):
            # seen from the right, space is mirrored: what follows is the left wave's
            inside = self._fan(state, sign, sign * xi[mine])
            outside, behind = sign * xi[mine] <= sign * wave.outer, sign * xi[mine] >= sign * wave.inner
            for values, ahead, fan, star in (
                (density, state.density, inside.density, wave.density),
                (velocity, state.velocity, sign * inside.velocity, self.velocity),
                (pressure, state.pressure, inside.pressure, self.pressure),
            ):
                values[mine] = np.where(outside, ahead, np.where(behind, star, fan))
        return Profile(density, velocity, pressure, self.gamma)

    def _fan(self, state: State, sign: float, xi: Floats) -> Profile:
        # equation 4.56
        g, sound = self.gamma, state.sound_speed(self.gamma)
        ahead = sign * state.velocity
        ratio = np.maximum(2.0 + (g - 1.0) * (ahead - xi) / sound, 0.0) / (g + 1.0)
        velocity = 2.0 / (g + 1.0) * (sound + 0.5 * (g - 1.0) * ahead + xi)
        exponent = 2.0 / (g - 1.0)
        return Profile(state.density * ratio**exponent, velocity, state.pressure * ratio ** (g * exponent), g)


@checked_arguments()
def riemann(left: State = SOD_LEFT, right: State = SOD_RIGHT, gamma: float = 5.0 / 3.0) -> RiemannSolution:
    """Solve a Riemann problem; by default it is Sod's.

    Parameters
    ----------
    left, right : State
        The gas at x < 0 and at x > 0.
    gamma : float
        Adiabatic index.

    Raises
    ------
    ValueError
        If a density or a pressure is not above 0, or the two sides part so fast that nothing is left between them.
    """
    check_gamma(gamma)
    for side, state in (("left", left), ("right", right)):
        check_positive(**{f"{side} density": state.density, f"{side} pressure": state.pressure})
        check_finite(f"{side} velocity", state.velocity)
    parting = right.velocity - left.velocity
    limit = 2.0 / (gamma - 1.0) * (left.sound_speed(gamma) + right.sound_speed(gamma))
    if parting >= limit:
        raise InputError(f"the sides part at the speed {parting:g}, but must part at less than {limit:g}: a vacuum")
    pressure = _star_pressure(left, right, gamma)
    velocity = 0.5 * (
        left.velocity + right.velocity + _drop(pressure, right, gamma)[0] - _drop(pressure, left, gamma)[0]
    )
    return RiemannSolution(
        left,
        right,
        gamma,
        pressure,
        velocity,
        _wave(pressure, velocity, left, gamma, -1.0),
        _wave(pressure, velocity, right, gamma, 1.0),
    )


def _star_pressure(left: State, right: State, gamma: float) -> float:
    # The function is concave and increases: from the second of Newton's steps on, they climb to its zero.
    pressure = 0.5 * (left.pressure + right.pressure)
    least = 1e-30 * min(left.pressure, right.pressure)
    for _ in range(100):
        (f, slope), (g, other) = _drop(pressure, left, gamma), _drop(pressure, right, gamma)
        better = max(pressure - (f + g + right.velocity - left.velocity) / (slope + other), least)
        if abs(better - pressure) <= 1e-15 * pressure:
            break
        pressure = better
    return pressure


def _drop(pressure: float, state: State, gamma: float) -> tuple[float, float]:
    """Speed that the gas loses (f_K) as it comes to a pressure, and its derivative; equations 4.6, 4.7 and 4.37."""
    sound = state.sound_speed(gamma)
    if pressure <= state.pressure:
        ratio = pressure / state.pressure
        power = ratio ** ((gamma - 1.0) / (2.0 * gamma))
        return 2.0 * sound / (gamma - 1.0) * (power - 1.0), power / ratio / (state.density * sound)
    a = 2.0 / ((gamma + 1.0) * state.density)
    b = (gamma - 1.0) / (gamma + 1.0) * state.pressure
    root = float(np.sqrt(a / (pressure + b)))
    return (pressure - state.pressure) * root, root * (1.0 - 0.5 * (pressure - state.pressure) / (pressure + b))


def _wave(pressure: float, velocity: float, state: State, gamma: float, sign: float) -> Wave:
    # sign: -1 to the left, 1 to the right; equations 4.50 to 4.63
    ratio, sound = pressure / state.pressure, state.sound_speed(gamma)
    if ratio <= 1.0:
        behind = sound * ratio ** ((gamma - 1.0) / (2.0 * gamma))
        return Wave(state.velocity + sign * sound, velocity + sign * behind, state.density * ratio ** (1.0 / gamma))
    k = (gamma - 1.0) / (gamma + 1.0)
    speed = state.velocity + sign * sound * float(np.sqrt((gamma + 1.0) / (2.0 * gamma) * (ratio + k)))
    return Wave(speed, speed, state.density * (ratio + k) / (k * ratio + 1.0))

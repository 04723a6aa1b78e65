"""Kelvin-Helmholtz instability."""

from __future__ import annotations

import numpy as np

from trellis.config import KelvinHelmholtzModel, checked
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import gas, in_box
from trellis.ic.glass import Floats
from trellis.particles import ParticleSet

_DEFAULT = KelvinHelmholtzModel()

WIDTH = 0.025  # width of the transitions
PRESSURE = 2.5


@columns_on_all_ranks
def kelvin_helmholtz(particles: int = _DEFAULT.particles, *, gamma: float = _DEFAULT.gamma) -> ParticleSet:
    """Kelvin-Helmholtz instability in 2D: a dense stream in a thin gas that flows the other way.

    The smooth problem of McNally, Lyra and Passy (2012, ApJS 201, 18): density 2 and velocity -0.5 along x for
    1/4 < y < 3/4, 1 and 0.5 elsewhere; pressure 2.5; and a small wave, vy = 0.01 sin(4 pi x), that grows. The box goes
    from 0 to 1 along x and y, and is periodic.

    Parameters
    ----------
    particles : int
        Number of particles, about.
    gamma : float
        Adiabatic index.

    Returns
    -------
    ParticleSet
        Equal masses, per length, with z = 0, `internal_energy` and `smoothing_length`. They stand in rows along x, as
        far from each other as the rows are.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(KelvinHelmholtzModel, {"particles": particles, "gamma": gamma})
    position, mass = _rows(wanted.particles)
    x, y = position[:, 0], position[:, 1]
    density = _across(y, 1.0, 2.0)
    velocity = np.zeros_like(position)
    velocity[:, 0] = _across(y, 0.5, -0.5)
    velocity[:, 1] = 0.01 * np.sin(4.0 * np.pi * x)
    made = gas(
        position,
        mass=mass,
        density=density,
        internal_energy=PRESSURE / ((wanted.gamma - 1.0) * density),
        velocity=velocity,
        dimensions=2,
    )
    return in_box(made, (0.0, 0.0), (1.0, 1.0))


def _across(y: Floats, outside: float, inside: float) -> Floats:
    """Profile across the stream, from one value to the other."""
    depth = 0.25 - np.abs(y - 0.5)  # into the stream, from its edge
    change = 0.5 * (inside - outside) * np.exp(-np.abs(depth) / WIDTH)
    return np.where(depth < 0.0, outside + change, inside - change)


def _rows(wanted: int) -> tuple[Floats, float]:
    """Positions of rows, and the mass of a particle of each, so that a row has the mass of its strip of gas."""
    y = np.linspace(0.0, 0.5, 100_001)  # the other half is its image
    density = _across(y, 1.0, 2.0)
    below = np.concatenate(([0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * y[1])))
    mass = 2.0 * below[-1] / wanted
    counts: list[int] = []
    filled = 0.0
    while not counts or filled < below[-1] - 0.5 * mass:
        count = max(1, round(float(np.sqrt(np.interp(filled, below, density) / mass))))
        counts.append(count)
        filled += count * mass
    ends = np.cumsum(counts)
    heights = np.interp((ends - 0.5 * np.array(counts)) * below[-1] / ends[-1], below, y)
    position = np.zeros((2 * ends[-1], 3))
    lower = [(np.arange(count) + 0.25 + 0.5 * (row % 2)) / count for row, count in enumerate(counts)]
    position[: ends[-1], 0] = np.concatenate(lower)
    position[: ends[-1], 1] = np.repeat(heights, counts)
    position[ends[-1] :] = [0.0, 1.0, 0.0] + position[: ends[-1]] * [1.0, -1.0, 1.0]
    return position, float(below[-1] / ends[-1])

"""Gresho's vortex."""

from __future__ import annotations

import numpy as np

import trellis.exact as exact
from trellis.config import GreshoModel, checked
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import gas, in_box
from trellis.ic.glass import glass, tiled
from trellis.particles import ParticleSet

_DEFAULT = GreshoModel()


@columns_on_all_ranks
def gresho(
    particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed, gamma: float = _DEFAULT.gamma
) -> ParticleSet:
    """Gresho's vortex: gas of density 1 that turns around the z axis, and is to go on so.

    The box goes from -0.5 to 0.5 along x and y, is eight mean distances thick and periodic. The speed is largest, 1, at
    the radius 0.2, where a turn takes 0.4 pi. Exact solution: `trellis.exact.gresho`.

    Parameters
    ----------
    particles : int
        Number of particles: 512 times a square, the nearest to this one.
    seed : int
        Seed of the glass.
    gamma : float
        Adiabatic index.

    Returns
    -------
    ParticleSet
        Equal masses, a glass, with `internal_energy` and `smoothing_length`.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(GreshoModel, {"particles": particles, "seed": seed, "gamma": gamma})
    tile = glass((8, 8, 8), wanted.seed)
    side = max(1, round(np.sqrt(wanted.particles / len(tile))))
    low, high = (-0.5, -0.5, -0.5 / side), (0.5, 0.5, 0.5 / side)
    position = tiled(tile, (side, side, 1), low, high)
    radius = np.hypot(position[:, 0], position[:, 1])
    vortex = exact.gresho(radius, wanted.gamma)
    around = position[:, [1, 0, 2]] * [-1.0, 1.0, 0.0]
    made = gas(
        position,
        mass=1.0 / (side * len(position)),
        density=1.0,
        internal_energy=vortex.internal_energy,
        velocity=around * (vortex.velocity / radius)[:, None],
    )
    return in_box(made, low, high)

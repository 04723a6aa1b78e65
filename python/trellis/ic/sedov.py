"""Sedov's blast wave."""

from __future__ import annotations

import numpy as np

from trellis.config import SedovModel, checked
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import COLD, gas, in_box, smoothing_length
from trellis.ic.glass import glass, tiled
from trellis.particles import ParticleSet

_DEFAULT = SedovModel()


@columns_on_all_ranks
def sedov(particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed) -> ParticleSet:
    """Sedov's blast wave: the energy 1 in the middle of a cold gas of density 1.

    The box goes from -0.5 to 0.5 along each axis, periodic. The energy is given to the 64 particles or so nearest to
    the origin, with the weights of Wendland's kernel C2. Exact solution: `trellis.exact.sedov`.

    Parameters
    ----------
    particles : int
        Number of particles: 512 times a cube, such as 64^3, the nearest to this one.
    seed : int
        Seed of the glass.

    Returns
    -------
    ParticleSet
        Equal masses, a glass at rest, with `internal_energy` and `smoothing_length`.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(SedovModel, {"particles": particles, "seed": seed})
    tile = glass((8, 8, 8), wanted.seed)
    side = max(1, round(np.cbrt(wanted.particles / len(tile))))
    low, high = (-0.5,) * 3, (0.5,) * 3
    position = tiled(tile, (side,) * 3, low, high)
    mass = 1.0 / len(position)
    q = np.minimum(np.linalg.norm(position, axis=1) / smoothing_length(mass, 1.0), 1.0)
    weight = (1.0 - q) ** 4 * (1.0 + 4.0 * q)
    made = gas(position, mass=mass, density=1.0, internal_energy=COLD + weight / (mass * weight.sum()))
    return in_box(made, low, high)

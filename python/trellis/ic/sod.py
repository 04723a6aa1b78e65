"""Sod's shock tube."""

from __future__ import annotations

import numpy as np

from trellis.config import SodModel, checked
from trellis.exact import SOD_LEFT, SOD_RIGHT
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import gas, in_box
from trellis.ic.glass import glass, tiled
from trellis.particles import ParticleSet

_DEFAULT = SodModel()

SPARSE = {1: (1,), 2: (8, 8), 3: (8, 8, 8)}
DENSE = {
    1: (8,),
    2: (16, 32),
    3: (8, 8, 8),
}  # cells of the dense side: eight times the density in 1D and 2D, half the size in 3D


@columns_on_all_ranks
def sod(
    particles: int = _DEFAULT.particles,
    *,
    seed: int = _DEFAULT.seed,
    dimensions: int = _DEFAULT.dimensions,
    gamma: float = _DEFAULT.gamma,
) -> ParticleSet:
    """Sod's shock tube: gas of density 1 and pressure 1 at x < 0, of density 0.125 and pressure 0.1 at x > 0.

    The tube goes from x = -1 to 1, periodic, so its ends are a second one, mirrored: between x = -0.7 and 0.6
    nothing of that is felt before t = 0.2. Its sides, periodic as well, are eight mean distances of the thin gas.
    Exact solution: `trellis.exact.riemann`.

    Parameters
    ----------
    particles : int
        Number of particles: a multiple of 9 in 1D, of 576 in 2D and of 4608 in 3D, the nearest to this one.
    seed : int
        Seed of the glass.
    dimensions : int
        1: all particles have y = z = 0, and masses are per area; 2: z = 0, and masses are per length; 3.
    gamma : float
        Adiabatic index.

    Returns
    -------
    ParticleSet
        Equal masses, a glass on either side, at rest, with `internal_energy` and `smoothing_length`.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(SodModel, {"particles": particles, "seed": seed, "dimensions": dimensions, "gamma": gamma})
    dense, sparse = (glass(shapes[wanted.dimensions], wanted.seed) for shapes in (DENSE, SPARSE))
    fine = 2 if wanted.dimensions == 3 else 1
    length = max(1, round(wanted.particles / (9 * len(sparse))))  # of the thin half, in tiles
    sides = (0.5 / length,) * (wanted.dimensions - 1)
    low, high = tuple(-side for side in sides), sides
    left = tiled(dense, (fine * length, *[fine for _ in sides]), (-1.0, *low), (0.0, *high))
    right = tiled(sparse, (length, *[1 for _ in sides]), (0.0, *low), (1.0, *high))
    position = np.concatenate((left, right))
    is_left = np.arange(len(position)) < len(left)
    density = np.where(is_left, SOD_LEFT.density, SOD_RIGHT.density)
    pressure = np.where(is_left, SOD_LEFT.pressure, SOD_RIGHT.pressure)
    made = gas(
        position,
        mass=SOD_RIGHT.density * float(length) ** (1 - wanted.dimensions) / len(right),
        density=density,
        internal_energy=pressure / ((wanted.gamma - 1.0) * density),
        dimensions=wanted.dimensions,
    )
    return in_box(made, (-1.0, *low), (1.0, *high))

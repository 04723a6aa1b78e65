"""Make the tile of a glass for initial conditions of expanding space: python tools/make_glass.py FILE.npy.

Particles begin at random in a periodic cube and move against the gravity of all, as if it repelled them, damped, until
they come to rest (after White 1996). The forces are the framework's; 300 steps of 16^3 particles take some minutes.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import trellis as tr

Floats = NDArray[np.float64]

TILE, SEED, STEPS = 16, 1, 301
STRIDE = 0.5  # fraction of the displacement that would cancel a long wave at once
INERTIA = 0.85  # fraction of the last step that is added to the next one
FARTHEST = 0.1  # longest step, in mean distances


def net_force(positions: Floats) -> Floats:
    """Return net forces over 4 pi G density: the negative displacements that would remove long waves."""
    particles = tr.ParticleSet.from_columns(position=positions, mass=1 / len(positions))
    particles.box = [[0, 0, 0], [1, 1, 1]]
    softening = 0.01 / np.cbrt(len(positions))
    tr.Simulation(particles, [tr.Gravity(softening=softening, accuracy=1e-3)], 1e-9).energies()
    return np.asarray(particles.acceleration[np.argsort(particles.id)] / (4 * np.pi))


def glass(cells: int, seed: int, steps: int) -> Floats:
    """Return the positions of cells^3 particles in the periodic unit cube that are about at rest in their gravity.

    Parameters
    ----------
    cells : int
        Particles along each axis, were they a lattice.
    seed : int
        Seed of the positions at first.
    steps : int
        Steps.
    """
    positions = np.random.default_rng(seed).random((cells**3, 3))
    step = np.zeros_like(positions)
    for _ in range(steps):
        step = INERTIA * step - STRIDE * net_force(positions)
        length = np.linalg.norm(step, axis=1, keepdims=True) * cells
        step *= FARTHEST / np.maximum(length, FARTHEST)
        positions = (positions + step) % 1
    return positions


if __name__ == "__main__":
    made = glass(TILE, SEED, STEPS)
    print(f"net forces {np.sqrt((net_force(made) ** 2).sum(axis=1).mean()) * TILE:.2e} of a mean distance")
    np.save(sys.argv[1], made.astype(np.float32) % np.float32(1))

"""Matter in periodic boxes of an expanding space, and its gravity, for goals and for the peers beside us."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import trellis as tr

Floats = NDArray[np.float64]

SPACE = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)
G = tr.units.GADGET.G
SOFT = 0.04  # softening over the mean distance of particles


def force(box: float, cells: int, accuracy: float, method: str = "treepm", soft: float = SOFT) -> tr.Gravity:
    """Return gravity in a box with the given side, softened at `soft` times the mean distance of cells^3 particles."""
    return tr.Gravity(softening=soft * box / cells, accuracy=accuracy, G=G, method=method)


def box_of(cells: int, side: float, redshift: float = 49.0, **settings: Any) -> tr.ParticleSet:
    """Return cells^3 particles of matter at a redshift, in a cube with the given side in kpc/h."""
    return tr.ic.cosmology(SPACE, cells**3, seed=1, box=side, redshift=redshift, **settings)


def lattice(cells: int, side: float) -> tuple[Floats, Floats]:
    """Return the points of a lattice, and their first coordinates."""
    at = (np.arange(cells) + 0.5) * side / cells
    points = np.stack(np.meshgrid(at, at, at, indexing="ij"), axis=-1).reshape(-1, 3)
    return points, points[:, 0].copy()

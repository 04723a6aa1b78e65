"""A glass: particles as disordered as those of a gas, and as even as those of a lattice."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 100
REACH = 2.2  # range of the repulsion, in mean distances


@lru_cache(maxsize=8)
def glass(shape: tuple[int, ...], seed: int) -> Floats:
    """Particles in a periodic unit cube (square, line); densities estimated from them scatter by 0.3 % in 3D.

    At first there is one, at random, in each cell of a grid. Then they repel their neighbours, without inertia, until
    they are about equally far from each other (Diehl et al. 2015, PASA 32, e048). On a line they are equidistant.

    Parameters
    ----------
    shape : tuple of int
        Cells of the grid along each axis, 5 at least: then no particle interacts with two images of another.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    array, shape (N, len(shape))
        Coordinates from 0 to 1; not to be written to.
    """
    cells = np.indices(shape).reshape(len(shape), -1).T
    inside = 0.5 if len(shape) == 1 else np.random.default_rng(seed).random(cells.shape)
    positions: Floats = (cells + inside) / np.array(shape)
    if len(shape) > 1:
        positions = _relaxed(positions)
    positions.flags.writeable = False
    return positions


def _relaxed(positions: Floats) -> Floats:
    spacing = len(positions) ** (-1.0 / positions.shape[1])
    at = np.ascontiguousarray(positions.T)  # by axis, which is twice as fast
    for k in range(STEPS):
        apart = at[:, :, None] - at[:, None]
        apart -= np.round(apart)
        distance = np.sqrt(np.einsum("kij,kij->ij", apart, apart)) / (REACH * spacing)
        push = np.maximum(1.0 - distance, 0.0) ** 2 / np.maximum(distance, 1e-3)
        stride = 0.6 * min(1.0, 2.5 * (1.0 - k / STEPS))  # smaller towards the end: they come to rest
        at = (at + stride / REACH * np.einsum("ij,kij->ki", push, apart)) % 1.0
    return np.ascontiguousarray(at.T)


def tiled(tile: Floats, copies: tuple[int, ...], low: tuple[float, ...], high: tuple[float, ...]) -> Floats:
    """Fill a box with copies of a tile.

    Parameters
    ----------
    tile : array, shape (N, D)
        Places in the unit cube.
    copies : tuple of int
        Copies along each axis.
    low, high : tuple of float
        Faces of the box along each axis.

    Returns
    -------
    array, shape (copies N, 3)
        Places in the box, low <= place < high; beyond D dimensions they are 0.
    """
    dimensions = tile.shape[1]
    offsets = np.indices(copies).reshape(dimensions, -1).T
    even = (tile + offsets[:, None, :]).reshape(-1, dimensions) / copies
    positions = np.zeros((len(even), 3))
    positions[:, :dimensions] = np.minimum(np.array(low) + even * np.subtract(high, low), np.nextafter(high, -np.inf))
    return positions


def ball(count: int, seed: int) -> Floats:
    """Positions of a glass in the unit ball, of even density: the `count` nearest to the origin.

    Parameters
    ----------
    count : int
        Number of positions.
    seed : int
        Seed of the glass.

    Returns
    -------
    array, shape (count, 3)
        Positions, the innermost first.
    """
    tile = glass((8, 8, 8), seed)
    radius = np.cbrt(count / (len(tile) * 4.0 * np.pi / 3.0))  # where a tile has sides of 1
    half = int(np.ceil(radius + 0.25))
    positions = tiled(tile, (2 * half,) * 3, (-half,) * 3, (half,) * 3)
    square = np.einsum("ij,ij->i", positions, positions)
    nearest = np.argpartition(square, count - 1)[:count]
    inside: Floats = positions[nearest[np.argsort(square[nearest])]] / radius
    return inside

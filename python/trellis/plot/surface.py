"""Surface density on a grid of pixels, each particle spread over the distance to its neighbours.

A particle goes to the grid whose cells are about as wide as its kernel, of cells of 1, 2, 4, ... pixels, shared between
two of them as its width is between theirs; the coarse grids are then refined, and added to the finer ones, by the
two-scale relation of quadratic B-splines. That costs as much for a wide kernel as for a narrow one, and keeps the mass.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trellis.particles import ParticleSet
from trellis.particles.periodic_space import offsets_from
from trellis.plot.drawable import check_drawable
from trellis.plot.neighbourhood import neighbour_distances
from trellis.plot.window import Window

NEIGHBOURS = 8
SPREAD = 0.6  # standard deviation of a kernel along an axis, over the distance to that neighbour
CELL = math.sqrt(5 / 12)  # standard deviation of what a cell's kernel spreads, in cells: spline 3/12, shared cells 1/6
WIDER = 2  # cells of the widest kernels are as wide as 2 to this power pictures
MARGIN = 3  # cells around the picture whose kernels reach into it

Floats: TypeAlias = NDArray[np.float64]


def surface_density(particles: ParticleSet, window: Window, pixels: int) -> Floats:
    """Return mass over area in square pixels, rows along the second axis of the plane.

    Parameters
    ----------
    particles : ParticleSet
        The window.
    window : Window
        The part of space.
    pixels : int
        Pixels along the longer side; shape of the result (rows, columns).
    """
    check_drawable("position", particles.position)
    check_drawable("mass", particles.mass)
    size = 2 * max(window.half_width, window.half_height) / pixels
    columns, rows = (max(1, round(2 * half / size)) for half in (window.half_width, window.half_height))
    levels = math.ceil(math.log2(pixels)) + WIDER
    away = offsets_from(window.centre, particles.position, particles.box)
    across, up = (away[:, axis] for axis in window.axes[:2])
    reach = size * MARGIN * 2**levels
    seen = (np.abs(across) < window.half_width + reach) & (np.abs(up) < window.half_height + reach)
    if not seen.any():
        return np.zeros((rows, columns))
    width = neighbour_distances(particles.position[seen], particles.box, NEIGHBOURS)
    level = np.log2(np.maximum(SPREAD / CELL * width / size, 1.0)).clip(0, levels)
    positions = np.stack((across[seen], up[seen]))
    positions, mass, level = _with_images(positions, particles.mass[seen], level, window, particles.box, size)
    corner = np.array([[window.half_width], [window.half_height]])
    surface = _spread((positions + corner) / size, mass, level, levels, (rows, columns)) / size**2
    return surface * _within_box(window, particles.box, size, (rows, columns))


def _within_box(window: Window, box: Floats, size: float, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which pixels are in the box, which may be smaller than the window."""
    across, up = np.ptp(box, axis=0)[list(window.axes[:2])]
    inside = [
        np.abs(np.arange(n) + 0.5 - 0.5 * n) * size < 0.5 * side for n, side in zip(shape, (up, across), strict=True)
    ]
    return np.asarray(inside[0][:, None] & inside[1])


def _with_images(
    positions: Floats, mass: Floats, level: Floats, window: Window, box: Floats, size: float
) -> tuple[Floats, Floats, Floats]:
    """Add the periodic images of particles whose kernels reach into the window from beyond the box."""
    side = np.ptp(box, axis=0)[list(window.axes[:2])]
    reach = size * MARGIN * np.exp2(np.ceil(level))
    edge = np.minimum(0.5 * side, (window.half_width, window.half_height))
    copies = [(positions, mass, level)]
    for steps in itertools.product(*((-1, 0, 1) if np.isfinite(length) else (0,) for length in side)):
        if any(steps):
            image = positions + np.where(np.isfinite(side), steps * np.nan_to_num(side, posinf=0.0), 0.0)[:, None]
            near = (np.abs(image) < edge[:, None] + reach).all(axis=0)
            copies.append((image[:, near], mass[near], level[near]))
    everything = [np.concatenate(parts, axis=-1) for parts in zip(*copies, strict=True)]
    return everything[0], everything[1], everything[2]


def _spread(positions: Floats, mass: Floats, level: Floats, levels: int, shape: tuple[int, int]) -> Floats:
    """Mass in each pixel, of particles at positions in pixels from the corner."""
    base = np.floor(level).astype(np.intp)
    order = np.argsort(base, kind="stable")
    positions, mass, base = positions[:, order], mass[order], base[order]
    upper = mass * (np.exp2(2 * (level[order] - base)) - 1) / 3  # for the variance of kernels between two levels
    begins = np.searchsorted(base, np.arange(-1, levels + 2))
    grid = np.zeros((0, 0))
    for each in range(levels, -1, -1):
        cells = [math.ceil(side / 2**each) + 2 * MARGIN for side in shape]
        grid = _refined(grid, cells) if each < levels else np.zeros(cells)
        below, here = slice(begins[each], begins[each + 1]), slice(begins[each + 1], begins[each + 2])
        both = slice(below.start, here.stop)
        share = np.concatenate((upper[below], (mass - upper)[here]))
        grid += _deposit(positions[:, both] / 2**each + MARGIN, share, grid.shape, shared=each > 0)
    return grid[MARGIN : MARGIN + shape[0], MARGIN : MARGIN + shape[1]]


def _refined(grid: Floats, cells: Sequence[int]) -> Floats:
    """Return the same splines on `cells` cells of half the size: each gives eighths of 1, 3, 3, 1 along an axis."""
    for axis in (0, 1):
        fine = np.moveaxis(np.repeat(grid, 2, axis=axis), axis, 0)
        fine = 0.125 * (fine[:-2] + 2 * fine[1:-1] + fine[2:])
        grid = np.moveaxis(fine[MARGIN - 1 :][: cells[axis]], 0, axis)
    return grid


def _deposit(positions: Floats, mass: Floats, shape: tuple[int, ...], *, shared: bool) -> Floats:
    """Mass in each cell: in that which a particle is in, or shared linearly between the four nearest."""
    rows, columns = shape
    left, low = np.floor(positions - 0.5 * shared)
    right, above = (positions - 0.5 - (left, low)).clip(0, 1) if shared else np.zeros_like(positions)
    total = np.zeros(rows * columns)
    for column, row in itertools.product((0, 1), repeat=2) if shared else ((0, 0),):
        part = mass * (right if column else 1 - right) * (above if row else 1 - above)
        x, y = left + column, low + row
        inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
        index = (y[inside] * columns + x[inside]).astype(np.intp)
        total += np.bincount(index, weights=part[inside], minlength=rows * columns)
    return total.reshape(rows, columns)

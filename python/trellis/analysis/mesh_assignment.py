"""Masses of particles, assigned to the points of a periodic mesh, and what that does to the waves in them."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError

Floats = NDArray[np.float64]

AT_ONCE = 1 << 18  # particles, or as many as the mesh has points
IMAGES = 50  # images of a wave to each side of the mesh's own: those left out have 1e-7 of its power


def check_cells(cells: int) -> None:
    """Raise a ValueError if a mesh cannot have this number of points along each axis."""
    if not isinstance(cells, int | np.integer):
        raise InputError(f"cells is {cells}, but must be a whole number")
    if cells < 4:
        raise InputError(f"cells is {cells}, but must be at least 4")


def assigned(positions: Floats, weights: Floats, cells: int, order: int, shift: float = 0.0) -> Floats:
    """Assign weights to a mesh by B-splines of order 2 (cloud in cell), 3 (triangular cloud) or 4.

    Parameters
    ----------
    positions : array, shape (N, dimensions)
        Places in the box, whose sides are 1; those beyond are taken to be inside by periodicity.
    weights : array, shape (N,)
        Weights that are assigned, such as masses.
    cells : int
        Points of the mesh along each axis, of which the first lies at 0.
    order : int
        Points that a weight goes to, along each axis.
    shift : float
        Shift of all positions, in cells.

    Returns
    -------
    array, shape (cells,) * dimensions
        The weights on the mesh, with the sum of those given.
    """
    dimensions = positions.shape[1]
    mesh = np.zeros(cells**dimensions)
    at_once = max(AT_ONCE, mesh.size)
    for begin in range(0, len(positions), at_once):
        part = slice(begin, begin + at_once)
        first, shares = shares_of_points(positions[part] * cells + shift, order)
        rows = [(first[:, axis, None] + np.arange(order)) % cells for axis in range(dimensions)]
        for point in itertools.product(range(order), repeat=dimensions - 1):  # and along the last axis all at once
            index, share = np.zeros((len(first), 1), dtype=np.intp), weights[part, None]
            for axis, k in enumerate(point):
                index = index * cells + rows[axis][:, k, None]
                share = share * shares[axis][:, k, None]
            index, share = index * cells + rows[-1], share * shares[-1]
            mesh += np.bincount(index.ravel(), share.ravel(), minlength=mesh.size)
    return np.asarray(mesh.reshape((cells,) * dimensions))


def shares_of_points(cells_from_origin: Floats, order: int) -> tuple[NDArray[np.intp], list[Floats]]:
    """Return the first point that each weight goes to, and for each axis the shares of that and those after it."""
    base = np.floor(cells_from_origin + (0.5 if order == 3 else 0.0))
    d = cells_from_origin - base  # from the point below, or the nearest one
    if order == 2:
        shares = [1 - d, d]
    elif order == 3:
        shares = [0.5 * (0.5 - d) ** 2, 0.75 - d**2, 0.5 * (0.5 + d) ** 2]
    else:
        shares = [(1 - d) ** 3 / 6, (4 - 6 * d**2 + 3 * d**3) / 6, (1 + 3 * d + 3 * d**2 - 3 * d**3) / 6, d**3 / 6]
    by_axis = [np.ascontiguousarray(each) for each in np.moveaxis(np.stack(shares, axis=-1), 1, 0)]
    return base.astype(np.intp) - (order - 1) // 2, by_axis


def window(cells: int, order: int) -> Floats:
    """Return the factor of assignment for waves along an axis, in the order of numpy.fft.fftfreq."""
    return np.asarray(np.sinc(np.fft.fftfreq(cells)) ** order)


def noise_on_mesh(cells: int, order: int) -> Floats:
    """Power of unit white noise on an interlaced mesh over its power without, divided by the window's (Jing 2005).

    Waves beyond the mesh appear on it as well; two meshes, shifted by half a cell along all axes, leave those whose
    numbers of periods away from it add up to an even one.

    Returns
    -------
    array, shape (cells, cells, cells // 2 + 1)
        By waves, as of numpy.fft.rfftn.
    """
    wave = np.fft.fftfreq(cells)[:, None]
    image = np.arange(-IMAGES, IMAGES + 1)
    power = np.sinc(wave + image) ** (2 * order) / np.sinc(wave) ** (2 * order)
    every, alternating = power.sum(axis=1), (power * (-1.0) ** image).sum(axis=1)
    half = slice(cells // 2 + 1)
    both = [_product(each, each, each[half]) for each in (every, alternating)]
    return 0.5 * (both[0] + both[1])


def _product(x: Floats, y: Floats, z: Floats) -> Floats:
    return np.asarray(x[:, None, None] * y[:, None] * z)

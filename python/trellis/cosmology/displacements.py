"""Displacements of matter from where it was at first, by Lagrangian perturbation theory of first and second order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trellis.cosmology.gaussian_field import Floats, Waves, wave_numbers

PAIRS = ((0, 1), (0, 2), (1, 2))


def first_order(contrast: Waves, side: float, slopes: Sequence[Floats] | None = None) -> list[Floats]:
    """Displacements of Zel'dovich (1970) on the mesh: the field whose divergence is less the density contrast.

    Parameters
    ----------
    contrast : array, shape (cells, cells, cells // 2 + 1)
        Waves of the linear density contrast, as of numpy.fft.rfftn.
    side : float
        Side of the periodic cube (length).
    slopes : three arrays of the shape of contrast, optional
        Directions of the displacements, for the wave numbers; see `LatticeGrowth`.

    Returns
    -------
    three arrays, shape (cells, cells, cells)
        Components (length).
    """
    return _gradient(_potential(contrast), -side / (2 * np.pi), slopes)


def second_order(contrast: Waves, side: float) -> list[Floats]:
    """Displacements of second order on the mesh, but for the factor D2 / D1^2 (Bouchet et al. 1995, A&A 296, 575).

    They are the gradient of phi2, whose Laplacian is the sum over i < j of phi,ii phi,jj - phi,ij^2, where phi is the
    potential of first order, whose Laplacian is the density contrast. Products are made on the mesh itself: waves of
    more than Nyquist's wave number are folded back. Arguments and result as of `first_order`.
    """
    potential = _potential(contrast)
    axes = wave_numbers(len(contrast))
    own = [_on_mesh(-axis * axis * potential) for axis in axes]
    source = own[0] * own[1] + own[0] * own[2] + own[1] * own[2]
    for i, j in PAIRS:
        source -= _on_mesh(-axes[i] * axes[j] * potential) ** 2
    return _gradient(_potential(np.fft.rfftn(source)), side / (2 * np.pi))


def _potential(source: Waves) -> Waves:
    """Return the waves whose Laplacian is a source, with lengths in sides of the cube over 2 pi."""
    square = np.asarray(sum(axis**2 for axis in wave_numbers(len(source))))
    square[0, 0, 0] = 1.0
    waves = -source / square
    waves[0, 0, 0] = 0
    return np.asarray(waves)


def _gradient(potential: Waves, factor: float, slopes: Sequence[Floats] | None = None) -> list[Floats]:
    cells = len(potential)
    result = []
    for axis, along in zip(wave_numbers(cells), slopes or wave_numbers(cells), strict=True):
        slope = np.where(np.abs(axis) * 2 == cells, 0.0, along)  # that of Nyquist's wave is 0 on the mesh
        result.append(_on_mesh(1j * factor * slope * potential))
    return result


def _on_mesh(waves: Waves) -> NDArray[np.float64]:
    return np.asarray(np.fft.irfftn(waves, s=(len(waves),) * 3, axes=(0, 1, 2)))

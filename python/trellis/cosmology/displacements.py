"""Displacements of matter from where it was at first, by Lagrangian perturbation theory of first and second order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trellis.cosmology.shared_mesh import Floats, SharedMesh, Waves

PAIRS = ((0, 1), (0, 2), (1, 2))


def first_order(mesh: SharedMesh, contrast: Waves, side: float, slopes: Sequence[Floats] | None = None) -> list[Waves]:
    """Waves of the displacements of Zel'dovich (1970): the field whose divergence is less the density contrast.

    Parameters
    ----------
    mesh : SharedMesh
        The mesh.
    contrast : array
        Waves of the linear density contrast on it.
    side : float
        Side of the periodic cube (length).
    slopes : three arrays of the shape of contrast, optional
        Directions of the displacements, for the wave numbers; see `LatticeGrowth`.

    Returns
    -------
    three arrays of the shape of contrast
        Components (length).
    """
    return _gradient(mesh, _potential(mesh, contrast), -side / (2 * np.pi), slopes)


def second_order(mesh: SharedMesh, contrast: Waves, side: float) -> list[Waves]:
    """Waves of the displacements of second order, but for the factor D2 / D1^2 (Bouchet et al. 1995, A&A 296, 575).

    They are the gradient of phi2, whose Laplacian is the sum over i < j of phi,ii phi,jj - phi,ij^2, where phi is the
    potential of first order, whose Laplacian is the density contrast. Products are made on the mesh itself: waves of
    more than Nyquist's wave number are folded back. Arguments and result as of `first_order`.
    """
    potential = _potential(mesh, contrast)
    axes = mesh.wave_numbers
    own = [mesh.field(-axis * axis * potential) for axis in axes]
    source = own[0] * own[1] + own[0] * own[2] + own[1] * own[2]
    for i, j in PAIRS:
        source -= mesh.field(-axes[i] * axes[j] * potential) ** 2
    return _gradient(mesh, _potential(mesh, mesh.waves(source)), side / (2 * np.pi))


def _potential(mesh: SharedMesh, source: Waves) -> Waves:
    """Return the waves whose Laplacian is a source, with lengths in sides of the cube over 2 pi."""
    square = np.asarray(sum(axis**2 for axis in mesh.wave_numbers))
    return np.asarray(np.where(square == 0, 0, -source / np.where(square == 0, 1, square)))


def _gradient(mesh: SharedMesh, potential: Waves, factor: float, slopes: Sequence[Floats] | None = None) -> list[Waves]:
    axes = mesh.wave_numbers
    along = [  # that of Nyquist's wave is 0 on the mesh
        np.where(np.abs(axis) * 2 == mesh.cells, 0.0, slope) for axis, slope in zip(axes, slopes or axes, strict=True)
    ]
    return [np.asarray(1j * factor * slope * potential) for slope in along]

"""Neighbours of particles: those within a radius, and the nearest ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.particles.given_numbers import real_numbers


@dataclass(frozen=True)
class Neighbours:
    """The neighbours of each particle, one row of particles after the other.

    ``neighbours[k]`` has the rows of the neighbours of the particle in row ``k``, rising.

    Attributes
    ----------
    begins : ndarray, shape (N + 1,)
        Neighbours: those of row ``k`` are ``rows[begins[k] : begins[k + 1]]``.
    rows : ndarray
        The rows of the neighbours; where space is periodic, a row stands there once for each image within the radius.
    distances : ndarray
        Distance of each neighbour.
    """

    begins: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    distances: NDArray[np.float64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of neighbours of each particle."""
        begins = self.begins.astype(np.int64)
        return begins[1:] - begins[:-1]

    def __len__(self) -> int:
        return len(self.begins) - 1

    def __getitem__(self, row: int) -> NDArray[np.uint32]:
        k = range(len(self))[row]
        return self.rows[self.begins[k] : self.begins[k + 1]]

    def __repr__(self) -> str:
        return f"Neighbours({len(self.rows):,} of {len(self):,} particles)"


class Nearest(NamedTuple):
    """The nearest neighbours of each particle: ``rows`` and ``distances``, shape (N, count), nearest first."""

    rows: NDArray[np.uint32]
    distances: NDArray[np.float64]


@checked_arguments()
def neighbours(particles: _core.ParticleSet, radius: ArrayLike, search: str = "gather") -> Neighbours:
    """Find the particles within a radius of each particle.

    In a periodic box all images within the radius count, those of the particle itself, too; it is no neighbour of
    itself otherwise. On several ranks only the particles of this rank count.

    Parameters
    ----------
    particles : ParticleSet
        The particles.
    radius : float or array_like, shape (N,)
        The radius, or that of each particle.
    search : str
        The radius that counts where each particle has its own: ``'gather'``, that of the particle whose neighbours are
        sought; ``'scatter'``, that of the neighbour; ``'symmetric'``, the larger of both.

    Raises
    ------
    ValueError
        If a radius is below 0 or not finite, there are neither one nor N, or there is no such search.
    """
    radii = np.atleast_1d(np.ascontiguousarray(real_numbers("radius", radius), dtype=np.float64))
    if radii.ndim != 1:
        raise _core.InputError(f"radius has the shape {radii.shape}, but must be one number or have the shape (N,)")
    return Neighbours(*_core.neighbours(particles, radii, search))


@checked_arguments()
def nearest(particles: _core.ParticleSet, count: int) -> Nearest:
    """Find the nearest neighbours of each particle; of equally near ones, those of lower rows.

    Each other particle counts once, in a periodic box by its nearest image. On several ranks only the particles of
    this rank count.

    Parameters
    ----------
    particles : ParticleSet
        The particles.
    count : int
        Neighbours of each particle: at least 1, and fewer than there are particles.

    Raises
    ------
    ValueError
        If there are not `count` others.
    """
    if not 0 <= count < 2**32 or int(count) != count:  # NaN is in no range; the core refuses 0
        raise _core.InputError(f"count is {count}, but must be a whole number, from 1 on")
    return Nearest(*_core.nearest(particles, int(count)))

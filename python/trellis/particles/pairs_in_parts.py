"""All pairs within radii, in parts that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trellis.particles.neighbour_search import neighbours
from trellis.particles.particle_set import ParticleSet

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FIRST = 1 << 17  # particles whose neighbours are sought at first
PAIRS = 1 << 23  # pairs kept at a time: sets how many particles are searched at once


def pairs_in_parts(particles: ParticleSet, radii: Floats, expected: float = 0.0) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield all pairs nearer than the radius of the first one: the rows of both, and their distances.

    Parameters
    ----------
    particles : ParticleSet
        The particles.
    radii : array, shape (N,)
        The radius of each particle (length); 0: none.
    expected : float
        Neighbours of a particle, about, if they are many.
    """
    sought = np.flatnonzero(radii)
    begin, at_once = 0, max(1, min(FIRST, int(PAIRS / max(expected, 1.0))))
    while begin < len(sought):
        rows = sought[begin : begin + at_once]
        of_part = np.zeros(len(particles))
        of_part[rows] = radii[rows]
        found = neighbours(particles, of_part, "gather")
        yield np.repeat(rows, found.counts[rows]), found.rows.astype(np.int64), found.distances
        begin, at_once = begin + at_once, max(1, PAIRS * at_once // max(len(found.rows), PAIRS // 8))

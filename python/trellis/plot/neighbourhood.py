"""Distances to neighbours: the width over which a particle's matter is spread, and the densest position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis.particles import ParticleSet
from trellis.particles.neighbour_search import Nearest, nearest
from trellis.particles.periodic_space import offsets_from, typical_position

FAR = 1e4  # times the median distance: particles beyond, which have escaped, would spoil the search


def nearby(position: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which particles are not immensely farther from their middle than most."""
    distance = np.abs(offsets_from(typical_position(position, box), position, box)).max(axis=1)
    return np.asarray(distance <= FAR * np.median(distance))


def search(
    position: NDArray[np.float64], box: NDArray[np.float64], count: int
) -> tuple[NDArray[np.intp], Nearest | None]:
    """Return rows of particles and, for each of these, its `count` nearest among them, or all if there are fewer.

    Where no particle has a neighbour, None is returned for these.
    """
    rows = np.flatnonzero(nearby(position, box))
    if len(rows) < 2:
        return rows, None
    there = ParticleSet.from_columns(position=position[rows], mass=1.0)
    there.box = box
    return rows, nearest(there, min(count, len(rows) - 1))


def neighbour_distances(position: NDArray[np.float64], box: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Distance of each particle to its neighbour of this number; infinite for those that are far from all."""
    distances = np.full(len(position), np.inf)
    rows, found = search(position, box, count)
    distances[rows] = 0.0 if found is None else found.distances[:, -1]
    return distances

"""Spheres about the centres of halos that have a given mean density."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from trellis.analysis.halos.catalogue import Floats
from trellis.particles import ParticleSet
from trellis.particles.neighbour_search import neighbours

FIRST = 8  # innermost particles that are not asked for their density: fewer scatter too much
WIDER = 1.5  # radius that is searched over the one expected, or over the one searched before


def spheres(particles: ParticleSet, centre: Floats, mass: Floats, density: float) -> tuple[Floats, Floats]:
    """Radius and mass of the sphere about each centre within which the mean density falls to a given one.

    Going outward, the first radius at which it is below counts.

    Parameters
    ----------
    particles : ParticleSet
        All particles, in a periodic box.
    centre : array, shape (halos, 3)
        Centres.
    mass : array, shape (halos,)
        About what mass is expected: where to search first.
    density : float
        The mean density (mass / length^3), above that of the box.

    Returns
    -------
    radius, mass : array, shape (halos,)
        Both are 0 where even the 8 innermost particles have less.
    """
    radius, within = np.zeros(len(centre)), np.zeros(len(centre))
    reach = WIDER * np.cbrt(3 * mass / (4 * np.pi * density))
    left = np.arange(len(centre))
    while len(left) > 0:
        further = []
        for halo, (distances, masses) in zip(left, _around(particles, centre[left], reach[left]), strict=True):
            found = _edge(np.append(distances, reach[halo]), np.append(masses, 0.0), density)
            if found is None:
                further.append(halo)
            else:
                radius[halo], within[halo] = found
        left = np.array(further, dtype=np.int64)
        reach[left] *= WIDER
    return radius, within


def _around(particles: ParticleSet, centre: Floats, reach: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield the distances of the particles about each centre, the nearest first, and their masses."""
    count = len(centre)
    both = ParticleSet.from_columns(
        position=np.concatenate((centre, particles.position)), mass=np.concatenate((np.zeros(count), particles.mass))
    )
    both.box = particles.box
    found = neighbours(both, np.concatenate((reach, np.zeros(len(particles)))), "gather")
    for k in range(count):
        part = slice(int(found.begins[k]), int(found.begins[k + 1]))
        distances, rows = found.distances[part], found.rows[part]
        order = np.argsort(distances, kind="stable")
        order = order[rows[order] >= count]  # other centres are no particles
        yield distances[order], both.mass[rows[order]]


def _edge(distances: Floats, masses: Floats, density: float) -> tuple[float, float] | None:
    """Return where the mean density of sorted particles falls below a given one, and the mass there; None: nowhere."""
    within = np.cumsum(masses)
    below = within < density * 4 / 3 * np.pi * distances**3
    if len(within) <= FIRST or below[FIRST - 1]:
        return 0.0, 0.0
    if not below[FIRST:].any():
        return None
    inner = FIRST - 1 + int(below[FIRST:].argmax())
    return float(np.cbrt(3 * within[inner] / (4 * np.pi * density))), float(within[inner])

"""Random directions, speeds from a distribution function, and a frame at rest, shared by spherical models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trellis.particles import ParticleSet

Floats = NDArray[np.float64]


def directions(random: np.random.Generator, lengths: Floats) -> Floats:
    """Vectors of these lengths in random directions, shape (N, 3)."""
    vectors = random.standard_normal((len(lengths), 3))
    vectors *= (lengths / np.linalg.norm(vectors, axis=1))[:, None]
    return vectors


def speeds(random: np.random.Generator, depth: Floats, distribution: Callable[[Floats], Floats]) -> Floats:
    """Draw speeds, as fractions of the escape speed, from an isotropic distribution function.

    The probability of the fraction q at relative potential psi is proportional to q^2 f(psi (1 - q^2)). Its integral
    over q is tabulated for a row of potentials; between two rows one of them is drawn, with the odds of linear
    interpolation.

    Parameters
    ----------
    random : numpy.random.Generator
        Source of random numbers.
    depth : array, shape (N,)
        Relative potential of each particle over that of the centre, in (0, 1].
    distribution : callable
        The distribution function f(E) of the relative energy E over the potential of the centre; any normalisation.
    """
    rows = 512
    q = np.linspace(0.0, 1.0, 2001)
    # Rows crowd at the centre, where f(E) may diverge. Far out the shape of f, a power law, no longer changes.
    table = np.maximum(1.0 - np.linspace(1.0, 0.0, rows, endpoint=False) ** 2, 1e-4)
    place = (1.0 - np.sqrt(1.0 - depth)) * rows
    row = np.minimum((place + random.random(len(depth))).astype(np.intp), rows - 1)
    uniform = random.random(len(depth))
    fractions = np.empty_like(depth)
    order = np.argsort(row, kind="stable")
    ends = np.searchsorted(row[order], np.arange(rows + 1))
    middle = 0.5 * (q[1:] + q[:-1])
    for k in range(rows):
        members = order[ends[k] : ends[k + 1]]
        if len(members) == 0:
            continue
        density = middle**2 * distribution(table[k] * (1.0 - middle**2))
        cumulative = np.concatenate(([0.0], np.cumsum(density)))
        fractions[members] = np.interp(uniform[members] * cumulative[-1], cumulative, q)
    return fractions


def at_rest(particles: ParticleSet) -> ParticleSet:
    """Move the centre of mass to the origin and to rest, in place."""
    mass = particles.mass
    for column in (particles.position, particles.velocity):
        column -= mass @ column / mass.sum()
    return particles

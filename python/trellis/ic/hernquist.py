"""Hernquist sphere."""

from __future__ import annotations

import numpy as np

from trellis.config import HernquistModel, checked
from trellis.ic.first_rank import on_first_rank
from trellis.ic.isotropic import Floats, at_rest, directions, speeds
from trellis.particles import ParticleSet

_DEFAULT = HernquistModel()

SCALE_RADIUS = 1.0 / 3.0  # gives a total energy of -1/4


def distribution(energy: Floats) -> Floats:
    """Isotropic distribution function, but for a factor.

    Parameters
    ----------
    energy : array
        Relative energy over the potential of the centre, in (0, 1).

    References
    ----------
    Hernquist (1990), ApJ 356, 359, equation 17.
    """
    q = np.sqrt(energy)
    rest = 1.0 - energy
    root = np.sqrt(rest)
    return (3.0 * np.arcsin(q) + q * root * (1.0 - 2.0 * energy) * (8.0 * energy**2 - 8.0 * energy - 3.0)) / rest**2.5


@on_first_rank
def hernquist(
    particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed, cut_radius: float = _DEFAULT.cut_radius
) -> ParticleSet:
    """Hernquist sphere in equilibrium.

    G = 1 and the mass within the cut is 1. The scale radius is 1/3, so that the total energy is -1/4 but for the cut.
    Velocities follow the isotropic distribution function of the whole sphere (Hernquist 1990, ApJ 356, 359).

    Parameters
    ----------
    particles : int
        Number of particles.
    seed : int
        Seed of the random numbers.
    cut_radius : float
        Radius beyond which there are no particles.

    Returns
    -------
    ParticleSet
        Equal masses, centre of mass at rest in the origin.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(HernquistModel, {"particles": particles, "seed": seed, "cut_radius": cut_radius})
    random = np.random.default_rng(wanted.seed)
    made = ParticleSet(wanted.particles)
    made.mass = 1.0 / wanted.particles
    # mass fraction within the cut; the whole sphere would have the mass 1 / inside
    inside = (wanted.cut_radius / (wanted.cut_radius + SCALE_RADIUS)) ** 2
    root = np.sqrt(inside * random.random(wanted.particles))
    radius = SCALE_RADIUS * root / (1.0 - root)
    made.position = directions(random, radius)
    depth = SCALE_RADIUS / (radius + SCALE_RADIUS)
    escape = np.sqrt(2.0 * depth / (SCALE_RADIUS * inside))
    made.velocity = directions(random, escape * speeds(random, depth, distribution))
    return at_rest(made)

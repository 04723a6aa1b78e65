"""Uniform sphere: the cold collapse of the tree-code literature."""

from __future__ import annotations

import numpy as np

from trellis.config import SphereModel, checked
from trellis.ic.first_rank import on_first_rank
from trellis.ic.isotropic import at_rest, directions
from trellis.particles import ParticleSet

_DEFAULT = SphereModel()


@on_first_rank
def sphere(
    particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed, virial_ratio: float = _DEFAULT.virial_ratio
) -> ParticleSet:
    """Uniform sphere of total energy -1/4, with Gaussian velocities of the wanted virial ratio.

    G = 1 and the mass is 1. The potential energy of the continuous sphere is W = -3 / (5 R), and the energy is
    W (1 - Q / 2), so the radius is R = 2.4 (1 - Q / 2): 2.4 when cold, with a free-fall time of 4.13.

    Parameters
    ----------
    particles : int
        Number of particles.
    seed : int
        Seed of the random numbers.
    virial_ratio : float
        Q = 2T/|W|, in [0, 2): 0 is cold, 1 is virial equilibrium.

    Returns
    -------
    ParticleSet
        Equal masses, centre of mass at rest in the origin.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(SphereModel, {"particles": particles, "seed": seed, "virial_ratio": virial_ratio})
    random = np.random.default_rng(wanted.seed)
    radius = 2.4 * (1.0 - 0.5 * wanted.virial_ratio)
    made = ParticleSet(wanted.particles)
    made.mass = 1.0 / wanted.particles
    made.position = directions(random, radius * np.cbrt(random.random(wanted.particles)))
    if wanted.virial_ratio > 0:
        dispersion = np.sqrt(wanted.virial_ratio * 0.6 / radius / 3.0)  # of one component: 3 dispersion^2 = 2T = Q |W|
        made.velocity = dispersion * random.standard_normal((wanted.particles, 3))
    return at_rest(made)

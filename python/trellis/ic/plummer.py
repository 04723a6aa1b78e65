"""Plummer sphere."""

from __future__ import annotations

import numpy as np

from trellis.config import PlummerModel, checked
from trellis.ic.first_rank import on_first_rank
from trellis.ic.isotropic import at_rest, directions
from trellis.particles import ParticleSet

_DEFAULT = PlummerModel()

SCALE_RADIUS = 3.0 * np.pi / 16.0  # gives a total energy of -1/4


@on_first_rank
def plummer(
    particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed, cut_radius: float = _DEFAULT.cut_radius
) -> ParticleSet:
    """Plummer sphere in equilibrium.

    G = 1 and the mass within the cut is 1. The scale radius is 3 pi / 16, so that the total energy is -1/4 but for the
    cut. Method: Aarseth, Henon and Wielen (1974), A&A 37, 183; but their rejection for the speed v is a draw of
    (v / v_escape)^2 from the beta distribution that it follows.

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
    wanted = checked(PlummerModel, {"particles": particles, "seed": seed, "cut_radius": cut_radius})
    random = np.random.default_rng(wanted.seed)
    made = ParticleSet(wanted.particles)
    made.mass = 1.0 / wanted.particles
    # mass fraction within the cut; the whole sphere would have the mass 1 / inside
    inside = (1.0 + (SCALE_RADIUS / wanted.cut_radius) ** 2) ** -1.5
    fraction = inside * random.random(wanted.particles)
    radius = SCALE_RADIUS * np.sqrt(1.0 / (fraction ** (-2.0 / 3.0) - 1.0))
    made.position = directions(random, radius)
    escape = np.sqrt(2.0 / inside) * (radius**2 + SCALE_RADIUS**2) ** -0.25
    made.velocity = directions(random, escape * np.sqrt(random.beta(1.5, 4.5, wanted.particles)))
    return at_rest(made)

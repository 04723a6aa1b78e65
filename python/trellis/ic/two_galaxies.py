"""Two galaxies that collide."""

from __future__ import annotations

import numpy as np

from trellis.config import TwoGalaxiesModel, checked
from trellis.ic.first_rank import on_first_rank
from trellis.ic.hernquist import hernquist
from trellis.ic.isotropic import at_rest
from trellis.particles import ParticleSet

_DEFAULT = TwoGalaxiesModel()


@on_first_rank
def two_galaxies(
    particles: int = _DEFAULT.particles,
    *,
    seed: int = _DEFAULT.seed,
    mass_ratio: float = _DEFAULT.mass_ratio,
    separation: float = _DEFAULT.separation,
    pericentre: float = _DEFAULT.pericentre,
) -> ParticleSet:
    """Two Hernquist spheres on a parabolic orbit in the x-y plane.

    G = 1 and the total mass is 1. A galaxy of mass m is the sphere of `hernquist` with all lengths multiplied by
    sqrt(m): both have the same surface density. The orbit is that of two points.

    Parameters
    ----------
    particles : int
        Number of particles of both together, in the ratio of the masses. The first galaxy's have the lower ids.
    seed : int
        Seed of the random numbers.
    mass_ratio : float
        Mass of the second galaxy over that of the first, in (0, 1].
    separation, pericentre : float
        Distance of the centres at the start, and the closest that they would come were they points.

    Returns
    -------
    ParticleSet
        Equal masses, centre of mass at rest in the origin.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(
        TwoGalaxiesModel,
        {
            "particles": particles,
            "seed": seed,
            "mass_ratio": mass_ratio,
            "separation": separation,
            "pericentre": pericentre,
        },
    )
    made = ParticleSet(wanted.particles)
    made.mass = 1.0 / wanted.particles
    second = round(wanted.particles * wanted.mass_ratio / (1.0 + wanted.mass_ratio))
    first = wanted.particles - second
    # parabola of total mass 1: speed^2 = 2 / distance, angular momentum^2 = 2 pericentre
    across = np.sqrt(2.0 * wanted.pericentre) / wanted.separation
    towards = np.sqrt(max(2.0 / wanted.separation - across**2, 0.0))
    offset = np.array([wanted.separation, 0.0, 0.0])
    drift = np.array([-towards, across, 0.0])
    for rows, side in ((slice(0, first), -second), (slice(first, None), first)):
        count = len(made.mass[rows])
        if count == 0:
            continue
        mass = count / wanted.particles
        galaxy = hernquist(count, seed=wanted.seed + rows.start)
        made.position[rows] = np.sqrt(mass) * galaxy.position + side / wanted.particles * offset
        made.velocity[rows] = mass**0.25 * galaxy.velocity + side / wanted.particles * drift
    return at_rest(made)

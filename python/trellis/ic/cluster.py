"""A cluster of atoms at random positions, as searches for the best arrangement begin."""

from __future__ import annotations

import numpy as np

from trellis.config import ClusterModel, checked
from trellis.errors import InputError
from trellis.ic.first_rank import on_first_rank
from trellis.ic.isotropic import at_rest, directions
from trellis.particles import ParticleSet

_DEFAULT = ClusterModel()
NEAREST = 0.9  # sigma: the repulsion there is some 10 epsilon
MOST_TRIES = 10_000  # for one atom


@on_first_rank
def cluster(
    particles: int = _DEFAULT.particles,
    *,
    seed: int = _DEFAULT.seed,
    density: float = _DEFAULT.density,
    temperature: float = _DEFAULT.temperature,
) -> ParticleSet:
    """Atoms at random positions of a ball, none nearer to each other than 0.9 sigma, with Maxwellian velocities.

    In reduced units: the atoms' mass, the epsilon and sigma of their potential and Boltzmann's constant are 1. Their
    centre of mass is at rest in the origin.

    Parameters
    ----------
    particles : int
        Number of atoms.
    seed : int
        Seed of positions and velocities.
    density : float
        Atoms in a unit of volume.
    temperature : float
        Temperature from which velocities are drawn.

    Returns
    -------
    ParticleSet
        Atoms of mass 1, in open space.

    Raises
    ------
    ValueError
        If an argument is out of its range, or no place is found for an atom.
    """
    wanted = checked(
        ClusterModel, {"particles": particles, "seed": seed, "density": density, "temperature": temperature}
    )
    random = np.random.default_rng(wanted.seed)
    radius = np.cbrt(3 * wanted.particles / (4 * np.pi * wanted.density))
    positions = np.empty((wanted.particles, 3))
    for k in range(wanted.particles):
        for _ in range(MOST_TRIES):
            positions[k] = directions(random, radius * np.cbrt(random.random(1)))[0]
            if k == 0 or ((positions[:k] - positions[k]) ** 2).sum(axis=1).min() >= NEAREST**2:
                break
        else:
            raise InputError(f"'density' is {wanted.density}, but no place is left for atom {k}: allowed is less")
    made = ParticleSet(wanted.particles)
    made.mass = 1.0
    made.position = positions
    made.velocity = np.sqrt(wanted.temperature) * random.standard_normal((wanted.particles, 3))
    return at_rest(made)

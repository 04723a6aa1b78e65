"""Evrard's collapse."""

from __future__ import annotations

import numpy as np

from trellis.config import EvrardModel, checked
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import gas
from trellis.ic.glass import ball
from trellis.ic.isotropic import at_rest
from trellis.particles import ParticleSet

_DEFAULT = EvrardModel()


@columns_on_all_ranks
def evrard(particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed) -> ParticleSet:
    """Evrard's collapse: a cold sphere of gas of density 1 / (2 pi r) falls together by its own gravity (G = 1).

    Mass and radius are 1, the internal energy is 0.05, gamma is to be 5/3 (Evrard 1988, MNRAS 235, 911). The sphere is
    a glass, stretched along the radius.

    Parameters
    ----------
    particles : int
        Number of particles.
    seed : int
        Seed of the glass.

    Returns
    -------
    ParticleSet
        Equal masses, at rest, with `internal_energy` and `smoothing_length`.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(EvrardModel, {"particles": particles, "seed": seed})
    even = ball(wanted.particles, wanted.seed)
    root = np.sqrt(np.linalg.norm(even, axis=1))  # the mass within r is r^3 before, and r^2 when stretched
    # nearer to the origin than this, a sphere of 64 particles holds the origin
    inner = 16.0 / (3.0 * np.sqrt(wanted.particles))
    density = 1.0 / (2.0 * np.pi * np.maximum(root**3, inner))
    return at_rest(gas(even * root[:, None], mass=1.0 / wanted.particles, density=density, internal_energy=0.05))

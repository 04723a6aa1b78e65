"""Noh's implosion."""

from __future__ import annotations

import numpy as np

from trellis.config import NohModel, checked
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import COLD, gas
from trellis.ic.glass import ball
from trellis.particles import ParticleSet

_DEFAULT = NohModel()


@columns_on_all_ranks
def noh(particles: int = _DEFAULT.particles, *, seed: int = _DEFAULT.seed) -> ParticleSet:
    """Noh's implosion: a sphere of cold gas, of density 1 and radius 1, that falls to its centre at speed 1.

    With gamma 5/3 the shock is at a third of the time, and reaches the surface, at 1 - t, when t = 0.75. Exact
    solution: `trellis.exact.noh`.

    Parameters
    ----------
    particles : int
        Number of particles.
    seed : int
        Seed of the glass.

    Returns
    -------
    ParticleSet
        Equal masses, a glass, with `internal_energy` and `smoothing_length`.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(NohModel, {"particles": particles, "seed": seed})
    position = ball(wanted.particles, wanted.seed)
    inwards = -position / np.linalg.norm(position, axis=1)[:, None]
    mass = 4.0 * np.pi / 3.0 / wanted.particles
    return gas(position, mass=mass, density=1.0, internal_energy=COLD, velocity=inwards)

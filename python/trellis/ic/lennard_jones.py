"""A crystal of Lennard-Jones atoms, which melts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trellis.config import LennardJonesModel, checked
from trellis.ic.first_rank import columns_on_all_ranks
from trellis.ic.gas import in_box
from trellis.particles import ParticleSet

_DEFAULT = LennardJonesModel()

BASIS = np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])  # the fcc lattice


@columns_on_all_ranks
def lennard_jones(
    particles: int = _DEFAULT.particles,
    *,
    seed: int = _DEFAULT.seed,
    density: float = _DEFAULT.density,
    temperature: float = _DEFAULT.temperature,
    kinds: Sequence[float] | None = None,
) -> ParticleSet:
    """Atoms on a face-centred cubic lattice, with Maxwellian velocities, in a periodic cube from 0.

    In reduced units: the atoms' mass, the epsilon and sigma of their potential and Boltzmann's constant are 1. Their
    total momentum is 0, and the temperature 2 K / (3 N - 3) is exactly the one asked for.

    Parameters
    ----------
    particles : int
        Number of atoms: four times a cube, such as 4 * 20^3, the nearest to this one.
    seed : int
        Seed of the velocities.
    density : float
        Atoms in a unit of volume.
    temperature : float
        Temperature.
    kinds : sequence of float, optional
        Shares of atoms of kind 0, 1, ..., such as (4, 1): their numbers over each other. The atoms then have a field
        ``kind``, for `LennardJones` with kinds; which atom is of which kind is drawn at random.

    Returns
    -------
    ParticleSet
        Atoms of mass 1.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    wanted = checked(
        LennardJonesModel,
        {
            "particles": particles,
            "seed": seed,
            "density": density,
            "temperature": temperature,
            "kinds": None if kinds is None else [float(share) for share in kinds],
        },
    )
    side = max(1, round(np.cbrt(wanted.particles / 4)))
    constant = np.cbrt(4.0 / wanted.density)
    cells = np.indices((side,) * 3).reshape(3, -1).T
    position = constant * (cells[:, None, :] + BASIS).reshape(-1, 3)
    random = np.random.default_rng(wanted.seed)
    velocity = random.standard_normal(position.shape)
    velocity -= velocity.mean(axis=0)
    velocity *= np.sqrt(wanted.temperature * (velocity.size - 3) / (velocity**2).sum())
    made = ParticleSet.from_columns(position=position, mass=1.0, velocity=velocity)
    if wanted.kinds is not None:
        ends = np.cumsum(wanted.kinds) / np.sum(wanted.kinds) * len(position)
        in_turn = np.searchsorted(np.round(ends), np.arange(len(position)), side="right")
        made.add_field("kind", values=random.permutation(in_turn).astype(float))
    return in_box(made, (0.0,) * 3, (side * constant,) * 3)

"""Friends of friends: groups of particles, each of which has another one of the group within a linking length."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.analysis.halos.crowds import join_crowds
from trellis.analysis.halos.joined import join
from trellis.arguments import checked_arguments
from trellis.particles import ParticleSet
from trellis.particles.pairs_in_parts import pairs_in_parts

Ints = NDArray[np.int64]


@checked_arguments()
def friends_of_friends(particles: ParticleSet, linking_length: ArrayLike) -> NDArray[np.int64]:
    """Group particles that are linked by a chain of distances below the linking length (Davis et al. 1985).

    In a periodic box distances are those to the nearest images. On several ranks only the particles of this rank count.

    Parameters
    ----------
    particles : ParticleSet
        The particles.
    linking_length : float or array, shape (N,)
        The largest distance of friends (length), or that of each particle: two are friends within the shorter one.

    Returns
    -------
    array of int, shape (N,)
        For each particle the lowest row of its group; alone, it is a group of its own.
    """
    particles.check_finite("position")
    parent = np.arange(len(particles))
    lengths = np.broadcast_to(np.asarray(linking_length, dtype=np.float64), len(particles))
    crowded = join_crowds(parent, particles.wrapped_position(), lengths, particles.box)
    if crowded.any():
        sparse = np.flatnonzero(~crowded)
        others = ParticleSet.from_columns(position=particles.position[sparse], mass=1.0)
        others.box = particles.box
        _join_near(parent, others, lengths[sparse], sparse)
    else:
        _join_near(parent, particles, lengths, parent.copy())
    return parent


def _join_near(parent: Ints, particles: ParticleSet, lengths: NDArray[np.float64], rows: Ints) -> None:
    """Join all friends among the particles, which have these rows among all."""
    for one, other, distances in pairs_in_parts(particles, lengths):
        # each pair is listed from both sides, in this part or the one of its other row
        once = (one > other) & (distances < lengths[other])
        join(parent, rows[one[once]], rows[other[once]])

"""Forces over given tuples of a run file, and the pairs that they leave out of others."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis._core import Force
from trellis.config import RunFile
from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles import ParticleSet

Tuples = list[NDArray[np.int64]]


def tuples_of(file: RunFile, particles: ParticleSet) -> Tuples:
    """Return the tuples of each table [[bonds]]; all ranks call this.

    Raises
    ------
    ValueError
        If the particles are no whole number of chains, or their ids are not in sequence.
    """
    lengths = [(number, table.chains_of) for number, table in enumerate(file.bonds) if table.chains_of is not None]
    first, count = _ids(particles, lengths[0][0]) if lengths else (0, 0)
    for number, length in lengths:
        if count % length != 0:
            raise InputError(
                f"'bonds.{number}.chains_of' is {length}, but {count} particles are no whole number of such chains"
            )
    return [table.tuples(first, count) for table in file.bonds]


def _ids(particles: ParticleSet, number: int) -> tuple[int, int]:
    """Return the lowest id, and the number of all particles of all ranks."""
    ids = particles.id
    of_ranks = world.gather([(int(ids.min()), int(ids.max()), len(ids))] if len(ids) else [])
    lows, highs, counts = zip(*(each for own in of_ranks for each in own), strict=True)
    first, last, count = min(lows), max(highs), sum(counts)
    if last - first + 1 != count:
        raise InputError(
            f"'bonds.{number}.chains_of' is given, but the ids of the {count} particles, {first} to {last}, are not in"
            " sequence: give a file"
        )
    return first, count


def bonded_forces(file: RunFile, tuples: Tuples) -> list[Force]:
    """Make the forces of all tables [[bonds]]."""
    return [table.force(members) for table, members in zip(file.bonds, tuples, strict=True)]


def excluded_pairs(file: RunFile, tuples: Tuples) -> NDArray[Any] | None:
    """Return all pairs within the tuples of tables that exclude these; None if none does."""
    pairs = [
        members[:, pair]
        for table, members in zip(file.bonds, tuples, strict=True)
        if table.exclude
        for pair in map(list, combinations(range(members.shape[1]), 2))
    ]
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0) if pairs else None

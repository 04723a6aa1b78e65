"""Ids of a file: whole numbers from 0, and one for each particle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles.joining import lowest_twice


def check_ids(path: Path, name: str, ids: NDArray[Any]) -> None:
    """Raise a ValueError if values of this column are no ids."""
    if ids.dtype.kind == "f":
        raise InputError(f"'{path}': {name} is of the type {ids.dtype}, but must be whole numbers")
    if ids.dtype.kind == "i" and (ids < 0).any():
        raise InputError(f"'{path}': {name} has the id {ids.min()}: allowed is at least 0")


def mixed_ids(ids: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return ids mixed by the output function of SplitMix64: nothing of their order is left.

    Steele, Lea & Flood 2014, OOPSLA, 453; the numbers are those of ``java.util.SplittableRandom``.
    """
    mixed = ids + np.uint64(0x9E3779B97F4A7C15)  # modulo 2^64, as all of this
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def refuse_shared_ids(path: Path, ids: NDArray[np.uint64], *, whole: bool) -> None:
    """Raise a ValueError if particles of a file have the same id; each rank gives what it has read, or all."""
    lowest = lowest_twice(ids) if whole or world.ranks() == 1 else _lowest_shared_of_all(ids)
    if lowest is not None:
        raise InputError(
            f"'{path}' has the id {lowest} twice, but each particle has an id of its own: without the ids of the file,"
            " they count from 0"
        )


def _lowest_shared_of_all(ids: NDArray[np.uint64]) -> int | None:
    """Return the same of all ranks: each looks at the ids with a remainder of its own."""
    remainder = ids % np.uint64(world.ranks())
    compared = []
    for turn in range(world.ranks()):  # each rank exchanges with each one, and with itself
        partner = (turn - world.rank()) % world.ranks()
        given = ids[remainder == partner]
        if partner != world.rank():
            given = _swap(partner, given)
        compared.append(given)
    found = [each for each in world.gather(lowest_twice(np.concatenate(compared))) if each is not None]
    return min(found, default=None)


def _swap(partner: int, ids: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give ids to another rank, and take those that it gives."""
    received = b""
    for sender in sorted((world.rank(), partner)):  # in turns: none sends to one that does not listen
        if sender == world.rank():
            _core.world().send(partner, ids.tobytes())
        else:
            received = _core.world().receive(partner)
    return np.frombuffer(received, np.uint64)

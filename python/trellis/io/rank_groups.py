"""Files that ranks write together: contiguous groups of ranks, of which the first writes what the others send it.

Columns go through its memory one rank's after another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.io.checked_columns import new_column
from trellis.parallel import world
from trellis.parallel.sites import site_firsts


@dataclass(frozen=True)
class RankGroup:
    """The ranks that share a file with this one.

    Attributes
    ----------
    number, count : int
        Number of this group, and number of groups: one for each file.
    ranks : range
        Its ranks, of which the first writes the file.
    """

    number: int
    count: int
    ranks: range

    @property
    def writes(self) -> bool:
        """True on the rank that writes the file."""
        return world.rank() == self.ranks[0]

    def write_column(
        self,
        file: h5py.File | None,
        name: str,
        own: NDArray[Any],
        rows: list[int],
        filters: Mapping[str, Any] | None = None,
    ) -> h5py.Dataset | None:
        """Write a dataset of the columns of the group's ranks, one after another; all of them call this.

        Parameters
        ----------
        file : h5py.File, optional
            The file, on the rank that writes.
        name : str
            Name of the dataset.
        own : array
            This rank's column.
        rows : list of int
            Lengths of the columns of the group's ranks.
        filters : mapping, optional
            Arguments of h5py's ``create_dataset``.

        Returns
        -------
        h5py.Dataset, optional
            The dataset, on the rank that writes.
        """
        if file is None:
            _core.world().send(self.ranks[0], own.tobytes())
            return None
        dataset = new_column(file, name, (sum(rows), *own.shape[1:]), own.dtype, filters)
        row = 0
        for rank, count in zip(self.ranks, rows, strict=True):
            column = own if rank == world.rank() else np.frombuffer(_core.world().receive(rank), own.dtype)
            if count > 0:
                dataset[row : row + count] = column.reshape(count, *own.shape[1:])
            row += count
        return dataset


def rank_group(files: int) -> RankGroup:
    """Return the group of this rank, one of `files` groups; more files than ranks become as many as ranks."""
    if files < 1:
        raise _core.InputError(f"files is {files}, but must be at least 1")
    count = min(files, world.ranks())
    bounds = [world.ranks() * k // count for k in range(count + 1)]
    number = next(k for k in range(count) if world.rank() < bounds[k + 1])
    return RankGroup(number, count, range(bounds[number], bounds[number + 1]))


def site_group() -> RankGroup:
    """Return the group of this rank, if each site writes a file of its own."""
    firsts = [*site_firsts(), world.ranks()]
    number = bisect_right(firsts, world.rank()) - 1
    return RankGroup(number, len(firsts) - 1, range(firsts[number], firsts[number + 1]))


def part_path(path: Path, number: int, count: int) -> Path:
    """Name of one of `count` files: Gadget's, ``name.0.hdf5``, if there are several."""
    return path if count == 1 else path.with_name(f"{path.stem}.{number}{path.suffix}")


def own_share(total: int) -> slice:
    """Return the rows that this rank reads of the `total` rows that all ranks share."""
    return slice(total * world.rank() // world.ranks(), total * (world.rank() + 1) // world.ranks())

"""Owners of the particles of a snapshot: the rank that had each of them, and the site of that rank."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.io.checked_columns import new_column, read_checked, read_rows
from trellis.io.gadget_files import open_snapshot, snapshot_files
from trellis.io.gadget_layout import TYPES, attributes, counts
from trellis.parallel import world
from trellis.parallel.sites import site_firsts

COUNTS, SITES = "Owners/ParticlesOfRanks", "Owners/SitesOfRanks"
"""Datasets of a snapshot of several ranks, with a row for each rank of the file: how many particles of each type are
its own, which stand rank after rank in the columns of their type; and, in a run over several sites, the site's name."""


@dataclass(frozen=True)
class Owners:
    """Owners of the particles of a snapshot.

    Attributes
    ----------
    ranks : ndarray of int64
        The rank of each particle, in the order in which `trellis.io.read_snapshot` has them.
    sites : tuple of str
        The site of each rank; empty in a run on one site.
    count : int
        Number of ranks of the run.
    """

    ranks: NDArray[np.int64]
    sites: tuple[str, ...]
    count: int

    def names(self) -> list[str]:
        """Return the sites in their order; of a run on one site the ranks."""
        return list(dict.fromkeys(self.sites)) or [f"rank {rank}" for rank in range(self.count)]

    def numbers(self) -> NDArray[np.int64]:
        """Return of each particle which of `names` had it."""
        if not self.sites:
            return self.ranks
        names = self.names()
        return np.array([names.index(site) for site in self.sites], dtype=np.int64)[self.ranks]


def write_owners(file: h5py.File, ranks: range, own: NDArray[np.int64]) -> None:
    """Write whose the particles of a file are; nothing in a run of one rank.

    Parameters
    ----------
    file : h5py.File
        The snapshot, or one file of it.
    ranks : range
        The ranks whose particles it has.
    own : ndarray, shape (ranks, types)
        Number of particles of each type on each of these ranks.
    """
    if world.ranks() == 1:
        return
    counted = new_column(file, COUNTS, own.shape, np.int64)
    counted[...] = own
    counted.attrs["meaning"] = f"particles of each type that are those of rank {ranks[0]}, {ranks[0] + 1}, ..."
    names, firsts = _core.site_names(), site_firsts()
    if names:
        of_ranks = np.array([names[bisect_right(firsts, rank) - 1].encode() for rank in ranks])
        new_column(file, SITES, of_ranks.shape, of_ranks.dtype)[...] = of_ranks


@checked_arguments()
def read_owners(path: str | Path) -> Owners:
    """Read whose the particles of a snapshot were when it was written.

    Parameters
    ----------
    path : str or Path
        The file, or one of several, or their common name.

    Raises
    ------
    ValueError
        If it is no snapshot, or does not say so, as one that a rank alone has written does not.
    """
    tables, sites = [], []
    for part in snapshot_files(Path(path)):
        with open_snapshot(part) as file:
            if COUNTS not in file:
                raise InputError(
                    f"'{part}' does not say whose its particles were: only runs of several ranks write that"
                )
            table = read_rows(part, COUNTS, file[COUNTS], slice(None))
            there = counts(attributes(file, "Header"), "NumPart_ThisFile")
            if table.shape[1:] != (TYPES,) or (table.sum(axis=0) != there).any():
                raise InputError(f"'{part}' is damaged: {COUNTS} does not add up to the particles of its header")
            tables.append(table)
            if SITES in file:
                sites += [name.decode() for name in read_checked(part, SITES, file[SITES])]
    of_ranks = np.concatenate(tables)
    everyone = np.arange(len(of_ranks), dtype=np.int64)
    ranks = np.concatenate([np.repeat(everyone, of_ranks[:, kind]) for kind in range(TYPES)])
    return Owners(ranks, tuple(sites), len(of_ranks))

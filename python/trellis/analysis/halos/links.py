"""Links between the halos of two snapshots: the descendant of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trellis.analysis.halos.catalogue import HaloCatalogue, Ints
from trellis.arguments import checked_arguments

NONE = -1


@dataclass(frozen=True)
class HaloLinks:
    """Halos of two catalogues, linked by the particles that they share.

    Attributes
    ----------
    descendant : array of int, shape (earlier halos,)
        The later halo that has most particles of each earlier one; -1 where none has any.
    shared : array of int, shape (earlier halos,)
        Number of particles that it has of it.
    progenitor : array of int, shape (later halos,)
        The earlier halo with this descendant that gave it most particles; -1 where no halo did.
    """

    descendant: Ints
    shared: Ints
    progenitor: Ints


@checked_arguments()
def link_halos(earlier: HaloCatalogue, later: HaloCatalogue) -> HaloLinks:
    """Link the halos of two catalogues by the ids of their particles; of equal ones the more massive halo counts."""
    order = np.argsort(later.ids)
    at = np.searchsorted(later.ids, earlier.ids, sorter=order)
    same = at < len(order)
    same[same] = later.ids[order[at[same]]] == earlier.ids[same]
    from_halo = np.repeat(np.arange(len(earlier)), earlier.count)[same]
    to_halo = np.repeat(np.arange(len(later)), later.count)[order[at[same]]]
    pairs, shared = np.unique(np.stack((from_halo, to_halo)), axis=1, return_counts=True)
    descendant, given = _most(pairs[0], pairs[1], shared, len(earlier))
    followed = descendant[pairs[0]] == pairs[1]
    progenitor, _ = _most(pairs[1][followed], pairs[0][followed], shared[followed], len(later))
    return HaloLinks(descendant, given, progenitor)


def _most(of: Ints, what: Ints, shared: Ints, count: int) -> tuple[Ints, Ints]:
    """Return for each halo the one that shares most particles with it, and their number; of equal ones the first."""
    best, most = np.full(count, NONE), np.zeros(count, dtype=np.int64)
    order = np.lexsort((-what, shared))  # the last one written stays
    best[of[order]], most[of[order]] = what[order], shared[order]
    return best, most

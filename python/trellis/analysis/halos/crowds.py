"""Friends where particles are crowded: all particles of a cell of half a linking length are friends.

So a clump of n particles within a linking length takes a time that grows as n, although its pairs are n (n - 1) / 2.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trellis.analysis.halos.joined import join
from trellis.particles.periodic_space import Floats, nearest_image

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

CROWD = 8  # particles of a cell from which on it is a crowd
MANY = 1 << 14  # particles from which on a sample of them says whether any cell may be a crowd
EACH = 16  # rows from one particle of the sample to the next
OF_SAMPLE = 3  # particles of a cell in the sample that may be those of a crowd
MOST_CELLS = 1 << 20  # along an axis: the number of a cell has 60 bits
AT_ONCE = 1 << 22  # pairs of particles whose distances are computed at a time
TRIED = (0.0, 0.25, 0.5, 0.75)  # which particles of two cells, as shares of their number, are compared before all


class Cells(NamedTuple):
    """The cells with particles in ascending order of their numbers."""

    number: Ints
    grid: Ints  # cells along each axis
    periodic: Mask  # along each axis
    rows: Ints  # of the particles, cell by cell
    first: Ints  # of each cell, in rows
    counts: Ints
    crowd: Mask  # cells with many particles of the shortest length


def join_crowds(parent: Ints, positions: Floats, lengths: Floats, box: Floats) -> Mask:
    """Join all friends of the particles in crowds, which have the shortest linking length.

    Parameters
    ----------
    parent : array of int, shape (N,)
        The lowest row of the group of each particle, as in `join`.
    positions : array, shape (N, 3)
        Positions, within the box.
    lengths : array, shape (N,)
        Linking lengths: two are friends within the shorter one.
    box : array, shape (2, 3)
        Low and high faces, infinite along open axes.

    Returns
    -------
    array of bool, shape (N,)
        The particles in crowds: no pair with one of them need be looked at again.
    """
    length = float(lengths.min(initial=np.inf))
    in_crowd = np.zeros(len(positions), dtype=np.bool_)
    if not 0 < length < np.inf:
        return in_crowd
    if len(positions) > MANY:
        sample = _cells(positions[::EACH], lengths[::EACH], length, box, OF_SAMPLE)
        if sample is None or not sample.crowd.any():
            return in_crowd
    cells = _cells(positions, lengths, length, box, CROWD)
    if cells is None or not cells.crowd.any():
        return in_crowd
    join(parent, cells.rows, cells.rows[np.repeat(cells.first, cells.counts)])
    sides = np.ptp(box, axis=0)
    one, other = _beside(cells)
    for share, of_other in itertools.product(TRIED, repeat=2):
        i, j = (
            cells.rows[cells.first[which] + (part * cells.counts[which]).astype(np.int64)]
            for which, part in ((one, share), (other, of_other))
        )
        near = _distances(positions, i, j, sides) < length
        join(parent, i[near], j[near])
    apart = parent[cells.rows[cells.first[one]]] != parent[cells.rows[cells.first[other]]]
    for i, j in _pairs(parent, positions, cells, one[apart], other[apart], length, sides):
        near = _distances(positions, i, j, sides) < length
        join(parent, i[near], j[near])
    in_crowd[cells.rows] = np.repeat(cells.crowd, cells.counts)
    return np.asarray(in_crowd & (lengths == length))


def _cells(positions: Floats, lengths: Floats, length: float, box: Floats, fewest: int) -> Cells | None:
    """Sort particles into cells with sides below half the length; None where there would be too few or too many.

    Cells with at least `fewest` particles of that length are crowds.
    """
    periodic = np.isfinite(box[0])
    low = np.where(periodic, box[0], positions.min(axis=0))
    extent = np.where(periodic, box[1] - box[0], positions.max(axis=0) - low)
    along = np.floor(2.01 * extent / length) + 1
    if (along > MOST_CELLS).any() or (along[periodic] < 5).any():
        return None
    grid = along.astype(np.int64)
    side = np.where(periodic, extent / along, length / 2.01)
    at = np.minimum(((positions - low) / side).astype(np.int64), grid - 1)
    number_of = np.ravel_multi_index(tuple(at.T), tuple(grid))
    rows = np.argsort(number_of, kind="stable")
    number, first, count = np.unique(number_of[rows], return_index=True, return_counts=True)
    crowd = np.add.reduceat((lengths[rows] == length).astype(np.int64), first) >= fewest
    return Cells(number, grid, periodic, rows, first, count, crowd)


def _beside(cells: Cells) -> tuple[Ints, Ints]:
    """Return the crowds, and cells up to two away: of two crowds, once."""
    crowds = np.flatnonzero(cells.crowd)
    at = np.stack(np.unravel_index(cells.number[crowds], tuple(cells.grid)), axis=1)
    found: list[tuple[Ints, Ints]] = []
    for step in itertools.product(range(-2, 3), repeat=3):
        there = at + step
        there = np.where(cells.periodic, there % cells.grid, there)
        within = ((there >= 0) & (there < cells.grid)).all(axis=1)
        one, number = crowds[within], np.ravel_multi_index(tuple(there[within].T), tuple(cells.grid))
        other = np.minimum(np.searchsorted(cells.number, number), len(cells.number) - 1)
        once = (cells.number[other] == number) & ((other > one) | ~cells.crowd[other])
        found.append((one[once], other[once]))
    one, other = (np.concatenate(each) for each in zip(*found, strict=True))
    return one, other


def _pairs(
    parent: Ints, positions: Floats, cells: Cells, one: Ints, other: Ints, length: float, sides: Floats
) -> Iterator[tuple[Ints, Ints]]:
    """Yield, in parts, the pairs of rows of two cells that may be friends and are not in one group already."""
    smaller = np.where(cells.counts[one] < cells.counts[other], one, other)
    larger = one + other - smaller
    i = cells.rows[_counted(cells.first[smaller], cells.counts[smaller])]
    cell = np.repeat(larger, cells.counts[smaller])
    sorted_positions = positions[cells.rows]
    low, high = (of.reduceat(sorted_positions, cells.first) for of in (np.minimum, np.maximum))
    outside = np.abs(nearest_image(positions[i] - (low[cell] + high[cell]) / 2, sides)) - (high[cell] - low[cell]) / 2
    near = (np.maximum(outside, 0) ** 2).sum(axis=1) < (1.01 * length) ** 2
    i, cell = i[near], cell[near]
    ends = np.cumsum(cells.counts[cell])
    begin = 0
    while begin < len(i):
        done = ends[begin - 1] if begin > 0 else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + AT_ONCE)))
        here = np.arange(begin, end)
        here = here[parent[i[here]] != parent[cells.rows[cells.first[cell[here]]]]]
        counts = cells.counts[cell[here]]
        yield np.repeat(i[here], counts), cells.rows[_counted(cells.first[cell[here]], counts)]
        begin = end


def _counted(first: Ints, counts: Ints) -> Ints:
    """Return first, first + 1, ... for each, as many as its count."""
    return np.asarray(np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts))


def _distances(positions: Floats, i: Ints, j: Ints, sides: Floats) -> Floats:
    return np.asarray(np.sqrt((nearest_image(positions[i] - positions[j], sides) ** 2).sum(axis=1)))

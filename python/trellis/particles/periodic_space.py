"""Offsets and means of positions, where space may be periodic along any axes.

A mean depends neither on the order of the positions nor on where the faces of the box are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Total = Callable[[Floats], Floats]

EVEN = 1e-9  # length of a mean vector, over the weights, up to which rounding errors alone may give its direction
OPPOSITE = 1e-9  # difference, over a side, up to which a position is as near on one side as on the other


def own(values: Floats) -> Floats:
    """Return sums as they are: those over the positions at hand."""
    return values


def nearest_image(offsets: Floats, sides: Floats) -> Floats:
    """Return offsets between positions as those to the nearest images; sides of open axes are infinite."""
    return np.asarray(offsets - np.where(np.isfinite(sides), sides, 0.0) * np.round(offsets / sides))


def in_box(positions: Floats, low: Floats, sides: Floats) -> Floats:
    """Return positions within a box that is periodic along all axes: from its low faces on, and below its high ones."""
    inside = low + (positions - low) % sides
    return np.where(inside < low + sides, inside, low)  # one that was rounded up to the high face is at the low one


def offsets_from(place: Floats, positions: Floats, box: Floats) -> Floats:
    """Return positions from a place; along periodic axes those of the nearest images."""
    return nearest_image(positions - place, np.ptp(box, axis=0))


def periodic_mean(positions: Floats, weights: Floats, sides: Floats, total: Total = own) -> Floats:
    """Return a mean of positions in a periodic box from 0 to its sides (Bai & Breen 2008).

    The coordinates are angles on circles, whose mean vector points to it. Where the positions are evenly spread, it is
    the middle of the box.
    """
    angles = 2 * np.pi / sides * positions
    sums = [(weights[:, None] * part(angles)).sum(axis=0) for part in (np.sin, np.cos)]
    across, along, weight = total(np.stack([*sums, np.full(len(sides), weights.sum())]))
    even = np.hypot(across, along) <= EVEN * weight
    return np.asarray(sides / (2 * np.pi) * np.where(even, np.pi, np.arctan2(across, along)))


def mean_position(positions: Floats, weights: Floats, box: Floats, total: Total = own) -> Floats:
    """Return the mean position: the plain one along open axes, along periodic ones that of nearest images, in the box.

    Along a periodic axis, images are those nearest to `periodic_mean`. So the mean of positions within half a side is
    exact; evenly spread ones have no such mean.

    Parameters
    ----------
    positions : array, shape (particles, 3)
        Positions, in the box or in any of its images.
    weights : array, shape (particles,)
        Their weights, such as masses, of a sum above 0.
    box : array, shape (2, 3)
        Low and high faces, infinite along open axes.
    total : callable, optional
        Function that returns the sums of all ranks from those of one, if they share the positions.
    """
    low, sides = box[0], np.ptp(box, axis=0)
    axes = np.flatnonzero(np.isfinite(sides))
    about = np.zeros(3)
    about[axes] = low[axes] + periodic_mean(positions[:, axes] - low[axes], weights, sides[axes], total)
    away = nearest_image(positions - about, sides)
    away[np.abs(np.abs(away) - 0.5 * sides) <= np.where(np.isfinite(sides), OPPOSITE * sides, 0.0)] = 0.0
    sums = total(np.append((weights[:, None] * away).sum(axis=0), weights.sum()))
    about += sums[:3] / sums[3]
    about[axes] = in_box(about[axes], low[axes], sides[axes])
    return about


def typical_position(positions: Floats, box: Floats) -> Floats:
    """Return the median along open axes, which few positions far out do not move; along periodic ones the mean."""
    middle = mean_position(positions, np.ones(len(positions)), box)
    return np.where(np.isfinite(np.ptp(box, axis=0)), middle, np.median(positions, axis=0))

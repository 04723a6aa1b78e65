"""Particles and boxes that an analysis is given: one of Gadget's types, and boxes that are periodic along all axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.particles import ParticleSet

Floats = NDArray[np.float64]


def chosen(particles: ParticleSet, kind: int | None) -> NDArray[np.bool_]:
    """Return a mask of the particles of one of Gadget's types, or of all; a ValueError if they have no types."""
    if kind is None:
        return np.ones(len(particles), dtype=np.bool_)
    if "type" not in particles.field_names:
        raise InputError(f"particles of type {kind} are wanted, but there is no column 'type'")
    return np.asarray(particles.column("type") == kind)


def lengths_from_box(box: Floats, what: str) -> Floats:
    """Return the sides of a box; a ValueError, which says what is wanted in it, unless all axes are periodic."""
    sides = np.ptp(box, axis=0)
    if not np.isfinite(sides).all():
        raise InputError(f"{what} is wanted in a box that is not periodic along all axes")
    return np.asarray(sides)


def nearest_image(offsets: Floats, sides: Floats) -> Floats:
    """Return offsets between positions as those to the nearest images."""
    return np.asarray(offsets - sides * np.round(offsets / sides))


def periodic_mean(positions: Floats, weights: Floats, sides: Floats) -> Floats:
    """Return a mean of positions in a periodic box, which does not depend on their order (Bai & Breen 2008).

    The coordinates are angles on circles, whose mean vector points to it. Where the positions are evenly spread, it is
    any position.
    """
    angles = 2 * np.pi / sides * positions
    across, along = ((weights[:, None] * part(angles)).sum(axis=0) for part in (np.sin, np.cos))
    return np.asarray(sides / (2 * np.pi) * np.arctan2(across, along))

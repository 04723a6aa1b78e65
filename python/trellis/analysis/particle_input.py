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

"""Which particles an analysis is of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.particles import ParticleSet


def chosen(particles: ParticleSet, kind: int | None) -> NDArray[np.bool_]:
    """Return a mask of the particles of one of Gadget's types, or of all; a ValueError if they have no types."""
    if kind is None:
        return np.ones(len(particles), dtype=np.bool_)
    if "type" not in particles.field_names:
        raise InputError(f"particles of type {kind} are wanted, but there is no column 'type'")
    return np.asarray(particles.column("type") == kind)

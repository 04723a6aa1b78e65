"""The part of `Coulomb` that its mesh leaves to pairs, as an interaction of short range."""

from __future__ import annotations

from typing import Any

from trellis import _core
from trellis.interactions.decorator import interaction
from trellis.interactions.forces import NeighbourInteraction
from trellis.interactions.graphs.functions import dot, maximum, rsqrt, sqrt

_SETTINGS = ("coupling", "softening", "precision", "device")


def coulomb_within_cutoff(force: _core.Coulomb, cutoff: float) -> NeighbourInteraction:
    """Return the force of pairs nearer than the cutoff, from which on the mesh has the whole force."""
    given = {name: value for name, value in force.settings.items() if name in _SETTINGS and value is not None}
    made: Any = _charges(**given, cutoff=cutoff)
    found: NeighbourInteraction = made
    return found


@interaction
def _charges(i: Any, j: Any, out: Any, *, coupling: float, softening: float, cutoff: float) -> None:
    """Add the slopes of 1 / sqrt(r^2 + softening^2) and of -L(r), L that of S2: see long_range_part.hpp."""
    d = i.position - j.position
    r2 = dot(d, d)
    x = 2 * sqrt(r2) / cutoff
    beyond = maximum(x, 1)
    inner = 8 / 5 - x**2 * (8 / 5 - x * (1 / 2 + x * (12 / 35 - x * (3 / 20))))
    outer = (beyond - 1) ** 6 * (3 / 35 + beyond * (18 / 35 + beyond / 5)) / beyond**3
    pull = rsqrt(r2 + softening**2) ** 3 - (2 / cutoff) ** 3 * (inner + outer)
    out.acceleration += coupling * i.charge * j.charge / i.mass * pull * d

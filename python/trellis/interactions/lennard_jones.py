"""`LennardJones` as a pair potential."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from trellis import _core
from trellis.interactions.forces import NeighbourInteraction
from trellis.interactions.graphs.functions import where
from trellis.interactions.potential import pair_potential, switched_off

_SETTINGS = ("exclude", "precision", "device")


def as_pair_potential(force: _core.LennardJones) -> NeighbourInteraction:
    """Return the force of the same energies, with the same excluded pairs, precision and devices.

    Atoms of several kinds need the field ``kind``.
    """
    settings: dict[str, Any] = force.settings
    pairs = tuple(map(tuple, force.pair_parameters()))
    ratio = (settings["switch_distance"] or 0.0) / settings["cutoff"]
    made = _made(settings["truncation"], ratio, pairs, settings["kinds"] is not None)
    given = {name: settings[name] for name in _SETTINGS if settings[name] is not None}
    found: NeighbourInteraction = made.interaction(**made.given, **given)
    return found


@lru_cache(maxsize=16)  # a potential is traced and compiled, which takes as long as many steps of a small system
def _made(truncation: str, switch_ratio: float, pairs: Any, by_kinds: bool) -> Any:
    """Return the force with no settings. pairs: epsilon, sigma and cutoff of each pair of kinds."""

    def lennard_jones(r: Any, epsilon: Any, sigma: Any, reach: Any) -> Any:
        near, at_end = (sigma / r) ** 6, (sigma / reach) ** 6
        u = 4 * epsilon * near * (near - 1)
        if truncation == "switched":
            u *= switched_off(r, switch_ratio * reach, reach)
        elif truncation != "plain":
            u -= 4 * epsilon * at_end * (at_end - 1)
        if truncation == "force-shifted":
            u += 24 * epsilon * at_end * (2 * at_end - 1) * (r / reach - 1)
        return where(r < reach, u, 0)

    values = np.moveaxis(np.array(pairs), 2, 0)
    given = zip(("epsilon", "sigma", "reach"), values if by_kinds else values[:, 0, 0], strict=True)
    return pair_potential(lennard_jones, cutoff=float(values[2].max()), **dict(given))

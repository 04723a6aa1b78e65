"""The force that computes the virial tensor of a force between pairs."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from trellis import _core
from trellis.interactions.forces import NeighbourInteraction
from trellis.interactions.interaction import Interaction
from trellis.interactions.lennard_jones import as_pair_potential

_made: WeakKeyDictionary[Interaction, Any] = WeakKeyDictionary()  # compiled once


def tensor_by_pairs(force: _core.Force) -> NeighbourInteraction | None:
    """Return the force whose results are `ROWS` of its tensor; None if it is no sum over pairs within a cutoff."""
    if isinstance(force, _core.LennardJones):
        force = as_pair_potential(force)
    if not isinstance(force, NeighbourInteraction):
        return None
    interaction: Interaction = force.interaction
    if interaction not in _made:
        made = interaction.virial_tensor()
        if made is None:
            return None
        _made[interaction] = made
    tensor: NeighbourInteraction = _made[interaction](**{**force.given, "lists": "rebuild"})  # they serve once
    return tensor

"""Notes about forces: hardly those that were meant, or others than those of a checkpoint."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Sequence
from typing import Any

from trellis import _core
from trellis.forces import StepLimit
from trellis.particles import ParticleSet

SOFTENING = "softening"
HOW = {
    *("accuracy", "theta", "criterion", "method", "mesh_cells", "mesh_cutoff", "order", "group_size", "leaf_size"),
    *("precision", "tune_sizes", "lists", "reuse_steps", "opening_growth", "trust_reuse_steps", "compress", "send"),
    *("let", "device", "skin", "skin_ratio", "neighbours_device", "courant"),
}
"""Settings that say how a force is computed, not what it is."""

LIMITLESS = (_core.LennardJones, _core.NeighbourPairs, _core.TuplePotential)
"""Forces that allow steps of any length."""


def note_forces(particles: ParticleSet, forces: Sequence[_core.Force], timestep: float | None) -> None:
    """Warn of forces that act twice, of steps that a force does not limit, and of softening lengths that none reads."""
    acting = [force for force in forces if not isinstance(force, StepLimit)]
    texts = [_text(force) for force in acting]
    for k, force in enumerate(acting):
        if texts[k] in texts[:k]:
            _note(f"{force} is among the forces twice, and acts twice")
    limitless = [force for force in acting if isinstance(force, LIMITLESS)]
    if timestep is None and limitless and len(acting) == len(forces):
        _note(
            f"{limitless[0]} limits no steps, and those that the other forces allow may be too long for it: a"
            " tr.StepLimit among the forces says how long they may be"
        )
    if SOFTENING not in particles.field_names or not particles.column(SOFTENING).any():
        return
    for force in forces:
        if isinstance(force, _core.Gravity) and isinstance(force.settings[SOFTENING], float):
            _note(
                f"the particles have a column 'softening', but {force} does not read it: Gravity(softening='particles')"
                " does"
            )


def force_marks(forces: Sequence[_core.Force]) -> list[str]:
    """Return a mark of each force, the same on all ranks: a force with another mark has other results.

    The marks do not show what is in functions of Python, nor arrays of bonds but for their shape.
    """
    return [_mark(force) for force in forces if not isinstance(force, StepLimit)]


def _mark(force: Any) -> str:
    kind = type(force)
    text = re.sub(" at 0x[0-9a-f]+", "", repr(force))  # the address of a callable object
    if kind.__module__ == _core.__name__:
        text = str({name: str(value) for name, value in force.settings.items() if name not in HOW})
    return f"{kind.__name__} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _text(force: Any) -> str:
    """Return a text by which forces differ: repr shortens long lists."""
    kind = type(force)
    return f"{kind.__name__} {force.settings}" if kind.__module__ == _core.__name__ else repr(force)


def _note(text: str) -> None:
    warnings.warn(text, stacklevel=6)  # where the simulation is made

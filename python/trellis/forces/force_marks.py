"""Texts and marks by which forces differ: a checkpoint has the marks of its forces."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from trellis import _core
from trellis.forces.step_limit import StepLimit

HOW = {
    *("accuracy", "theta", "criterion", "method", "mesh_cells", "mesh_cutoff", "order", "group_size", "leaf_size"),
    *("precision", "tune_sizes", "lists", "reuse_steps", "opening_growth", "trust_reuse_steps", "compress", "send"),
    *("let", "device", "skin", "skin_ratio", "neighbours_device", "courant"),
}
"""Settings that say how a force is computed, not what it is."""


def force_marks(forces: Sequence[_core.Force]) -> list[str]:
    """Return a mark of each force, the same on all ranks: a force with another mark has other results.

    The marks do not show what is in functions of Python, nor arrays of bonds but for their shape.
    """
    return [_mark(force) for force in forces if not isinstance(force, StepLimit)]


def text_of(force: Any) -> str:
    """Return a text by which forces differ, also in long lists, which repr shortens."""
    return f"{type(force).__name__} {force.settings}" if _is_of_core(force) else repr(force)


def _mark(force: Any) -> str:
    if _is_of_core(force):
        text = str({name: str(value) for name, value in force.settings.items() if name not in HOW})
    else:
        text = re.sub(" at 0x[0-9a-f]+", "", repr(force))  # the address of a callable object
    return f"{type(force).__name__} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _is_of_core(force: Any) -> bool:
    return type(force).__module__ == _core.__name__

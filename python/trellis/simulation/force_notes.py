"""Notes about forces that are hardly those that were meant."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from trellis import _core
from trellis.forces import StepLimit
from trellis.particles import ParticleSet

SOFTENING = "softening"


def note_forces(particles: ParticleSet, forces: Sequence[_core.Force]) -> None:
    """Warn of a force that acts twice, and of softening lengths of the particles that gravity does not read."""
    texts = [repr(force) for force in forces if not isinstance(force, StepLimit)]
    for k, text in enumerate(texts):
        if text in texts[:k]:
            _note(f"{text} is among the forces twice, and acts twice")
    if SOFTENING not in particles.field_names or not particles.column(SOFTENING).any():
        return
    for force in forces:
        if isinstance(force, _core.Gravity) and isinstance(force.settings[SOFTENING], float):
            _note(
                f"the particles have a column 'softening', but {force} does not read it: Gravity(softening='particles')"
                " does"
            )


def _note(text: str) -> None:
    warnings.warn(text, stacklevel=6)  # where the simulation is made

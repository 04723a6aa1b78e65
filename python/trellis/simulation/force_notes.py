"""Notes about forces that are hardly those that were meant."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from trellis import _core
from trellis.forces import StepLimit
from trellis.forces.force_marks import text_of
from trellis.particles import ParticleSet

SOFTENING = "softening"

LIMITLESS = (_core.LennardJones, _core.NeighbourPairs, _core.TuplePotential)
"""Forces that allow steps of any length."""


def note_forces(particles: ParticleSet, forces: Sequence[_core.Force], timestep: float | None) -> None:
    """Warn of forces that act twice, of steps that a force does not limit, and of softening lengths that none reads."""
    acting = [force for force in forces if not isinstance(force, StepLimit)]
    texts = [text_of(force) for force in acting]
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


def _note(text: str) -> None:
    warnings.warn(text, stacklevel=6)  # where the simulation is made

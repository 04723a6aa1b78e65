"""Notes about forces that are hardly those that were meant."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from trellis import _core
from trellis.forces import StepLimit
from trellis.forces.force_marks import text_of
from trellis.interactions.forces import TreeInteraction
from trellis.particles import ParticleSet

SOFTENING = "softening"
LIMITLESS = (_core.LennardJones, _core.NeighbourPairs, _core.TuplePotential)
"""Forces that allow steps of any length."""


def note_forces(particles: ParticleSet, forces: Sequence[_core.Force], timestep: float | None) -> None:
    """Warn of forces that act twice or wrongly, of steps that none limits, and of softenings that none reads."""
    acting = [force for force in forces if not isinstance(force, StepLimit)]
    softened = SOFTENING in particles.field_names and bool(particles.column(SOFTENING).any())
    limitless = [force for force in acting if isinstance(force, LIMITLESS)]
    texts = [text_of(force) for force in acting]
    for k, force in enumerate(acting):
        if texts[k] in texts[:k]:
            _note(f"{force} is among the forces twice, and acts twice")
        results = force.results_of_pairs_alone() if isinstance(force, TreeInteraction) else []
        if results:
            _note(
                f"{force} is not linear in what it reads of j, but a far cell acts with the sums over its particles:"
                f" {' and '.join(results)} will be wrong where cells act (theta=1e-6, or a cutoff, has all pairs"
                " computed)"
            )
        if softened and isinstance(force, _core.Gravity) and isinstance(force.settings[SOFTENING], float):
            _note(
                f"the particles have a column 'softening', but {force} does not read it: Gravity(softening='particles')"
                " does"
            )
    if timestep is None and limitless and len(acting) == len(forces):
        _note(
            f"{limitless[0]} limits no steps, and those that the other forces allow may be too long for it: a"
            " tr.StepLimit among the forces says how long they may be"
        )


def _note(text: str) -> None:
    warnings.warn(text, stacklevel=6)  # where the simulation is made

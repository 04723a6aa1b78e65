"""Notes about forces and thermostats that are hardly those that were meant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trellis import _core
from trellis.forces import StepLimit
from trellis.forces.force_marks import text_of
from trellis.interactions.forces import TreeInteraction
from trellis.notes import warn
from trellis.parallel import gather
from trellis.particles import ParticleSet
from trellis.particles.known_fields import fixed_rows
from trellis.simulation.diagnostics import axes_of

SOFTENING = "softening"
LIMITLESS = (_core.LennardJones, _core.NeighbourPairs, _core.TuplePotential)
"""Forces that allow steps of any length."""
UNCHARGED = (_core.LennardJones, _core.TuplePotential, _core.Gravity)
"""Forces that read no charges; nor kinds, but for Lennard-Jones atoms of several."""


def note_start(
    particles: ParticleSet,
    forces: Sequence[_core.Force],
    timestep: float | None,
    thermostat: _core.Thermostat | None,
) -> None:
    """Warn of what forces and a thermostat hardly do as it was meant; all ranks call this."""
    _note_forces(particles, forces, timestep)
    _note_columns_unread(particles, [force for force in forces if not isinstance(force, StepLimit)])
    _note_bath(particles, thermostat)


def _note_forces(particles: ParticleSet, forces: Sequence[_core.Force], timestep: float | None) -> None:
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
    constants = [(getattr(force, "settings", {}).get("G"), force) for force in acting]
    known = [(constant, force) for constant, force in constants if constant is not None]
    for constant, force in known:
        if constant != known[0][0]:
            _note(f"{known[0][1]} has G = {known[0][0]:g}, but {force} has G = {constant:g}: units have one constant")
    if timestep is None and limitless and len(acting) == len(forces):
        _note(
            f"{limitless[0]} limits no steps, and those that the other forces allow may be too long for it: a"
            " tr.StepLimit among the forces says how long they may be"
        )


def _note_columns_unread(particles: ParticleSet, acting: Sequence[_core.Force]) -> None:
    """Warn of charges and kinds of atoms that no force reads."""
    atoms = next((force for force in acting if isinstance(force, _core.LennardJones)), None)
    if atoms is None or not all(isinstance(force, (*UNCHARGED, _core.Coulomb)) for force in acting):
        return
    charged = "charge" in particles.field_names and bool(particles.column("charge").any())
    if charged and not any(isinstance(force, _core.Coulomb) for force in acting):
        _note("the particles have charges, which no force reads: tr.Coulomb does")
    of_kinds = "kind" in particles.field_names and len(particles) > 0 and np.ptp(particles.column("kind")) > 0
    if of_kinds and atoms.settings["kinds"] is None:
        _note(f"the particles are of several kinds, but {atoms} has one: LennardJones(kinds=...) has more")


def _note_bath(particles: ParticleSet, thermostat: _core.Thermostat | None) -> None:
    """Warn of a thermostat along axes along which nothing moves, and of one that cannot begin any motion."""
    if thermostat is None:
        return
    free = ~fixed_rows(particles)
    if sum(gather(int(free.sum()))) < 2:
        return
    columns = particles.position[free], particles.velocity[free]
    own = [(each.min(axis=0, initial=np.inf), each.max(axis=0, initial=-np.inf)) for each in columns]
    of_all = np.array(gather(own))  # ranks, columns, least and largest, axes
    spread = of_all[:, :, 1].max(axis=0) - of_all[:, :, 0].min(axis=0)
    axes = axes_of(thermostat)
    still = "".join(axis for k, axis in enumerate("xyz") if not spread[:, k].any() and axis in axes)
    left = "".join(axis for axis in axes if axis not in still)
    if still and left and spread[1].any():
        _note(
            f"along {still} the particles have one position and one velocity, but {thermostat} counts degrees of"
            f" freedom there: with axes='{left}' it does not, and leaves the particles where they are along {still}"
        )
    if isinstance(thermostat, _core.NoseHoover) and not spread[1].any():
        _note(f"all velocities are the same: {thermostat} scales them, and cannot set particles in motion: give some")


def _note(text: str) -> None:
    warn(text)

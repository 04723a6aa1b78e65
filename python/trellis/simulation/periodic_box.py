"""Forces in a periodic box: gravity by the method that takes least time there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from trellis import _core
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet

LONGEST_SOFTENING = 0.03
"""The longest softening over the mean distance of particles that may be left out beyond the cutoff of a mesh, at an
accuracy of 1e-3; the square of it, by which forces change there, is as the accuracy."""

TOO_LONG = 0.1
"""The same of a mesh that is asked for: beyond it there is a note. The error is that of the accuracy at about 0.14."""

HEAVIEST = 4
"""The mass of the heaviest particle over the mean up to which a mesh with cells for all particles is accurate."""


def forces_in_box(
    forces: Sequence[_core.Force], particles: ParticleSet, devices: _core.DeviceOptions
) -> list[_core.Force]:
    """Return the forces; in a box that is periodic along all axes, gravity without a method is by a mesh and a tree.

    At the accuracies that a mesh serves it has fewer pairs than all images have, near an even density by a factor of
    ten or more (docs/mesh.md). Adaptive softening of a gas knows no mesh; on devices one must be asked for. Long
    softenings act beyond its cutoff, where it has none; heavy particles among light ones, as in a zoom, are farther
    apart than its cells.
    """
    adaptive = any(
        isinstance(force, _core.Sph) and force.settings["adaptive_softening"] is not None for force in forces
    )
    if adaptive or not np.isfinite(particles.box).all():
        return list(forces)
    of_ranks = world.gather((len(particles), float(particles.mass.sum()), float(np.max(particles.mass, initial=0.0))))
    counts, masses, heaviest = (np.array(each) for each in zip(*of_ranks, strict=True))
    low, high = particles.box
    spacing = float(np.cbrt((high - low).prod() / max(1, counts.sum())))
    for force in forces:
        _note_softening(force, particles, spacing)
    if heaviest.max() * counts.sum() > HEAVIEST * masses.sum():
        return list(forces)

    def in_box(force: _core.Force) -> _core.Force:
        if not isinstance(force, _core.Gravity) or not _on_host(force, devices):
            return force
        suits = _softening_of(force, particles) <= LONGEST_SOFTENING * spacing * np.sqrt(_finest_accuracy(force) / 1e-3)
        return force.in_periodic_box() if suits else force

    return [in_box(force) for force in forces]


def _note_softening(force: _core.Force, particles: ParticleSet, spacing: float) -> None:
    """Warn of a softening that is too long for the mesh of this force."""
    if not isinstance(force, _core.Coulomb | _core.Gravity):
        return
    if isinstance(force, _core.Gravity) and force.settings["method"] != "treepm":
        return
    softening = _softening_of(force, particles)
    if softening > TOO_LONG * spacing * np.sqrt(_finest_accuracy(force) / 1e-3):
        warn(
            f"softening is {softening:g}, {softening / spacing:.2g} of the mean distance of particles, but beyond its"
            f" cutoff the mesh of {force} has none: its error is more than the accuracy"
            + ("; methods 'fmm' and 'tree' soften all images" if isinstance(force, _core.Gravity) else "")
        )


def _on_host(force: _core.Gravity, devices: _core.DeviceOptions) -> bool:
    return (force.settings["device"] or devices.settings["device"]) in ("host", ["host"])


def _finest_accuracy(force: _core.Gravity | _core.Coulomb) -> float:
    accuracy = force.settings["accuracy"]
    if isinstance(accuracy, int | float):
        return float(accuracy)
    return min(each for _, each in cast(Sequence[tuple[float, float]], accuracy))


def _softening_of(force: _core.Gravity | _core.Coulomb, particles: ParticleSet) -> float:
    """Return the longest softening of a force; all ranks call this."""
    softening = force.settings["softening"]
    if isinstance(softening, dict):
        return float(max(softening.values()))
    if isinstance(softening, int | float):
        return float(softening)
    own = particles.softening if "softening" in particles.field_names else ()
    return max(world.gather(float(np.max(own, initial=0.0))))

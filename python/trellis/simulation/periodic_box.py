"""Forces in a periodic box: gravity by the method that takes least time there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trellis import _core
from trellis.particles import ParticleSet


def forces_in_box(
    forces: Sequence[_core.Force], particles: ParticleSet, devices: _core.DeviceOptions
) -> list[_core.Force]:
    """Return the forces; in a box that is periodic along all axes, gravity without a method is by a mesh and a tree.

    At the accuracies that a mesh serves it has fewer pairs than all images have, near an even density by a factor of
    ten or more (docs/mesh.md). Adaptive softening of a gas and devices know no mesh.
    """
    on_host = devices.settings["device"] in ("host", ["host"])
    adaptive = any(
        isinstance(force, _core.Sph) and force.settings["adaptive_softening"] is not None for force in forces
    )
    if not on_host or adaptive or not np.isfinite(particles.box).all():
        return list(forces)
    return [force.in_periodic_box() if isinstance(force, _core.Gravity) else force for force in forces]

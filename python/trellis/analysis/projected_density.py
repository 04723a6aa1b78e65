"""The density of a slice of a periodic box, seen along an axis."""

from __future__ import annotations

import numpy as np

from trellis.analysis.mesh_assignment import assigned, check_cells
from trellis.analysis.particle_input import Floats, chosen, lengths_from_box
from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.parallel import world
from trellis.particles import ParticleSet

PLANES = ("xy", "xz", "yz", "yx", "zx", "zy")


@checked_arguments()
@world.collective
def projected_density(
    particles: ParticleSet,
    cells: int = 256,
    *,
    plane: str = "xy",
    depth: float = 1.0,
    type: int | None = None,  # noqa: A002
) -> Floats:
    """Mass over area of a slice about the middle of a periodic box, by a triangular cloud for each particle.

    Under mpirun all ranks call this, and all have the same result.

    Parameters
    ----------
    particles : ParticleSet
        Particles in a box that is periodic along all axes.
    cells : int
        Points along each of the two axes; the first is at the box's low face.
    plane : str
        The axes across and up, such as ``"xy"``.
    depth : float
        Thickness of the slice over that of the box, above 0 and at most 1.
    type : int, optional
        Gadget's number of the type of particles, if not all.

    Returns
    -------
    array, shape (cells, cells)
        Mass over area (mass / length^2), rows along the second axis of the plane.

    Raises
    ------
    ValueError
        If the box is not periodic along all axes, or an argument is out of its range.
    """
    if plane not in PLANES:
        raise InputError(f"plane is '{plane}', but must be one of {', '.join(PLANES)}")
    if not 0 < depth <= 1:
        raise InputError(f"depth is {depth}, but must be above 0 and at most 1")
    check_cells(cells)
    sides = lengths_from_box(particles.box, "a projected density")
    positions = (particles.position - particles.box[0]) / sides % 1.0
    across, up = ("xyz".index(axis) for axis in plane)
    rows = chosen(particles, type) & (np.abs(positions[:, 3 - across - up] - 0.5) <= 0.5 * depth)
    mass = assigned(positions[rows][:, [up, across]], particles.mass[rows], cells, 3)
    return np.asarray(sum(world.gather(mass)) * (cells**2 / (sides[across] * sides[up])))

"""Notes at a start on a fixed time step that is too long for the particles."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet, nearest
from trellis.particles.known_fields import fixed_rows
from trellis.particles.periodic_space import nearest_image

LONGER = 3.0
"""Largest number of times by which a step may exceed what the forces allow at the start: their limit is cautious."""
STEPS_AN_ORBIT = 20.0
"""Steps that a close pair needs in an orbit at the distance of its pericentre; leapfrog loses it with fewer."""


class ClosePair(NamedTuple):
    """Two particles that are bound to each other, and do not orbit slowly.

    Attributes
    ----------
    period : float
        Period of a circular orbit at the distance of their pericentre, or at the softening if that is larger.
    distance : float
        That distance.
    ids : tuple of int
        The two particles.
    """

    period: float
    distance: float
    ids: tuple[int, int]


def note_long_steps(
    core: _core.Simulation | _core.ResidentSimulation,
    particles: ParticleSet,
    forces: Iterable[_core.Force],
    timestep: float,
) -> None:
    """Warn if particles at a start cannot be followed with steps of this length; all ranks call this."""
    allowed = core.longest_step() if isinstance(core, _core.Simulation) else math.inf
    if timestep > LONGER * allowed and world.rank() == 0:
        warn(
            f"timestep is {timestep:g}, but the forces at the start allow {allowed:.2g}: such steps do not follow the"
            " fastest particles (shorter ones do, or a larger softening, or steps that are chosen)"
        )
    for force in forces:
        if isinstance(force, _core.Gravity):
            known = particles.acceleration if isinstance(core, _core.Simulation) else None
            _note_close_pair(closest_pair(particles, force, STEPS_AN_ORBIT * timestep, known), timestep)


def closest_pair(
    particles: ParticleSet, gravity: _core.Gravity, longest: float, accelerations: NDArray[np.float64] | None
) -> ClosePair | None:
    """Return the bound pair of this rank's neighbours with the shortest period, if that is below `longest`.

    Where accelerations are known, neighbours are no pair if others pull them apart half as strongly or more as they
    attract each other: in a lattice at rest none falls together.
    """
    if len(particles) < 2:
        return None
    G = float(gravity.settings["G"])  # type: ignore[arg-type]
    softening = _softenings(particles, gravity)
    heaviest = 2.0 * float(particles.mass.max())
    if _period(float(softening.min()), G * heaviest) >= longest:
        return None  # no pair of these masses orbits as fast
    table = nearest(particles, 1)
    other = table.rows[:, 0]
    apart = nearest_image(particles.position[other] - particles.position, np.ptp(particles.box, axis=0))
    velocity = particles.velocity[other] - particles.velocity
    attraction = G * (particles.mass + particles.mass[other])
    softened = np.maximum(softening, softening[other])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # particles at one place
        energy = 0.5 * (velocity**2).sum(axis=1) - attraction / np.hypot(table.distances[:, 0], softened)
        axis = -attraction / (2 * energy)
        spin = (np.cross(apart, velocity) ** 2).sum(axis=1)
        eccentricity = np.sqrt(np.clip(1 - spin / (attraction * axis), 0, 1))
        distance = np.maximum(axis * (1 - eccentricity), softened)
        periods = 2 * np.pi * distance * np.sqrt(distance / attraction)
        if accelerations is not None:
            own = attraction * (apart**2).sum(axis=1) / np.hypot(table.distances[:, 0], softened) ** 3
            periods[-((accelerations[other] - accelerations) * apart).sum(axis=1) < own / 2] = np.inf
    fixed = fixed_rows(particles)
    periods[~((energy < 0) & np.isfinite(periods)) | (fixed & fixed[other])] = np.inf
    row = int(periods.argmin())
    if periods[row] >= longest:
        return None
    ids = (int(particles.id[row]), int(particles.id[other[row]]))
    return ClosePair(float(periods[row]), float(distance[row]), (min(ids), max(ids)))


def _softenings(particles: ParticleSet, gravity: _core.Gravity) -> NDArray[np.float64]:
    softening = gravity.settings["softening"]
    if isinstance(softening, (int, float)):
        return np.full(len(particles), float(softening))
    return np.asarray(particles.column("softening"))


def _period(distance: float, attraction: float) -> float:
    return 2 * math.pi * distance * math.sqrt(distance / attraction) if attraction > 0 else math.inf


def _note_close_pair(own: ClosePair | None, timestep: float) -> None:
    found = [pair for pair in world.gather(own) if pair is not None]
    if not found or world.rank() > 0:
        return
    pair = min(found)
    bound = f"the particles of id {pair.ids[0]} and {pair.ids[1]} are bound to each other and"
    if pair.distance == 0:
        warn(f"{bound} fall into each other: no step follows that without a softening")
        return
    warn(
        f"{bound} come as near as {pair.distance:.2g}, where an orbit takes {pair.period:.2g}: steps of {timestep:g}"
        f" do not follow that ({pair.period / STEPS_AN_ORBIT:.2g} or less does, or a larger softening)"
    )

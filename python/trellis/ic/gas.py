"""The columns of a gas and its box, shared by the problems of gas."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from trellis.ic.glass import Floats
from trellis.particles import ParticleSet

NEIGHBOURS = 64
COLD = 1e-6
"""Internal energy of gas that has none in the problem: codes divide by its speed of sound."""


def gas(
    position: Floats,
    *,
    mass: float,
    density: ArrayLike,
    internal_energy: ArrayLike,
    velocity: ArrayLike = 0.0,
    dimensions: int = 3,
) -> ParticleSet:
    """Gas particles of one mass.

    Parameters
    ----------
    position : array, shape (N, 3)
        Positions.
    mass : float
        Mass of each.
    density : array_like, shape (N,), or one number
        Density where they are, by which the first guess of their smoothing lengths goes: 64 neighbours in 3D, the same
        number of particle distances in fewer dimensions.
    internal_energy : array_like, shape (N,), or one number
        Internal energy of a unit of mass.
    velocity : array_like, shape (N, 3), or one number
        Velocities.
    dimensions : int
        Dimensions of space; the density is a mass per length, area or volume.
    """
    lengths = smoothing_length(mass, density, dimensions)
    return ParticleSet.from_columns(
        position=position, mass=mass, velocity=velocity, internal_energy=internal_energy, smoothing_length=lengths
    )


def smoothing_length(mass: float, density: ArrayLike, dimensions: int = 3) -> Floats:
    """Radius of the sphere in 3D that has 64 particles at the mean distance (mass / density)^(1 / dimensions)."""
    distance = (mass / np.asarray(density, dtype=np.float64)) ** (1.0 / dimensions)
    return np.asarray(np.cbrt(NEIGHBOURS * 3.0 / (4.0 * np.pi)) * distance, dtype=np.float64)


def in_box(particles: ParticleSet, low: tuple[float, ...], high: tuple[float, ...]) -> ParticleSet:
    """Make space periodic from face to face along the first axes; it stays open along those that have no faces here."""
    faces = np.array([[-np.inf] * 3, [np.inf] * 3])
    faces[:, : len(low)] = low, high
    particles.box = faces
    return particles

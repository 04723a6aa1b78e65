"""Sums over the particles of a simulation other than energies: momenta, temperature, pressure."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.parallel import collective, gather
from trellis.particles import ParticleSet


class Moving(Protocol):
    """The part of a simulation that the sums need."""

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now."""

    def _begin(self) -> None:
        """Compute the forces if they are not known yet."""


class Diagnostics:
    """Sums of a `Simulation`; all ranks call these and get the same."""

    @collective
    def particle_count(self: Moving) -> int:
        """Return the number of particles, on all ranks."""
        return _count(self.particles)

    @collective
    def pressure(self: Moving) -> float:
        """Return the pressure (2 T + sum over pairs of r.f) / 3 V in a box that is periodic along all axes.

        Of forces that have a virial, such as `LennardJones`; ValueError where none does.
        """
        self._begin()
        return _core.pressure(self.particles)

    @collective
    def temperature(self: Moving) -> float:
        """Return the temperature 2 T / 3 N as an energy, k T: that of 3 N degrees of freedom."""
        return 2.0 * _core.kinetic_energy(self.particles) / (3 * _count(self.particles))

    @collective
    def momentum(self: Moving) -> NDArray[np.float64]:
        """Return the total momentum, shape (3,)."""
        return _core.momentum(self.particles)

    @collective
    def angular_momentum(self: Moving) -> NDArray[np.float64]:
        """Return the total angular momentum about the origin, shape (3,)."""
        return _core.angular_momentum(self.particles)

    @collective
    def centre_of_mass(self: Moving) -> NDArray[np.float64]:
        """Return the centre of mass, shape (3,)."""
        return _core.centre_of_mass(self.particles)


def _count(particles: ParticleSet) -> int:
    return sum(gather(len(particles)))

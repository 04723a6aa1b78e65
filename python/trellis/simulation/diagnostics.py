"""Sums over the particles of a simulation that are no energies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.parallel import world
from trellis.parallel.world import collective
from trellis.particles import ParticleSet


class Sums:
    """Momenta and the like, part of a `Simulation`; all ranks call these and get the same."""

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Make sure that the forces are known."""
        raise NotImplementedError

    @collective
    def particle_count(self) -> int:
        """Return the number of particles, on all ranks."""
        return self._particle_count()

    def _particle_count(self) -> int:
        return sum(world.gather(len(self.particles)))

    @collective
    def pressure(self) -> float:
        """Return the pressure (2 T + sum over pairs of r.f) / 3 V in a box that is periodic along all axes.

        Of forces that have a virial, such as `LennardJones`; ValueError where none does.
        """
        self._begin()
        return _core.pressure(self.particles)

    @collective
    def temperature(self) -> float:
        """Return the temperature 2 T / 3 N as an energy, k T: that of 3 N degrees of freedom."""
        return 2.0 * _core.kinetic_energy(self.particles) / (3 * self._particle_count())

    @collective
    def momentum(self) -> NDArray[np.float64]:
        """Return the total momentum, shape (3,)."""
        return _core.momentum(self.particles)

    @collective
    def angular_momentum(self) -> NDArray[np.float64]:
        """Return the total angular momentum about the origin, shape (3,)."""
        return _core.angular_momentum(self.particles)

    @collective
    def centre_of_mass(self) -> NDArray[np.float64]:
        """Return the centre of mass, shape (3,)."""
        return _core.centre_of_mass(self.particles)

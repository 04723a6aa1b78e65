"""Properties of the particles of a simulation beside energies: momenta, temperature, pressure, neighbours, errors."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.parallel import collective, gather
from trellis.particles import ParticleSet
from trellis.particles.neighbour_search import Neighbours, neighbours
from trellis.simulation.threads import in_turn


class Moving(Protocol):
    """The part of a simulation that the sums need."""

    _lock: Any
    forces: list[_core.Force]

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now."""

    @property
    def time(self) -> float:
        """Time of the particles."""

    def _begin(self) -> None:
        """Compute the forces if they are not known yet."""


class Diagnostics:
    """Sums of a `Simulation`; all ranks call these and get the same."""

    @in_turn
    @collective
    def particle_count(self: Moving) -> int:
        """Return the number of particles, on all ranks."""
        return _count(self.particles)

    @in_turn
    @collective
    def pressure(self: Moving) -> float:
        """Return the pressure (2 T + sum over pairs of r.f) / 3 V in a box that is periodic along all axes.

        Of forces that have a virial, such as `LennardJones`; ValueError where none does.
        """
        self._begin()
        return _core.pressure(self.particles)

    @in_turn
    @collective
    def temperature(self: Moving) -> float:
        """Return the temperature 2 T / 3 N as an energy, k T: that of 3 N degrees of freedom."""
        return 2.0 * _core.kinetic_energy(self.particles) / (3 * _count(self.particles))

    @in_turn
    @collective
    def momentum(self: Moving) -> NDArray[np.float64]:
        """Return the total momentum, shape (3,)."""
        return _core.momentum(self.particles)

    @in_turn
    @collective
    def angular_momentum(self: Moving) -> NDArray[np.float64]:
        """Return the total angular momentum about the origin, shape (3,)."""
        return _core.angular_momentum(self.particles)

    @in_turn
    @collective
    def centre_of_mass(self: Moving) -> NDArray[np.float64]:
        """Return the centre of mass, shape (3,)."""
        return _core.centre_of_mass(self.particles)

    def neighbours(self: Moving, radius: ArrayLike, search: str = "gather") -> Neighbours:
        """Find the particles within a radius of each particle: see `trellis.neighbours`."""
        return neighbours(self.particles, radius, search)

    @checked_arguments()
    @in_turn
    @collective
    def force_error(self: Moving, count: int = 1000, *, seed: int = 0) -> dict[str, float]:
        """Relative error of the accelerations of some particles against direct double-precision summation.

        Parameters
        ----------
        count : int
            Number of particles, drawn at random.
        seed : int
            Seed of the draw.

        Returns
        -------
        dict
            The errors' ``rms``, ``median``, ``percentile_99`` and ``maximum``.
        """
        self._begin()
        return _core.force_error(self.particles, self.forces, count, seed, self.time)


def _count(particles: ParticleSet) -> int:
    return sum(gather(len(particles)))

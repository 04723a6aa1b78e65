"""The energies of a simulation at one moment."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from trellis import _core
from trellis._core import Force, RotatingBar, Sph
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.known_fields import fixed_rows
from trellis.simulation.gas_checks import isothermal

SHARE = 0.1  # an error is relative to at least this share of the sizes of all kinds of energy together


@dataclass(frozen=True)
class Energies:
    """Sums over the particles of all ranks, in the units of the particles.

    Attributes
    ----------
    kinetic : float
        Kinetic energy, without that of fixed particles.
    potential : float
        Potential energy of the forces between particles.
    external : float
        Potential energy in external fields.
    internal : float
        Sum of mass times the field ``internal_energy``, of an isothermal gas ``isothermal_energy``; 0 without it.
    bath : float
        Energy that the thermostat, and the barostat's moves of the volume, have taken; 0 without them.
    initial : float
        Conserved energy at the start, and what particles have brought or taken that were added or removed since.
    expansion : float
        In expanding space, the integral of K da since the start, K being the kinetic energy of peculiar velocities; 0
        elsewhere. There `kinetic` is a K and `potential` that in comoving coordinates, so that `conserved` does not
        change (Layzer 1963, Irvine 1961).
    """

    kinetic: float
    potential: float
    external: float
    internal: float
    bath: float
    initial: float
    expansion: float = 0.0

    @classmethod
    def of(cls, particles: ParticleSet, forces: Iterable[Force], bath: float, initial: float) -> Energies:
        """Return the energies of particles under forces, this rank's and all others'; all ranks call this."""
        return cls(
            kinetic=_core.kinetic_energy(particles),
            potential=_core.potential_energy(particles),
            external=_core.external_energy(particles),
            internal=internal_energy(particles, forces),
            bath=bath,
            initial=initial,
        )

    def noted(self, particles: ParticleSet) -> Energies:
        """Return them; a note names one of the particles whose potential is not finite, if there is one."""
        for field, energy in (("potential", self.potential), ("external_potential", self.external)):
            why = _core.why_not_finite(particles, field, energy)
            if why:
                warn(why)
        return self

    def expanding(self, scale_factor: float, work: float) -> Energies:
        """Return the same for particles in expanding space, whose kinetic energy is that of canonical momenta."""
        return replace(self, kinetic=self.kinetic / scale_factor, expansion=work)

    @property
    def total(self) -> float:
        """Kinetic, potential, external and internal energy together."""
        return self.kinetic + self.potential + self.external + self.internal

    @property
    def conserved(self) -> float:
        """Total energy plus that of the bath, or what the expansion of space has taken."""
        return self.total + self.bath + self.expansion

    @property
    def error(self) -> float:
        """Change of the conserved energy since the start over a size that never is near zero.

        That is its size at the start or, where its parts (kinetic, potential, ...) nearly cancel each other, a tenth of
        the sum of their sizes now; in expanding space the size of the potential energy, a |W|, if that is larger. NaN
        if any of them is. It is what `energy_alarm` looks at in a run.
        In a field that changes with time, such as a rotating bar, energy is not conserved: the change is the field's.
        Fixed particles that move do work, by which it changes as well, and the shocks of an isothermal gas lose energy.
        """
        parts = (self.kinetic, self.potential, self.external, self.internal, self.bath + self.expansion)
        change = self.conserved - self.initial
        sizes = (abs(self.initial), SHARE * sum(map(abs, parts)), abs(self.potential) if self.expansion != 0 else 0.0)
        return change / max(sizes) if change != 0 else 0.0

    @property
    def virial_ratio(self) -> float:
        """Twice the kinetic energy over the size of `potential`: 1 in equilibrium; NaN without potential.

        External fields are left out: what moves in them has no such equilibrium.
        """
        return 2.0 * self.kinetic / abs(self.potential) if self.potential != 0 else math.nan


def internal_energy(particles: ParticleSet, forces: Iterable[Force]) -> float:
    """Return the internal energy; that of an isothermal gas is m c^2 ln(density). All ranks call this."""
    kinds = [isothermal(force) for force in forces if isinstance(force, Sph)]
    of_isothermal = _core.isothermal_energy(particles) if any(kinds) else 0.0
    return of_isothermal if kinds and all(kinds) else of_isothermal + _core.internal_energy(particles)


def last_internal_energy(particles: ParticleSet) -> float:
    """Return the same of particles whose forces are no longer known: that of an isothermal gas if they were one."""
    return _core.isothermal_energy(particles) or _core.internal_energy(particles)


def forget_isothermal(particles: ParticleSet, forces: Iterable[Force]) -> None:
    """Clear the energies of an isothermal gas if none is among the forces any more."""
    if not any(map(isothermal, forces)) and "isothermal_energy" in particles.field_names:
        particles.column("isothermal_energy")[:] = 0.0


def why_not_conserved(forces: Iterable[Force], particles: ParticleSet) -> str:
    """Return why the energy of particles under these forces changes, as the end of a sentence; empty if it does not.

    All ranks call this.
    """
    (driven,) = world.any_rank(bool(particles.velocity[fixed_rows(particles)].any()), call="why_not_conserved")
    if driven:
        return "fixed particles that move do work"
    if any(map(isothermal, forces)):
        return "the shocks of an isothermal gas lose energy"
    rotating = any(isinstance(force, RotatingBar) and force.settings["pattern_speed"] != 0 for force in forces)
    return "the field of a rotating bar changes with time" if rotating else ""

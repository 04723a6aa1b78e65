"""The energies of a simulation at one moment."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Energies:
    """Sums over the particles of all ranks, in the units of the particles.

    Attributes
    ----------
    kinetic : float
        Kinetic energy.
    potential : float
        Potential energy.
    internal : float
        Sum of mass times the field ``internal_energy``; 0 without that field.
    bath : float
        Energy of the thermostat; 0 without one.
    initial : float
        Conserved energy at the start, and what particles have brought or taken that were added or removed since.
    """

    kinetic: float
    potential: float
    internal: float
    bath: float
    initial: float

    @property
    def total(self) -> float:
        """Kinetic plus potential plus internal energy."""
        return self.kinetic + self.potential + self.internal

    @property
    def conserved(self) -> float:
        """Total energy plus that of the thermostat's bath."""
        return self.total + self.bath

    @property
    def error(self) -> float:
        """Change of the conserved energy since the start over its size then; NaN if it was zero."""
        return (self.conserved - self.initial) / abs(self.initial) if self.initial != 0 else math.nan

    @property
    def virial_ratio(self) -> float:
        """Twice the kinetic energy over the size of the potential energy: 1 in equilibrium; NaN without potential."""
        return 2.0 * self.kinetic / abs(self.potential) if self.potential != 0 else math.nan

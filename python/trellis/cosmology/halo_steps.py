"""Time steps that softened gravity allows in the densest halos of a box, before there are any."""

from __future__ import annotations

import numpy as np

from trellis.cosmology.halo_abundance import FITS
from trellis.cosmology.linear_power import LinearPower

ETA = 0.025  # accuracy of steps: sqrt(2 eta softening / acceleration), as gravity chooses them
LONGEST = 0.03  # chosen step at most, in ln a
SMALLEST = 2  # particles of the smallest halo that counts
PAIR = 2 / 3**1.5  # largest pull of one softened particle, over G m / softening^2
NEIGHBOURS = 1.5  # particles that pull in one direction in a halo of a few
MASSES = np.geomspace(1e4, 1e16, 121)  # solar masses over h


class HaloSteps:
    """The steps that gravity is expected to allow in the most massive halo of a box.

    One halo of that mass or more is in the box by the fit of Watson et al. (2013). Its profile is that of Navarro,
    Frenk & White with the concentration of Duffy et al. (2008), and its pull the one at a softening length from the
    centre, or that of near neighbours where that is more.

    Parameters
    ----------
    power : LinearPower
        The linear power spectrum.
    volume : float
        Comoving volume of the box (length^3).
    particle : float
        Mass of a particle; halos of fewer than 2 are not there.
    G : float
        Gravitational constant.
    """

    def __init__(self, power: LinearPower, volume: float, particle: float, G: float) -> None:
        self._power, self._volume, self._particle, self._G = power, volume, particle, G
        self._mass = MASSES * power.solar_mass
        self._sigma = power.sigma_of_mass(self._mass)  # at all times in proportion to linear growth
        self._slope = -np.gradient(np.log(self._sigma), np.log(self._mass))

    def allowed(self, softening: float, a: float) -> float:
        """Return the step in ln a of a comoving softening at a scale factor; 0.03 without limit by a halo."""
        power, cosmology = self._power, self._power.cosmology
        growth = cosmology.D1(a) / cosmology.D1(1.0)
        per_mass = FITS["watson-2013"](growth * self._sigma) * power.mean_density / self._mass * self._slope
        number = per_mass * self._volume * np.log(MASSES[1] / MASSES[0])
        above = np.cumsum(number[::-1])[::-1]
        expected = self._mass[(above >= 1) & (self._mass >= SMALLEST * self._particle)]
        if len(expected) == 0:
            return LONGEST
        halo = float(expected[-1])
        critical = power.mean_density / cosmology.matter_share(a)
        radius = float(np.cbrt(halo / (4 / 3 * np.pi * 200 * critical)))
        concentration = 5.71 * (halo / (2e12 * power.solar_mass)) ** -0.084 * a**0.47
        within = halo * _mass_of_nfw(concentration * min(1.0, softening / radius)) / _mass_of_nfw(concentration)
        pull = self._G * max(within, NEIGHBOURS * PAIR * self._particle) / softening**2
        return min(LONGEST, cosmology.hubble(a) * float(np.sqrt(2 * ETA * softening * a**3 / pull)))


def _mass_of_nfw(x: float) -> float:
    return float(np.log(1 + x) - x / (1 + x))

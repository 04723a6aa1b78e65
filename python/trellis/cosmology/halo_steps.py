"""Time steps that softened gravity allows in the densest halos of a box, before there are any."""

from __future__ import annotations

import numpy as np

from trellis.cosmology.halo_abundance import halo_abundance
from trellis.cosmology.linear_power import LinearPower

ETA = 0.025  # accuracy of steps: sqrt(2 eta softening / acceleration), as gravity chooses them
LONGEST = 0.03  # chosen step at most, in ln a
SMALLEST = 2  # particles of the smallest halo that counts
PAIR = 2 / 3**1.5  # largest pull of one softened particle, over G m / softening^2
NEIGHBOURS = 1.5  # particles that pull in one direction in a halo of a few
MASSES = np.geomspace(1e3, 1e16, 521)  # solar masses over h


def steps_in_halos(power: LinearPower, volume: float, softening: float, particle: float, G: float, a: float) -> float:
    """Estimate the step in ln a that gravity allows in the most massive halo that a box is expected to have.

    One halo of that mass or more is in the box by the fit of Watson et al. (2013). Its profile is that of Navarro,
    Frenk & White with the concentration of Duffy et al. (2008), and its pull the one at a softening length from the
    centre, or that of near neighbours where that is more.

    Parameters
    ----------
    power : LinearPower
        The linear power spectrum.
    volume : float
        Comoving volume of the box (length^3).
    softening : float
        Comoving softening length at that time (length).
    particle : float
        Mass of a particle; halos of fewer than 2 are not there.
    G : float
        Gravitational constant.
    a : float
        Scale factor.

    Returns
    -------
    float
        The step, or 0.03 where it is longer or no halo is expected.
    """
    mass = MASSES * power.solar_mass
    number = halo_abundance(power, mass, a) * volume * np.log(mass[1] / mass[0])
    above = np.cumsum(number[::-1])[::-1]
    expected = mass[(above >= 1) & (mass >= SMALLEST * particle)]
    if len(expected) == 0:
        return LONGEST
    halo, cosmology = float(expected[-1]), power.cosmology
    critical = power.mean_density / cosmology.matter_share(a)
    radius = float(np.cbrt(halo / (4 / 3 * np.pi * 200 * critical)))
    concentration = 5.71 * (halo / (2e12 * power.solar_mass)) ** -0.084 * a**0.47
    within = halo * _mass_of_nfw(concentration * min(1.0, softening / radius)) / _mass_of_nfw(concentration)
    pull = G * max(within, NEIGHBOURS * PAIR * particle) / softening**2
    return min(LONGEST, cosmology.hubble(a) * float(np.sqrt(2 * ETA * softening * a**3 / pull)))


def _mass_of_nfw(x: float) -> float:
    return float(np.log(1 + x) - x / (1 + x))

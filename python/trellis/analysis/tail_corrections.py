"""Tail corrections: energy and pressure of evenly spread atoms beyond the cutoff (Allen & Tildesley 2017, 2.8)."""

from __future__ import annotations

import math

from trellis.arguments import checked_arguments
from trellis.errors import InputError


@checked_arguments()
def lennard_jones_tail_energy(density: float, cutoff: float, *, epsilon: float = 1.0, sigma: float = 1.0) -> float:
    """Return the energy for each atom, for the plain truncation.

    Parameters
    ----------
    density : float
        Number of atoms over volume.
    cutoff : float
        Cutoff of the potential.
    epsilon, sigma : float
        Depth of the potential.

    Returns
    -------
    float
        8/3 pi rho epsilon sigma^3 (s^9 / 3 - s^3), s = sigma / cutoff: half of rho times the integral of the potential.
    """
    s3 = _checked(density, cutoff, sigma)
    return 8 / 3 * math.pi * density * epsilon * sigma**3 * (s3**3 / 3 - s3)


@checked_arguments()
def lennard_jones_tail_pressure(density: float, cutoff: float, *, epsilon: float = 1.0, sigma: float = 1.0) -> float:
    """Return the pressure, for the plain truncation; see `lennard_jones_tail_energy`.

    Returns
    -------
    float
        16/3 pi rho^2 epsilon sigma^3 (2/3 s^9 - s^3), s = sigma / cutoff.
    """
    s3 = _checked(density, cutoff, sigma)
    return 16 / 3 * math.pi * density**2 * epsilon * sigma**3 * (2 / 3 * s3**3 - s3)


def _checked(density: float, cutoff: float, sigma: float) -> float:
    """Return (sigma / cutoff)^3."""
    for name, value in {"density": density, "cutoff": cutoff}.items():
        if not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} is {value}, but must be above 0")
    return (sigma / cutoff) ** 3

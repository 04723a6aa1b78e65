"""Tail corrections: energy and pressure of evenly spread atoms beyond the cutoff (Allen & Tildesley 2017, 2.8)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trellis._core import LennardJones
from trellis.arguments import checked_arguments, shown
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
        Depth of the potential, and the distance at which it is 0.

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


@checked_arguments()
def mixture_tail_energy(force: LennardJones, density: float, shares: Sequence[float]) -> float:
    """Return the energy for each atom of a mixture, for the plain truncation.

    Parameters
    ----------
    force : LennardJones
        The force, with its kinds.
    density : float
        Number of atoms of all kinds over volume.
    shares : sequence of float
        Numbers of atoms of each kind over each other, such as (4, 1).

    Returns
    -------
    float
        The sum of x_a x_b `lennard_jones_tail_energy` over all kinds a and b, with the fractions x of atoms.

    Raises
    ------
    ValueError
        If the force has another truncation, or there is not one share above 0 for each kind.
    """
    return sum(
        weight * lennard_jones_tail_energy(density, cutoff, epsilon=epsilon, sigma=sigma)
        for weight, epsilon, sigma, cutoff in _weighted_pairs(force, shares)
    )


@checked_arguments()
def mixture_tail_pressure(force: LennardJones, density: float, shares: Sequence[float]) -> float:
    """Return the pressure of a mixture, for the plain truncation; see `mixture_tail_energy`.

    Returns
    -------
    float
        The sum of x_a x_b `lennard_jones_tail_pressure` over all kinds a and b.
    """
    return sum(
        weight * lennard_jones_tail_pressure(density, cutoff, epsilon=epsilon, sigma=sigma)
        for weight, epsilon, sigma, cutoff in _weighted_pairs(force, shares)
    )


def _weighted_pairs(force: LennardJones, shares: Sequence[float]) -> Iterator[tuple[float, float, float, float]]:
    """Yield x_a x_b, epsilon, sigma and cutoff of each pair of kinds."""
    if not isinstance(force, LennardJones):
        raise InputError(f"force is {shown(force)}, but must be a LennardJones force")
    pairs, truncation = force.pair_parameters(), force.settings["truncation"]
    if truncation != "plain":
        raise InputError(f"truncation is {truncation!r}: tail corrections are for 'plain' alone")
    if len(shares) != len(pairs) or not all(share > 0 and math.isfinite(share) for share in shares):
        raise InputError(f"shares is {list(shares)}, but must have a number above 0 for each of {len(pairs)} kinds")
    fractions = [share / sum(shares) for share in shares]
    for a, row in zip(fractions, pairs, strict=True):
        for b, (epsilon, sigma, cutoff) in zip(fractions, row, strict=True):
            yield a * b, epsilon, sigma, cutoff


def _checked(density: float, cutoff: float, sigma: float) -> float:
    """Return (sigma / cutoff)^3."""
    for name, value in {"density": density, "cutoff": cutoff}.items():
        if not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} is {value}, but must be above 0")
    return (sigma / cutoff) ** 3

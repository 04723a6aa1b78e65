"""Tail corrections of pair potentials of one's own: what evenly spread atoms beyond the cutoff would add."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from trellis.arguments import checked_arguments, shown
from trellis.errors import InputError
from trellis.interactions.potential import Potential, switched_off

_END, _COARSEST, _FINEST, _TOLERANCE = 3.5, 16, 256, 1e-9
"""Of sums for an integral: their ends (2e11 cutoffs), points in a unit, and the relative difference of the last two."""


@checked_arguments()
def potential_tail_energy(force: Any, density: float) -> float:
    """Return the energy for each atom that a cut-off potential leaves out, where atoms are evenly spread.

    Parameters
    ----------
    force : Force
        A force that `trellis.pair_potential` has made, with the truncation ``plain`` or ``switched``.
    density : float
        Number of atoms over volume.

    Returns
    -------
    float
        2 pi rho times the integral of r^2 (u - u_c), u_c being u as it is cut off (Allen & Tildesley 2017, 2.8).

    Raises
    ------
    ValueError
        For another force, one of charges or with fields, and a potential that falls too slowly for an integral.

    Examples
    --------
    >>> import trellis as tr
    >>> lj = tr.pair_potential("4 * (r**-12 - r**-6)", cutoff=2.5)
    >>> print(f"{tr.analysis.potential_tail_energy(lj, 0.776):.6f}")
    -0.415405
    """
    return 2 * math.pi * _density(density) * _integrals(force)[0]


@checked_arguments()
def potential_tail_pressure(force: Any, density: float) -> float:
    """Return the pressure that a cut-off potential leaves out; see `potential_tail_energy`.

    Returns
    -------
    float
        -2/3 pi rho^2 times the integral of r^3 d(u - u_c)/dr, without the jump of u_c at the cutoff.
    """
    integral, jump = _integrals(force)
    return 2 * math.pi * _density(density) ** 2 * (integral + jump)


def _density(density: float) -> float:
    if not (density > 0 and math.isfinite(density)):
        raise InputError(f"density is {density}, but must be above 0")
    return density


def _integrals(force: Any) -> tuple[float, float]:
    """Return the integral of r^2 (u - u_c), and c^3 u(c) / 3 if u_c jumps at the cutoff c."""
    interaction = getattr(force, "interaction", None)
    if not isinstance(interaction, Potential) or "cutoff" not in force.given:
        raise InputError(f"force is {shown(force)}, but must be one that pair_potential has made with a cutoff")
    choices, given = interaction.choices, force.given
    if interaction.differs:
        raise InputError("the potential differs from pair to pair, but must be the same for a tail correction")
    if choices["truncation"] not in ("plain", "switched"):
        raise InputError(f"truncation is {choices['truncation']!r}: tail corrections are for 'plain' and 'switched'")
    cutoff = float(given["cutoff"])

    def potential(r: float) -> float:
        return interaction.energy(r, given)

    beyond = _to_infinity(lambda r: r**2 * potential(r), cutoff)
    if choices["truncation"] == "plain":
        return beyond, cutoff**3 * potential(cutoff) / 3
    start = float(given["switch_distance"])
    points, weights = np.polynomial.legendre.leggauss(40)
    at = start + 0.5 * (cutoff - start) * (1 + points)
    off = [r**2 * potential(r) * (1 - switched_off(r, start, cutoff)) for r in map(float, at)]
    return beyond + 0.5 * (cutoff - start) * float(weights @ off), 0.0


def _to_infinity(function: Callable[[float], float], first: float) -> float:
    """Return an integral from `first` on, by the rule exp-sinh (Takahasi & Mori 1974), with ever finer steps."""

    def term(t: float) -> float:
        distance = first * math.exp(0.5 * math.pi * math.sinh(t))
        return function(first + distance) * distance * 0.5 * math.pi * math.cosh(t)

    before, count = math.nan, _COARSEST
    while count <= _FINEST:
        try:
            terms = [term(k / count) for k in range(-round(_END * count), round(_END * count) + 1)]
        except ArithmeticError:
            break
        total, size = sum(terms) / count, sum(map(abs, terms)) / count
        if not math.isfinite(total) or abs(terms[-1]) > _TOLERANCE * size:
            break
        if abs(total - before) <= _TOLERANCE * size:
            return total
        before, count = total, 2 * count
    raise InputError(
        "the potential has no integral beyond the cutoff that can be found: allowed are those that fall as r**-4 or"
        " faster, and not tables, which end"
    )

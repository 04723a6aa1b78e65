"""Ratio tests: energies at two temperatures, or volumes at two pressures, are of the right ensembles (Shirts 2013)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.analysis.autocorrelation import autocorrelation_time
from trellis.analysis.energies_of_states import checked
from trellis.arguments import checked_arguments
from trellis.errors import InputError

Floats = NDArray[np.float64]

STEPS = 100  # Newton's method takes less than ten


@dataclass(frozen=True)
class RatioTest:
    """Temperatures, or pressures, by the energies, or volumes, of each state and the next; printed, a table.

    Attributes
    ----------
    slope : array, shape (states - 1,)
        Slope of ln[P1(E) / P2(E)] against E, or ln[P1(V) / P2(V)] against V, as found (1 / energy, or 1 / length^3).
    error : array, shape (states - 1,)
        The standard error.
    expected : array, shape (states - 1,)
        Slope of the right ensembles: 1 / (k T2) - 1 / (k T1), or (P2 - P1) / k T.
    """

    slope: Floats
    error: Floats
    expected: Floats

    @property
    def deviation(self) -> Floats:
        """Deviation of the slope from the expected one, in standard errors."""
        return np.asarray((self.slope - self.expected) / self.error)

    @property
    def p_value(self) -> Floats:
        """Chance that a right ensemble deviates as much, to either side."""
        return np.array([math.erfc(abs(each) / math.sqrt(2)) for each in self.deviation])

    def __str__(self) -> str:
        lines = ["states       slope         +-          expected      deviation    p"]
        rows = zip(self.slope, self.error, self.expected, self.deviation, self.p_value, strict=True)
        for k, (slope, error, expected, deviation, p) in enumerate(rows):
            lines.append(
                f"{f'{k}, {k + 1}':<12} {slope:<13.6g} {error:<11.3g} {expected:<13.6g} {deviation:<12.2f} {p:.3g}"
            )
        return "\n".join(lines)


def ratio_test(energies: ArrayLike, temperatures: ArrayLike) -> RatioTest:
    """Return the slope of ln[P1(E) / P2(E)] against E of each state and the next, and what it must be.

    P(E) is the density of states times exp(-E / k T), so the logarithm of the ratio of two is linear in E whatever the
    system: its slope is that of a maximum-likelihood fit (Shirts 2013). The error counts how long both
    series remember, themselves and each other: nothing has to be thinned.

    Parameters
    ----------
    energies : array, shape (moments, states)
        Potential, kinetic or total energies of each state at equal intervals, in equilibrium (energy).
    temperatures : array, shape (states,)
        k T of each state; those of neighbours must differ, but let their energies overlap (energy).

    Raises
    ------
    ValueError
        If shapes do not fit, or energies of neighbours do not overlap.
    """
    values, kT = checked(energies, temperatures)
    if len(kT) < 2 or (np.diff(kT) == 0).any():
        raise InputError("a ratio test needs states of different temperatures, each differing from the next")
    return _test(values, np.diff(1 / kT), "energies")


@checked_arguments()
def ratio_test_of_volumes(volumes: ArrayLike, pressures: ArrayLike, temperature: float) -> RatioTest:
    """Return the slope of ln[P1(V) / P2(V)] against V of each state and the next, and what it must be.

    At one temperature, P(V) is a function of V that all pressures have in common, times exp(-P V / k T). Otherwise as
    `ratio_test`.

    Parameters
    ----------
    volumes : array, shape (moments, states)
        Volumes of each state at equal intervals, in equilibrium (length^3).
    pressures : array, shape (states,)
        Pressure of each state; those of neighbours must differ, but let their volumes overlap (energy / length^3).
    temperature : float
        k T of all states (energy).

    Raises
    ------
    ValueError
        If shapes do not fit, or volumes of neighbours do not overlap.
    """
    values, kT = checked(volumes, np.full(np.shape(pressures), temperature))
    steps = np.diff(np.asarray(pressures, dtype=np.float64))
    if len(kT) < 2 or not np.isfinite(steps).all() or (steps == 0).any():
        raise InputError("a ratio test of volumes needs states of different pressures, each differing from the next")
    return _test(values, steps / temperature, "volumes")


def _test(values: Floats, expected: Floats, what: str) -> RatioTest:
    found = [_slope(values[:, k], values[:, k + 1], f"{what} of states {k} and {k + 1}") for k in range(len(expected))]
    slope, error = np.transpose(found)
    return RatioTest(slope, error, expected)


def _slope(first: Floats, second: Floats, which: str) -> tuple[float, float]:
    """Return slope and standard error of logistic regression of where a value is from."""
    if first.min() >= second.max() or second.min() >= first.max():
        raise InputError(f"the {which} do not overlap: nothing can be said of their ratio")
    both = np.concatenate([first, second])
    middle, width = both.mean(), both.std()
    terms = np.stack([np.ones(len(both)), (both - middle) / width])
    is_first = np.arange(len(both)) < len(first)
    fit = np.zeros(2)
    for _ in range(STEPS):
        chance = _logistic(fit @ terms)
        curvature = (chance * (1 - chance) * terms) @ terms.T
        step = np.linalg.solve(curvature, terms @ (is_first - chance))
        while _likelihood(fit + step, terms, is_first) < _likelihood(fit, terms, is_first) - 1e-9:
            step /= 2
        fit += step
        if np.abs(step).max() < 1e-10:
            break
    # what each moment has moved the slope by: a series whose sum is as uncertain as the slope
    moved = np.linalg.solve(curvature, (is_first - chance) * terms)[1]
    of_moments = moved[: len(first)] + moved[len(first) :]
    variance = np.sum(of_moments**2) * 2 * autocorrelation_time(of_moments)
    return float(fit[1] / width), float(np.sqrt(variance) / width)


def _logistic(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def _likelihood(fit: Floats, terms: Floats, is_first: NDArray[np.bool_]) -> np.float64:
    """Return the logarithm of the likelihood of where all values are from."""
    x = fit @ terms
    return -np.logaddexp(0, np.where(is_first, -x, x)).sum()  # type: ignore[no-any-return]

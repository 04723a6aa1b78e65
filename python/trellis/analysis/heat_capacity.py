"""The heat capacity at constant volume, from fluctuations of the potential energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.analysis import jackknife
from trellis.analysis.energies_of_states import checked
from trellis.arguments import checked_arguments
from trellis.errors import InputError

Floats = NDArray[np.float64]


class Peak(NamedTuple):
    """The largest heat capacity, and where it is."""

    temperature: float
    """k T (energy)."""
    temperature_error: float
    """The standard error."""
    height: float
    """Total heat capacity (k)."""
    height_error: float
    """The standard error."""


@dataclass(frozen=True)
class HeatCapacity:
    """Heat capacities of one system at several temperatures.

    Attributes
    ----------
    temperature : array, shape (temperatures,)
        k T (energy).
    configurational : array, shape (temperatures,)
        Part of the potential energy: var(U) / (k T)^2 (k).
    total : array, shape (temperatures,)
        The configurational part, and half of each kinetic degree of freedom (k).
    replicates : array, shape (blocks, temperatures)
        The total as found without each of the blocks of moments.
    """

    temperature: Floats
    configurational: Floats
    total: Floats
    replicates: Floats

    @property
    def error(self) -> Floats:
        """Standard error of each, the same for configurational and total (k)."""
        return jackknife.error(self.replicates)

    def peak(self) -> Peak:
        """Return the top of a parabola through the largest heat capacity and its two neighbours.

        Raises
        ------
        ValueError
            If the largest is that of the lowest or the highest temperature.
        """
        order = np.argsort(self.temperature)
        ends = order[[0, -1]]
        highest = int(np.argmax(self.total))
        if highest in ends:
            raise InputError(
                f"the heat capacity is largest at an end of the temperatures, {self.temperature[highest]:g}:"
                " a peak needs some on both sides"
            )
        height = [_top(self.temperature[order], each[order]) for each in (self.total, *self.replicates)]
        errors = jackknife.error(np.array(height[1:]))
        return Peak(height[0][0], float(errors[0]), height[0][1], float(errors[1]))


@checked_arguments()
def heat_capacity(energies: ArrayLike, temperatures: ArrayLike, degrees_of_freedom: float) -> HeatCapacity:
    """Return the heat capacity at each temperature, from the energies there alone.

    Errors are those of a jackknife over 20 blocks of moments, of all states together: they are right if a block is long
    compared with the autocorrelation times of the energies (see `autocorrelation_time`), some 200 effective samples.

    Parameters
    ----------
    energies : array, shape (moments, states)
        Potential energies of each state at equal intervals, in equilibrium: `ExchangeHistory.energies`, or those of an
        `Ensemble` of which each system has a temperature of its own (energy).
    temperatures : array, shape (states,)
        k T of each state (energy).
    degrees_of_freedom : float
        Kinetic degrees of freedom: three for each particle, less those that are held.

    Returns
    -------
    HeatCapacity
        At the temperatures given.

    Raises
    ------
    ValueError
        If shapes do not fit, there are fewer than 40 moments, or a number is not allowed.
    """
    values, kT = checked(energies, temperatures)
    kinetic = kinetic_part(degrees_of_freedom)
    jackknife.check_rows("a heat capacity", len(values))

    def configurational(rows: Floats) -> Floats:
        return np.asarray(rows.var(axis=0, ddof=1) / kT**2)

    whole = configurational(values)
    return HeatCapacity(kT, whole, whole + kinetic, jackknife.replicates(configurational, values) + kinetic)


def kinetic_part(degrees_of_freedom: float) -> float:
    """Return the heat capacity of the kinetic energy; a ValueError for degrees of freedom below 0."""
    if not (degrees_of_freedom >= 0 and np.isfinite(degrees_of_freedom)):
        raise InputError(f"degrees_of_freedom is {degrees_of_freedom}, but must be a number of at least 0")
    return degrees_of_freedom / 2


def _top(x: Floats, y: Floats) -> tuple[float, float]:
    """Return place and height of the top of a parabola about the largest of y, within x."""
    k = int(np.clip(np.argmax(y), 1, len(x) - 2))
    near = slice(k - 1, k + 2)
    a, b, c = np.polyfit(x[near] - x[k], y[near], 2)
    shift = float(np.clip(-b / (2 * a), x[k - 1] - x[k], x[k + 1] - x[k])) if a < 0 else 0.0
    return float(x[k]) + shift, float(c + shift * (b + shift * a))

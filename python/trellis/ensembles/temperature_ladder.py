"""Ladders of temperatures for replica exchange."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.ensembles.replica_exchange import ReplicaExchange

Floats = NDArray[np.float64]


@checked_arguments()
def geometric_temperatures(lowest: float, highest: float, count: int) -> Floats:
    """Return temperatures of a constant ratio, at which exchanges are equally likely if the heat capacity is constant.

    Parameters
    ----------
    lowest, highest
        k T of the first and the last (energy), both above 0.
    count
        Their number; 2 or more, or 1 if both are the same.

    Returns
    -------
    array, shape (count,)

    Raises
    ------
    ValueError
        For numbers that are not allowed.
    """
    if not 0 < lowest <= highest < np.inf:
        raise _core.InputError(f"temperatures from {lowest} to {highest}: allowed is above 0, in order")
    if count < (1 if lowest == highest else 2):
        raise _core.InputError(f"the number of temperatures is {count}: allowed is 2 or more")
    return np.asarray(np.geomspace(lowest, highest, count))


def count_of_temperatures(lowest: float, highest: float, degrees_of_freedom: float) -> int:
    """Return a number of temperatures to begin with: neighbours differ by 2 / sqrt(c N_df) of themselves.

    With c = 1/2 and harmonic degrees of freedom, one exchange in four (36 of them) to six (thousands) is then made
    (Predescu et al. 2005).
    """
    spacing = 2 / np.sqrt(0.5 * degrees_of_freedom)
    return 1 + max(1, int(np.ceil(np.log(highest / lowest) / np.log1p(spacing))))


@checked_arguments()
def even_temperatures(temperatures: ArrayLike, energy_spreads: ArrayLike, count: int | None = None) -> Floats:
    """Return temperatures between the same ends, whose neighbours exchange equally often.

    For normal distributions of energies, exchanges of two states are accepted with the probability
    erfc(s db / 2), where db is the difference of 1 / kT and s the spread of the energies (Kofke 2002; Predescu et al.
    2005). So the integral of s dT / kT^2 is made the same for all neighbours.

    Parameters
    ----------
    temperatures
        k T of states, ascending (energy), shape (states,).
    energy_spreads
        Standard deviation of the potential energy in each state (energy), shape (states,), above 0.
    count
        The number of temperatures wanted; None: as many.

    Returns
    -------
    array, shape (count,)

    Raises
    ------
    ValueError
        For values that are not allowed.
    """
    given, spreads = np.asarray(temperatures, dtype=float), np.asarray(energy_spreads, dtype=float)
    if given.ndim != 1 or given.size < 2 or spreads.shape != given.shape:
        raise _core.InputError(
            f"temperatures and spreads have the shapes {given.shape} and {spreads.shape}: allowed is one (states,)"
        )
    if not (given[0] > 0 and np.all(np.diff(given) > 0)):
        raise _core.InputError("temperatures must ascend from above 0")
    if not np.all((spreads > 0) & np.isfinite(spreads)):
        raise _core.InputError("spreads of energies must be above 0")
    fine = np.geomspace(given[0], given[-1], 64 * given.size)
    density = np.interp(fine, given, spreads) / fine**2
    way = np.concatenate([[0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(fine))])
    found = np.interp(np.linspace(0, way[-1], count or given.size), way, fine)
    found[0], found[-1] = given[0], given[-1]
    return np.asarray(found)


@checked_arguments()
def tuned_temperatures(exchange: ReplicaExchange, exchanges: int = 100, rounds: int = 4) -> Floats:
    """Return temperatures whose neighbours exchange equally often, found by short runs of the exchange.

    After each run, the next has the `even_temperatures` for the energies in its second half.

    Parameters
    ----------
    exchange
        The exchange; its systems move on from run to run, and are left at the last temperatures.
    exchanges
        Exchanges of each run, at least 4.
    rounds
        Number of runs.

    Returns
    -------
    array, shape (states,)

    Raises
    ------
    ValueError
        If states differ by more than temperatures.
    """
    if exchange.hamiltonians.any():
        raise _core.InputError("temperatures cannot be tuned for states that differ by more than temperatures")
    from trellis.config.replicas import LEAST_TO_TUNE

    if exchanges < LEAST_TO_TUNE:
        raise _core.InputError(
            f"exchanges is {exchanges}: allowed is {LEAST_TO_TUNE} or more, to find spreads of energies"
        )
    for _ in range(rounds):
        energies = exchange.run(exchanges).after(exchanges // 2).energies()
        exchange.set_temperatures(even_temperatures(exchange.temperatures, energies.std(axis=0)))
    return exchange.temperatures

"""Acceptance of exchanges between neighbouring states of a replica exchange."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.ensembles.exchange_history import ExchangeHistory

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Acceptance:
    """Exchanges between each state and the next; printed, a table.

    Attributes
    ----------
    temperatures : array, shape (states,)
        k T of each state (energy).
    tried, accepted : array of int, shape (states - 1,)
        Exchanges that were tried, and made.
    expected : array, shape (states - 1,)
        Mean of min{1, exp[u_i(x_i) + u_j(x_j) - u_i(x_j) - u_j(x_i)]}, of the reduced energies U / (k T), or
        (U + P V) / (k T), in both states, over all exchanges of the history: what energies say that the rate must be.
    """

    temperatures: Floats
    tried: NDArray[np.int64]
    accepted: NDArray[np.int64]
    expected: Floats

    @property
    def rate(self) -> Floats:
        """Accepted over tried; not a number where none was tried."""
        tried = np.where(self.tried > 0, self.tried, np.nan)
        return np.asarray(self.accepted / tried)

    @property
    def error(self) -> Floats:
        """Standard error of the rate.

        That of Bayes' estimate from a uniform prior, sqrt[(a + 1) (n - a + 1) / ((n + 2)^2 (n + 3))], which is above 0
        also where all or none were accepted.
        """
        a, n = self.accepted, self.tried
        return np.asarray(np.sqrt((a + 1) * (n - a + 1) / ((n + 2.0) ** 2 * (n + 3))))

    def __str__(self) -> str:
        lines = ["states       temperatures             tried   accepted   rate     +-       expected"]
        rows = zip(self.tried, self.accepted, self.rate, self.error, self.expected, strict=True)
        for k, (tried, accepted, rate, error, expected) in enumerate(rows):
            low, high = self.temperatures[k : k + 2]
            lines.append(
                f"{f'{k}, {k + 1}':<12} {f'{low:.5g}, {high:.5g}':<18} {tried:>11} {accepted:>10}   {rate:<8.4f}"
                f" {error:<8.4f} {expected:.4f}"
            )
        return "\n".join(lines)


@checked_arguments()
def acceptance(history: ExchangeHistory) -> Acceptance:
    """Return the acceptance of exchanges between neighbouring states.

    Parameters
    ----------
    history : ExchangeHistory
        The history of a replica exchange.

    Returns
    -------
    Acceptance
        Counts, rates with their errors, and the rates that the energies imply; not a number without exchanges.
    """
    energies, states, b = history.energies_in_all(), np.arange(history.states), 1 / history.temperatures
    volumes, pressure = history.volumes(), history.pressure
    own = energies[:, states, history.hamiltonian] + pressure * volumes
    # each state's energy of what the next state holds
    of_next = energies[:, states[1:], history.hamiltonian[:-1]] + pressure[:-1] * volumes[:, 1:]
    of_last = energies[:, states[:-1], history.hamiltonian[1:]] + pressure[1:] * volumes[:, :-1]
    exponents = b[:-1] * (own[:, :-1] - of_next) + b[1:] * (own[:, 1:] - of_last)
    chances = np.exp(np.minimum(0.0, exponents))
    expected = chances.mean(axis=0) if len(chances) > 0 else np.full(len(history.tried), np.nan)
    return Acceptance(history.temperatures, history.tried, history.accepted, expected)

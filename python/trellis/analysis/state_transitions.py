"""Transitions between states of a replica exchange: their matrix, and its second eigenvalue, the rate of mixing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trellis.analysis import jackknife
from trellis.arguments import checked_arguments
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StateTransitions:
    """Chances that a system goes from a state to another in one exchange.

    Attributes
    ----------
    matrix : array, shape (states, states)
        Transitions from the state of the row to that of the column; counts of both directions are added.
    second_eigenvalue : float
        The second largest of the matrix; the largest is 1.
    error : float
        The standard error, from blocks of exchanges.
    """

    matrix: Floats
    second_eigenvalue: float
    error: float

    @property
    def relaxation_time(self) -> float:
        """Exchanges in which systems forget their state, 1 / (1 - second eigenvalue) (Chodera & Shirts 2011).

        Of systems that remember their energy from exchange to exchange, the true one is longer.
        """
        return 1 / (1 - self.second_eigenvalue) if self.second_eigenvalue < 1 else float("inf")


@checked_arguments()
def state_transitions(history: ExchangeHistory) -> StateTransitions:
    """Return the transition matrix of states, found from all systems' steps from one exchange to the next.

    Parameters
    ----------
    history : ExchangeHistory
        A history of at least two states and 41 exchanges.

    Raises
    ------
    ValueError
        If there are fewer.
    """
    if history.states < 2:
        raise InputError("transitions between states need at least two of them")
    history.check_together("transitions between states")
    jackknife.check_rows("transitions between states", history.exchanges - 1)
    steps = history.state[:-1] * np.int64(history.states) + history.state[1:]
    matrix = _matrix(steps, history.states)
    without_blocks = jackknife.replicates(lambda kept: _second_eigenvalue(_matrix(kept, history.states)), steps)
    return StateTransitions(matrix, float(_second_eigenvalue(matrix)), float(jackknife.error(without_blocks)))


def _matrix(steps: NDArray[np.int64], states: int) -> Floats:
    """Return chances from the numbers of steps, row times states plus column; each state is left equally often."""
    counts = np.bincount(steps.ravel(), minlength=states**2).reshape(states, states)
    return np.asarray((counts + counts.T) / (2 * len(steps)))


def _second_eigenvalue(matrix: Floats) -> np.float64:
    return np.linalg.eigvalsh(matrix)[-2]  # type: ignore[no-any-return]

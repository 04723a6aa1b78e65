"""Round trips of systems between the first and the last state of a replica exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.errors import InputError


@dataclass(frozen=True)
class Trips:
    """Round trips from one end.

    Attributes
    ----------
    count : array of int, shape (systems,)
        Round trips of each system.
    times : array of int, shape (trips,)
        Duration of each, of all systems (exchanges).
    """

    count: NDArray[np.int64]
    times: NDArray[np.int64]

    @property
    def mean(self) -> float:
        """Mean duration (exchanges); not a number without trips."""
        return float(self.times.mean()) if len(self.times) > 0 else float("nan")

    @property
    def error(self) -> float:
        """Standard error of the mean duration, as if trips were independent; not a number of fewer than two."""
        trips = len(self.times)
        return float(self.times.std(ddof=1) / np.sqrt(trips)) if trips > 1 else float("nan")


class RoundTrips(NamedTuple):
    """Round trips from both ends, which in equilibrium take the same mean time; printed, a table."""

    from_first: Trips
    """Trips from the first state to the last and back."""
    from_last: Trips
    """Trips from the last state to the first and back."""

    def __str__(self) -> str:
        lines = ["round trips    number   least and most of a system   mean time [exchanges]"]
        for name, trips in zip(("from first", "from last"), self, strict=True):
            spread = f"{trips.count.min()}, {trips.count.max()}"
            lines.append(f"{name:<12} {len(trips.times):>8}   {spread:<28} {trips.mean:.5g} +- {trips.error:.2g}")
        return "\n".join(lines)


@checked_arguments()
def round_trips(history: ExchangeHistory) -> RoundTrips:
    """Return the round trips of all systems between the first and the last state.

    A trip begins when a system comes to an end for the first time since it was at the other, and ends when it does so
    again: then the next one begins.

    Parameters
    ----------
    history : ExchangeHistory
        A history of at least two states.
    """
    last = _last_state(history)
    counts = np.zeros((2, history.systems), dtype=np.int64)
    times: tuple[list[NDArray[np.intp]], ...] = ([], [])
    for system, path in enumerate(history.state.T):
        visits = np.flatnonzero((path == 0) | (path == last))
        ends = path[visits]
        arrival = np.ones(len(ends), dtype=bool)
        arrival[1:] = ends[1:] != ends[:-1]
        for which, end in enumerate((0, last)):
            trips = np.diff(visits[arrival & (ends == end)])
            counts[which, system] = len(trips)
            times[which].append(trips)
    first, second = (np.concatenate(each).astype(np.int64) for each in times)
    return RoundTrips(Trips(counts[0], first), Trips(counts[1], second))


@checked_arguments()
def flow(history: ExchangeHistory) -> NDArray[np.float64]:
    """Return, of the systems in each state, the share that came from the last state (Katzgraber et al. 2006).

    Of systems that have been at an end, it is the share of those that were at the last state more recently than at the
    first. It rises from 0 to 1; where it rises steeply, systems pass with difficulty, and more states would help.

    Parameters
    ----------
    history : ExchangeHistory
        A history of at least two states.

    Returns
    -------
    array, shape (states,)
        Not a number in states where no system has been at an end before.
    """
    last = _last_state(history)
    history.check_together("shares of systems in each state")
    at_end = (history.state == 0) | (history.state == last)
    moments = np.arange(history.exchanges)[:, None]
    visit = np.maximum.accumulate(np.where(at_end, moments, -1), axis=0)
    came_from = np.take_along_axis(history.state, np.maximum(visit, 0), axis=0)
    known = visit >= 0
    all_known = np.bincount(history.state[known], minlength=last + 1)
    from_last = np.bincount(history.state[known & (came_from == last)], minlength=last + 1)
    return np.asarray(from_last / np.where(all_known > 0, all_known, np.nan))


def _last_state(history: ExchangeHistory) -> int:
    if history.states < 2:
        raise InputError("a walk between the first and the last state needs at least two")
    return history.states - 1

"""Times of the snapshots of a run; which is due depends on a checkpoint's state alone, so that a resumed run agrees."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from trellis.errors import InputError
from trellis.notes import warn
from trellis.simulation.stop_times import ROUNDING

if TYPE_CHECKING:
    from trellis.config import RunParameters

NEAR = 0.5
"""Share of a step of fixed length by which a snapshot may miss its time; others end at it, but for rounding."""


class SnapshotTimes:
    """The snapshots of a run, numbered from 0 in order of time.

    Parameters
    ----------
    run : RunParameters
        They say when.
    start : float
        Time at which the run was begun.
    """

    def __init__(self, run: RunParameters, start: float) -> None:
        self._run, self._start = run, start
        self._near = 0.0 if run.timestep is None else NEAR * run.timestep
        self._times: Sequence[float] = ()
        if run.snapshot_times is not None:
            self._times = [time for time in run.snapshot_times if time >= start - self._near]
        elif run.snapshots_per_decade is not None and run.snapshot_first is not None:
            self._times = _even_in_logarithm(start, run.snapshot_first, run.snapshots_per_decade, run.until)

    def last_due(self, time: float, step_count: int, timestep: float) -> int:
        """Return the number of the last snapshot that is due after `step_count` steps, the last of length `timestep`.

        It is -1 before the first. Among steps of fixed length a snapshot is due at the one nearest its time; the last
        step of the run is shorter.
        """
        run = self._run
        if run.snapshot_steps is not None:
            return step_count // run.snapshot_steps
        near = ROUNDING * timestep
        if run.timestep is not None:
            left = run.until - time
            near = NEAR * left if ROUNDING * run.timestep < left < run.timestep else self._near
        if run.snapshot_every is not None:
            return math.floor((time - self._start + near) / run.snapshot_every)
        return bisect_right(self._times, time + near) - 1

    def step_ends(self) -> Iterable[float]:
        """Return the times before the end at which steps of chosen length are to end."""
        times: Iterable[float] = self._times
        if self._run.snapshot_every is not None:
            times = (self._start + number * self._run.snapshot_every for number in itertools.count(1))
        return itertools.takewhile(lambda due: due < self._run.until, times)

    def note_outside(self) -> None:
        """Warn of times that are given and outside the run; a ValueError if all of them are."""
        times = self._run.snapshot_times
        if times is None:
            return
        start, until = self._start, self._run.until
        outside = [time for time in times if not start - self._near <= time <= until + self._near]
        if len(outside) == len(times):
            raise InputError(
                f"'run.snapshot_times' has no time of the run, from {start:g} to {until:g}: it would write no snapshot"
            )
        if outside:
            warn(
                f"'run.snapshot_times' has {len(outside)} of {len(times)} times outside the run, from {start:g} to"
                f" {until:g}, such as {outside[0]:g}: no snapshot is written then"
            )


def _even_in_logarithm(start: float, first: float, per_decade: int, until: float) -> list[float]:
    """Return the start, and times after it in a constant ratio from the first on, to beyond the end."""
    decades = math.log10(until - start) - math.log10(first) if until > start else 0.0
    with np.errstate(over="ignore"):  # beyond all numbers
        since = first * 10.0 ** (np.arange(max(0, math.ceil(decades * per_decade)) + 2) / per_decade)
    return sorted({start, *(start + since).tolist()})

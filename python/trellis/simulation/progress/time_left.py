"""The time that a run still takes, by its pace so far."""

from __future__ import annotations

import math
import time
from collections import deque
from datetime import datetime, timedelta

from trellis.notes import warn

WINDOW = 60.0  # seconds whose pace counts, since steps may become shorter and longer
LONG = 30 * 86400.0  # seconds; a longer run is worth a warning
STEPS, SETTLED = 30, 600.0  # steps or seconds until the pace is known: chosen steps begin short
YEAR = 365.25 * 86400.0


class TimeLeft:
    """The time that a run still takes; it warns once of one that takes very long.

    Parameters
    ----------
    end : float
        The end: a time of the particles, or a number of steps.
    done : float
        The same where the run begins.
    """

    def __init__(self, end: float, done: float) -> None:
        self._end = end
        self._begun = time.monotonic()
        self._seen = deque([(self._begun, done)])
        self._warned = False

    def note(self, done: float) -> None:
        """Note how far the run is now."""
        now = time.monotonic()
        while len(self._seen) > 1 and now - self._seen[1][0] > WINDOW:
            self._seen.popleft()
        self._seen.append((now, done))

    @property
    def seconds(self) -> float:
        """Seconds that are left; infinite if the run does not come nearer to its end."""
        (before, began), (now, done) = self._seen[0], self._seen[-1]
        pace = (done - began) / (now - before) if now > before else 0.0
        return max(self._end - done, 0.0) / pace if pace > 0 else math.inf

    def warn_if_long(self, steps: int, timestep: float) -> None:
        """Warn once if the run takes very long, after `steps` steps of which the last has the length `timestep`."""
        settled = steps >= STEPS or time.monotonic() - self._begun > SETTLED
        if settled and self.seconds > LONG and not self._warned:
            self._warned = True
            warn(f"at this pace the run takes {_span(self.seconds)} more, with steps of {timestep:.2g}")

    def __str__(self) -> str:
        left = self.seconds
        if left < 60 or left > LONG:
            return f"{_span(left)} left"
        now = datetime.now()
        end = now + timedelta(seconds=left)
        day = "" if end.date() == now.date() else f"{end:%a} " if left < 6 * 86400 else f"{end.day} {end:%b} "
        return f"{_span(left)} left, until {day}{end:%H:%M}"


def _span(seconds: float) -> str:
    for unit, size in (("years", YEAR), ("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"about {seconds / size:,.{1 if seconds < 10 * size else 0}f} {unit}"
    return f"about {seconds:.0f} s"

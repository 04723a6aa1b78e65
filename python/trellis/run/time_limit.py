"""Time limit of a run, which stops while there is time for its checkpoint."""

from __future__ import annotations

import math
import os
import re
import time

from trellis.errors import InputError

OUT_OF_TIME = 75  # exit code of a run that its time limit has stopped: EX_TEMPFAIL of sysexits.h, "try again"
JOB_END = "SLURM_JOB_END_TIME"  # Slurm sets it: seconds since 1970
MARGIN = 1.5  # a step or a checkpoint may take this many times as long as the longest before it
ENDING = 2.0  # seconds for all else at the end

SPAN = re.compile(r"(\d+(?:\.\d+)?)([smh])")
SECONDS = {"s": 1, "m": 60, "h": 3600}
FORM = re.compile(r"(?:(\d+)-)?(\d+):([0-5]\d):([0-5]\d)")


class TimeLimit:
    """The time at which a run has to have ended, and whether it leaves another step.

    Parameters
    ----------
    limit : str, optional
        Time from now on, such as ``90s``, ``7m`` or ``2h``, or as Slurm writes it: ``hh:mm:ss`` or ``d-hh:mm:ss``. If
        the environment has the end of Slurm's
        job, the earlier of the two counts; an end that is over was that of another job.

    Raises
    ------
    ValueError
        If the time is not of this form, or 0.
    """

    def __init__(self, limit: str | None = None) -> None:
        now = time.time()
        job_end = os.environ.get(JOB_END, "")
        ends: dict[str, float] = {} if limit is None else {"--time-limit": _seconds(limit)}
        if job_end.isdecimal() and now < float(job_end) < math.inf:
            ends["the end of Slurm's job"] = float(job_end) - now
        self.name = min(ends, key=ends.__getitem__, default="")
        self.seconds = ends.get(self.name, math.inf)
        self._end = time.monotonic() + self.seconds
        self._step = self._checkpoint = 0.0
        self._ready = time.monotonic()

    def ready(self) -> None:
        """Note that the next step begins now."""
        self._ready = time.monotonic()

    def step_done(self) -> None:
        """Note that the step, and what is written after it but for a checkpoint, ends now."""
        self._step = max(self._step, time.monotonic() - self._ready)

    def checkpoint_took(self, seconds: float) -> None:
        """Note how long a checkpoint took."""
        self._checkpoint = max(self._checkpoint, seconds)

    def lacks_checkpoint(self) -> bool:
        """Return whether there is a limit, and no checkpoint yet that shows how long one takes."""
        return self.name != "" and self._checkpoint == 0.0

    def near(self, steps: int = 1) -> bool:
        """Return whether this number of further steps might leave no time for a checkpoint."""
        return self._end - time.monotonic() < MARGIN * (steps * self._step + self._checkpoint) + ENDING

    def over(self) -> bool:
        """Return whether a step under way leaves just the time for a checkpoint, so that it has to be abandoned."""
        return self._end - time.monotonic() < MARGIN * self._checkpoint + ENDING

    def has_seen_step(self) -> bool:
        """Return whether a step has ended so far."""
        return self._step > 0


def span_of(text: str) -> float | None:
    """Return the seconds of a span above 0 such as 90s, 30m or 2h; None for any other text."""
    found = SPAN.fullmatch(text)
    return None if found is None or float(found[1]) == 0 else float(found[1]) * SECONDS[found[2]]


def _seconds(limit: str) -> float:
    if (span := span_of(limit)) is not None:
        return span
    found = FORM.fullmatch(limit)
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0, 0)
    total = ((24 * days + hours) * 60 + minutes) * 60 + seconds
    if total == 0:
        raise InputError(
            f"--time-limit is '{limit}', but must be a time above 0 such as 90s, 7m or 2h, or as Slurm writes it:"
            " hh:mm:ss or d-hh:mm:ss, such as 23:50:00 or 6-12:00:00"
        )
    return total

"""The end of a run, and the times on the way that steps do not go beyond."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import Protocol

from trellis import _core

ROUNDING = 1e-3  # share of a step by which times that are added up may be off


class Clock(Protocol):
    """Time and steps of a simulation."""

    @property
    def time(self) -> float:
        """Time of the particles."""

    @property
    def initial_time(self) -> float:
        """Time of the particles at the start."""

    @property
    def timestep(self) -> float:
        """Length of the last step."""

    @property
    def step_count(self) -> int:
        """Steps since the start."""


class RunEnd:
    """The end of a run: a time, or a number of steps.

    Parameters
    ----------
    clock : Clock
        The simulation before the run.
    until, steps : float or None, int or None
        See `Simulation.run`.
    stops : iterable of float
        Times that steps do not go beyond, the end itself among them if a step is to end there.

    Raises
    ------
    ValueError
        If not just one of `until` and `steps` is given, or one is out of its range.
    """

    def __init__(self, clock: Clock, until: float | None, steps: int | None, stops: Iterable[float] = ()) -> None:
        if (until is None) == (steps is None):
            raise _core.InputError(f"{'neither' if steps is None else 'both'} of until and steps given: allowed is one")
        if until is not None:
            check_ahead(clock, until)
        if steps is not None and not float(steps).is_integer():
            raise _core.InputError(f"steps is {steps}, but must be a whole number")
        if steps is not None and steps < 0:
            raise _core.InputError(f"steps is {steps}, but must be at least 0")
        self._clock = clock
        self.until = until
        self.last_step = None if steps is None else clock.step_count + steps
        self._stops = sorted(map(self._or_the_end, stops), reverse=True)
        self._next = math.inf  # the stop that the last step did not go beyond

    def _or_the_end(self, stop: float) -> float:
        """Return a stop, or the end if it differs from it by rounding alone."""
        return self.until if self.until is not None and math.isclose(stop, self.until) else stop

    def reached(self) -> bool:
        """Return whether the simulation has reached the end."""
        if self.last_step is not None:
            return self._clock.step_count >= self.last_step
        assert self.until is not None
        return self._next >= self.until and time_reached(self._clock, self.until)

    def next_stop(self) -> float:
        """Return the time that the next step does not go beyond; infinite without one."""
        while self._stops and self._stops[-1] != self.until and time_reached(self._clock, self._stops[-1]):
            self._stops.pop()
        self._next = self._stops[-1] if self._stops else math.inf
        return self._next


def check_ahead(clock: Clock, until: float) -> None:
    """Raise a ValueError if a run cannot end at the time `until`, since it lies more than a step back."""
    if not math.isfinite(until):
        raise _core.InputError(f"until is {until}, but must be a finite time")
    now = clock.time
    if until < now - clock.timestep or until < clock.initial_time:
        where = "the start" if clock.step_count == 0 else "the time now"
        raise _core.InputError(f"until is {until:.12g}, but must be at least {now:.12g}, {where}")
    if 0 < clock.timestep < abs(until) * sys.float_info.epsilon:
        raise _core.InputError(f"timestep is {clock.timestep}, which is lost in a time near until = {until}")


def time_reached(clock: Clock, until: float) -> bool:
    """Return whether the time has come to `until`, up to a thousandth of a step, since times are rounded."""
    return clock.time >= until - ROUNDING * clock.timestep

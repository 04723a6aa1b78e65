"""Where a run ends, and the times that its steps meet on the way."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trellis import _core

if TYPE_CHECKING:
    from trellis.simulation.simulation import Simulation

ROUNDING = 1e-3  # share of a step by which times that are added up may be off


class RunEnd:
    """The end of a run: a time, or a number of steps.

    Parameters
    ----------
    simulation : Simulation
        The simulation before the run.
    until, steps : float or None, int or None
        See `Simulation.run`.
    meets : iterable of float
        Times that steps are not to go beyond, the end itself among them if it is to be met.

    Raises
    ------
    ValueError
        If not just one of `until` and `steps` is given, or one is out of its range.
    """

    def __init__(
        self, simulation: Simulation, until: float | None, steps: int | None, meets: Iterable[float] = ()
    ) -> None:
        if (until is None) == (steps is None):
            raise _core.InputError(f"{'neither' if steps is None else 'both'} of until and steps given: allowed is one")
        if until is not None:
            check_ahead(simulation, until)
        if steps is not None and not float(steps).is_integer():
            raise _core.InputError(f"steps is {steps}, but must be a whole number")
        if steps is not None and steps < 0:
            raise _core.InputError(f"steps is {steps}, but must be at least 0")
        self._simulation = simulation
        self.until = until
        self.last_step = None if steps is None else simulation.step_count + steps
        self._meets = sorted(meets, reverse=True)

    def reached(self) -> bool:
        """Return whether the simulation has come there."""
        now = self._simulation
        if self.last_step is not None:
            return now.step_count >= self.last_step
        assert self.until is not None
        return time_reached(now, self.until)

    def of_step(self) -> float:
        """Return the time that the next step is not to go beyond."""
        while self._meets and time_reached(self._simulation, self._meets[-1]):
            self._meets.pop()
        return self._meets[-1] if self._meets else math.inf


def check_ahead(simulation: Simulation, until: float) -> None:
    """Raise a ValueError if the simulation is not to end at this time, since it is beyond it by more than a step."""
    if not math.isfinite(until):
        raise _core.InputError(f"until is {until}, but must be a finite time")
    now = simulation.time
    if until < now - simulation.timestep or until < simulation.initial_time:
        where = "the start" if simulation.step_count == 0 else "the time now"
        raise _core.InputError(f"until is {until:.12g}, but must be at least {now:.12g}, {where}")
    if 0 < simulation.timestep < abs(until) * sys.float_info.epsilon:
        raise _core.InputError(f"timestep is {simulation.timestep}, which is lost in a time near until = {until}")


def time_reached(simulation: Simulation, until: float) -> bool:
    """Return whether the time has come to `until`, up to a thousandth of a step, since times are rounded."""
    return simulation.time >= until - ROUNDING * simulation.timestep

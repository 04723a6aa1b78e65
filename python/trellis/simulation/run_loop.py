"""The loop of a run: steps to its end, functions that are called after some of them, the live line, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from trellis import _core
from trellis.parallel.sites import DeferredFlags
from trellis.simulation.progress.live_line import RunProgress
from trellis.simulation.signals import deferred_signals, signals_are_deferred
from trellis.simulation.stop_times import Clock, RunEnd


def step_to(
    end: RunEnd,
    simulation: Clock,
    step: Callable[[float], None],
    calls: Sequence[tuple[int, Callable[[Any], object]]],
    report: RunProgress | None,
) -> None:
    """Advance a simulation step by step; collective.

    Parameters
    ----------
    end : RunEnd
        The end of the run.
    simulation : Clock
        The simulation, which each of `calls` is given.
    step : callable
        ``step(time)`` makes a step that does not go beyond a time.
    calls : sequence of (int, callable)
        With ``(k, f)``, ``f(simulation)`` is called after every k-th step.
    report : RunProgress or None
        The live line, if one is wanted.

    Raises
    ------
    KeyboardInterrupt
        After the step at which Ctrl-C has stopped the run, unless an outer context has deferred signals.
    """
    flags = DeferredFlags("Simulation.run")
    interrupts = not signals_are_deferred()
    stopped = False
    with deferred_signals() as signals, report or nullcontext():
        while not end.reached():
            try:
                step(end.next_stop())
            except _core.StepAbandoned:
                (stopped,) = flags.any(signals.stop)
                signals.ran_out = not stopped
                break
            for every, call in calls:
                if simulation.step_count % every == 0:
                    call(simulation)
            due = report is not None and report.due()
            show, stopped = flags.any(due, signals.stop)
            if report is not None and show:
                report.show()
            if stopped or signals.agreed:
                break
    if stopped and interrupts:
        raise KeyboardInterrupt

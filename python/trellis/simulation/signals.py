"""Signals as requests that are followed at the end of a step, or within a long one: to stop, to write a checkpoint."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from trellis.parallel import world


class SignalState:
    """The requests of signals.

    Attributes
    ----------
    stop : bool
        A request to stop at the end of the step.
    signal : signal.Signals or None
        The signal that asked for it first.
    agreed : bool
        All ranks have agreed to stop at the end of this step.
    checkpoint : bool
        A request to write a checkpoint and go on.
    out_of_time : callable
        Whether no time is left to finish the step under way.
    ran_out : bool
        Such a step was abandoned, on all ranks.
    """

    def __init__(self) -> None:
        self.stop = False
        self.signal: signal.Signals | None = None
        self.agreed = False
        self.checkpoint = False
        self.out_of_time: Callable[[], bool] = lambda: False
        self.ran_out = False


Handler = Callable[[int, FrameType | None], object] | int | None

_outer_state: ContextVar[SignalState | None] = ContextVar("signal state of an outer context", default=None)


@contextmanager
def deferred_signals(*more: signal.Signals) -> Iterator[SignalState]:
    """Within this context Ctrl-C only asks to stop at the end of the step; a second one interrupts as ever.

    So do signals named in `more`, as often as they come: SIGUSR1 asks for a checkpoint, others to stop. mpirun answers
    Ctrl-C by sending SIGTERM to all ranks, so that with several this counts as well. SIGHUP that is ignored, as under
    nohup, stays ignored. Outside the main thread, where Python receives no signals, nothing is asked. Within another
    such context, this one has its state.
    """
    outer = _outer_state.get()
    if outer is not None:
        yield outer
        return
    state = SignalState()
    token = _outer_state.set(state)
    before = _catch(state, more) if threading.current_thread() is threading.main_thread() else {}
    try:
        yield state
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        _outer_state.reset(token)


def step_is_abandoned() -> bool:
    """Return whether a signal or the clock asks to abandon the step under way; asked within individual steps."""
    state = _outer_state.get()
    return state is not None and (state.stop or state.out_of_time())


def signals_are_deferred() -> bool:
    """Return whether this is within a context of `deferred_signals`, which says what follows from a signal."""
    return _outer_state.get() is not None


def _catch(state: SignalState, more: tuple[signal.Signals, ...]) -> dict[signal.Signals, Handler]:
    """Have signals set the state; return their handlers until now."""
    terminals = [stream for stream in (1, 2) if os.isatty(stream)]

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGUSR1:
            state.checkpoint = True
            return
        state.stop, state.signal = True, state.signal or signal.Signals(number)
        signal.signal(signal.SIGINT, before[signal.SIGINT])
        if number == signal.SIGHUP:
            _forget_terminals(terminals)

    caught = {signal.SIGINT, *more, *([signal.SIGTERM] if world.ranks() > 1 else [])}
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        caught.discard(signal.SIGHUP)
    before: dict[signal.Signals, Handler] = {number: signal.getsignal(number) for number in caught}
    for number in caught:
        signal.signal(number, on_signal)
    return before


def _forget_terminals(streams: list[int]) -> None:
    """Send the output to a closed terminal to the null device: a write that fails would end the run."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        if not os.isatty(stream):
            os.dup2(nowhere, stream)
    os.close(nowhere)

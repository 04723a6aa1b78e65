"""Signals as wishes that are granted at the end of a step: to stop, or to write a checkpoint."""

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
    """What signals have asked for.

    Attributes
    ----------
    stop : bool
        To stop at the end of the step.
    signal : signal.Signals or None
        The signal that asked for it first.
    agreed : bool
        That all ranks have agreed to stop at the end of this step.
    checkpoint : bool
        To write a checkpoint and go on.
    """

    def __init__(self) -> None:
        self.stop = False
        self.signal: signal.Signals | None = None
        self.agreed = False
        self.checkpoint = False


Handler = Callable[[int, FrameType | None], object] | int | None

_granted: ContextVar[SignalState | None] = ContextVar("wishes that a context further out grants", default=None)


@contextmanager
def deferred_signals(*more: signal.Signals) -> Iterator[SignalState]:
    """Within this context Ctrl-C only sets a wish; a second one interrupts as ever.

    So do signals named in `more`, as often as they come: SIGUSR1 asks for a checkpoint, others to stop. mpirun answers
    Ctrl-C by sending SIGTERM to all ranks, so that with several this counts as well. SIGHUP that is ignored, as under
    nohup, stays ignored. Outside the main thread, where Python receives no signals, none sets a wish. Within another
    such context, this one has its wishes.
    """
    outer = _granted.get()
    if outer is not None:
        yield outer
        return
    wishes = SignalState()
    token = _granted.set(wishes)
    before = _catch(wishes, more) if threading.current_thread() is threading.main_thread() else {}
    try:
        yield wishes
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        _granted.reset(token)


def _catch(wishes: SignalState, more: tuple[signal.Signals, ...]) -> dict[signal.Signals, Handler]:
    """Have signals set wishes; return how they were handled before."""
    terminals = [stream for stream in (1, 2) if os.isatty(stream)]

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGUSR1:
            wishes.checkpoint = True
            return
        wishes.stop, wishes.signal = True, wishes.signal or signal.Signals(number)
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
    """Write to nowhere what was to be seen on a terminal that is gone: a line that fails would end the run."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        if not os.isatty(stream):
            os.dup2(nowhere, stream)
    os.close(nowhere)

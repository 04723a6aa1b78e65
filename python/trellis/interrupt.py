"""Ctrl-C, or mpirun's SIGTERM to each rank, as a wish to stop that is granted at the end of a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from trellis import world


class StopRequest:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.made = False


@contextmanager
def deferred_interrupt() -> Iterator[StopRequest]:
    """Within this context a first Ctrl-C only sets ``made``; a second one interrupts as ever.

    Outside the main thread, where Python receives no signals, this does nothing. mpirun answers Ctrl-C by sending
    SIGTERM to all ranks, so that with several this counts as well.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        request.made = True
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    signals = [signal.SIGINT] if world.ranks() == 1 else [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, on_interrupt) for number in signals}
    try:
        yield request
    finally:
        restore()

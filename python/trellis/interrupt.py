"""Ctrl-C as a wish to stop that is granted at the end of a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.made = False


@contextmanager
def deferred_interrupt() -> Iterator[StopRequest]:
    """Within this context a first Ctrl-C only sets ``made``; a second one interrupts as ever.

    Outside the main thread, where Python receives no signals, this does nothing.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        request.made = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield request
    finally:
        signal.signal(signal.SIGINT, before)

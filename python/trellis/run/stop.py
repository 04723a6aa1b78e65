"""Reasons why a run has stopped before its end, in sentences."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Stop:
    """The reason why a run has stopped before its end, in a sentence, and the program's exit code."""

    sentence: str
    exit_code: int


def stopped(folder: Path, when: str, exit_code: int, *, checkpoint: bool = True) -> Stop:
    """Return a stop with a checkpoint in the folder, or before the first one."""
    if checkpoint:
        return Stop(f"Stopped with a checkpoint in '{folder}' {when}: continue with --resume.", exit_code)
    return Stop(f"Stopped {when}, without a checkpoint in '{folder}' yet: --resume begins again.", exit_code)


def stopped_by(folder: Path, came: signal.Signals, *, checkpoint: bool = True) -> Stop:
    """Return a stop by a signal."""
    return stopped(folder, f"after {came.name}", 128 + came, checkpoint=checkpoint)  # as a shell counts signals

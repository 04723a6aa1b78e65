"""Ctrl-C while the command is still being imported: it ends the process without a traceback."""

import signal
import sys
import threading
from pathlib import Path

COMMANDS = ("trellis", "-m")
"""Names of the program while the command is imported: as it is installed, and as ``python -m trellis``."""


def end_by_interrupts() -> None:
    """Have Ctrl-C end the process at once, if it is the command, until `raise_interrupts`."""
    here = threading.current_thread() is threading.main_thread() and Path((sys.argv or [""])[0]).name in COMMANDS
    if here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_interrupts() -> None:
    """Have Ctrl-C raise KeyboardInterrupt, as it does in Python."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


end_by_interrupts()  # when the package is imported, of which this is the first module

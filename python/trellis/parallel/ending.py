"""Ends of a run on several ranks: together, or because one rank failed."""

from __future__ import annotations

import os
import sys
import time
import traceback
from types import TracebackType
from typing import NoReturn

from trellis import _core
from trellis.parallel.world import enter_call, rank, ranks

GRACE = 0.5  # seconds that each rank leaves to the ranks before it to report their error, if all fail


def wait_for_first() -> None:
    """Give the ranks before this one time to end the run, if they have failed as well."""
    time.sleep(GRACE * min(rank(), 10))


def end_together() -> None:
    """End the messages between ranks: each may then exit with a code other than 0 without failing the others."""
    if ranks() > 1:
        enter_call("world.end_together")
        _core.leave_sites()
    if ranks() > 1:
        _core.finalize_mpi()


def end_run(why: str, code: int) -> NoReturn:
    """End all ranks, with one sentence and the program's exit code; not collective."""
    wait_for_first()
    try:
        _core.world().abort(why, code)
    except _core.RunError:  # a rank alone on its site: the other sites are notified
        print(f"error: {why}", file=sys.__stderr__, flush=True)
        os._exit(code)


def end_on_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Replace sys.excepthook: the other ranks would wait for ever for a rank that failed."""
    if isinstance(error, (_core.InputError, _core.RunError)):
        end_run(str(error), 2 if isinstance(error, _core.InputError) else 1)
    wait_for_first()
    traceback.print_exception(kind, error, trace, file=sys.__stderr__)
    end_run("".join(traceback.format_exception_only(kind, error)).strip(), 1)


def end_ranks_on_errors() -> None:
    """Have an error that ends this rank end the others, if there are any."""
    if ranks() > 1:
        sys.excepthook = end_on_error


end_ranks_on_errors()

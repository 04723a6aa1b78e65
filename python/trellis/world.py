"""The ranks of this run: the processes that mpirun started, which share the particles.

All functions but `rank`, `ranks` and `end_run` are collective: every rank calls them, in the same order.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import NoReturn, TypeVar

from trellis import _core

Result = TypeVar("Result")

LAUNCHED = "OMPI_COMM_WORLD_SIZE"  # Open MPI's mpirun sets it
GRACE = 0.3  # seconds that each rank leaves the ranks before it to say what went wrong, if all fail alike


def rank() -> int:
    """Return the number of this rank, from 0."""
    return _core.world().rank


def ranks() -> int:
    """Return how many ranks share the run; 1 without mpirun."""
    return _core.world().size


def check_launch() -> None:
    """Raise a ValueError where mpirun has started several copies of a program that cannot tell they are several."""
    started = int(os.environ.get(LAUNCHED, "1"))
    if started > 1 and ranks() == 1:
        raise _core.InputError(
            f"mpirun has started {started} processes, but each is a run of its own, since Trellis was built without MPI"
            " or with another one: start it without mpirun, or build it with this MPI"
        )


def any_rank(*flags: bool) -> tuple[bool, ...]:
    """Return, for each flag, whether any rank has it set."""
    if ranks() == 1:
        return flags
    bits = _core.world().any_bits(sum(bool(flag) << k for k, flag in enumerate(flags)))
    return tuple(bool(bits >> k & 1) for k in range(len(flags)))


def gather(own: Result) -> list[Result]:
    """Return the values of all ranks, in their order."""
    return [pickle.loads(each) for each in _core.world().all_gather(pickle.dumps(own))]


def on_first(make: Callable[[], Result]) -> Result:
    """Do something on rank 0 alone, once all have come so far; its result, or its error, is that of all ranks."""
    if ranks() == 1:
        return make()
    any_rank(False)
    done: tuple[Result | None, Exception | None] = (None, None)
    if rank() == 0:
        try:
            done = (make(), None)
        except Exception as failure:
            done = (None, failure)
    result, error = pickle.loads(_core.world().broadcast(pickle.dumps(done)))
    if error is not None:
        raise error
    value: Result = result
    return value


def wait_for_first() -> None:
    """Give the ranks before this one time to end the run, if they have failed as well."""
    time.sleep(GRACE * min(rank(), 10))


def end_run(why: str, code: int) -> NoReturn:
    """End all ranks, with one sentence and the program's exit code; not collective."""
    wait_for_first()
    _core.world().abort(why, code)


def _end_on_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Stand in for sys.excepthook: the others would wait for ever for a rank that failed."""
    if isinstance(error, (_core.InputError, _core.RunError)):
        end_run(str(error), 2 if isinstance(error, _core.InputError) else 1)
    wait_for_first()
    traceback.print_exception(kind, error, trace, file=sys.__stderr__)
    end_run("".join(traceback.format_exception_only(kind, error)).strip(), 1)


if ranks() > 1:
    sys.excepthook = _end_on_error

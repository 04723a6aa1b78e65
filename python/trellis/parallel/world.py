"""The ranks of this run: the processes that mpirun started, which share the particles; of all sites, if there are more.

All functions but `rank` and `ranks` are collective: every rank calls them, in the same order. So are those marked by
`collective`. Each compares its name with that of the calls in which the other ranks are: where they differ, and where a
rank has come to the end of the program instead, all ranks raise a RuntimeError that names both.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from trellis import _core

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

LAUNCHED = "OMPI_COMM_WORLD_SIZE"  # Open MPI's mpirun sets it


def rank() -> int:
    """Return the number of this rank, from 0."""
    return _core.world().rank


def ranks() -> int:
    """Return how many ranks share the run; 1 without mpirun."""
    return _core.world().size


def check_launch() -> None:
    """Raise a ValueError where mpirun has started several copies of a program that are built without its MPI."""
    started = int(os.environ.get(LAUNCHED, "1"))
    if started > 1 and ranks() == 1:
        raise _core.InputError(
            f"mpirun has started {started} processes, but each is a run of its own, since Trellis was built without MPI"
            " or with another one: start it without mpirun, or build it with this MPI"
        )


def collective(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Mark a function or method that all ranks call: they compare its name, with the object's class, as they enter."""
    is_method = "." in call.__qualname__.rpartition("<locals>.")[2]

    @wraps(call)
    def compared(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        enter_call(f"{type(args[0]).__name__}.{call.__name__}" if is_method else call.__name__)
        return call(*args, **kwargs)

    return compared


def enter_call(name: str) -> None:
    """Wait for all ranks to enter the call `name`; a RuntimeError on all if any is in a call of another name."""
    if ranks() > 1:
        _core.world().same_call(name)


def any_rank(*flags: bool, call: str = "world.any_rank") -> tuple[bool, ...]:
    """Return, for each flag, whether any rank has it set; `call` is the name that ranks compare."""
    if ranks() == 1:
        return flags
    bits = _core.world().same_call(call, sum(bool(flag) << k for k, flag in enumerate(flags)))
    return tuple(bool(bits >> k & 1) for k in range(len(flags)))


def gather(own: Result) -> list[Result]:
    """Return the values of all ranks, in their order."""
    enter_call("world.gather")
    return [pickle.loads(each) for each in _core.world().all_gather(pickle.dumps(own))]


def exchange(pieces: Sequence[Result]) -> list[Result]:
    """Send each rank a value; return those that the ranks have for this one, in their order."""
    if ranks() == 1:
        return list(pieces)
    enter_call("world.exchange")
    return [pickle.loads(each) for each in _core.world().exchange([pickle.dumps(each) for each in pieces])]


def on_first(make: Callable[[], Result]) -> Result:
    """Call `make` on rank 0 alone, once all ranks have entered; its result, or its error, is that of all ranks."""
    if ranks() == 1:
        return make()
    enter_call("world.on_first")
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

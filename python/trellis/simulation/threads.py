"""Calls of one simulation follow each other: those of several threads, and of functions that its forces call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from trellis import _core

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Locked(Protocol):
    _lock: Any  # a threading.RLock, which is a function before Python 3.13
    _computes: bool  # its forces, at this moment


Owner = TypeVar("Owner", bound=_Locked)


def new_lock() -> Any:
    """Return a lock for the methods of one simulation, which may call each other."""
    return RLock()


def in_turn(call: Callable[Concatenate[Owner, Arguments], Result]) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Have a method wait while another thread is in one of the same simulation, such as `Simulation.run`.

    ValueError within a function that a force or a limit of steps calls.
    """

    @wraps(call)
    def alone(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with self._lock:
            if self._computes:
                raise _core.InputError(
                    f"{call.__name__}() is called by a function that the forces of this simulation call: allowed there"
                    " are its time and its particles, as they are"
                )
            return call(self, *args, **kwargs)

    return alone


@contextmanager
def computing(simulation: _Locked) -> Iterator[None]:
    """Within it the forces of a simulation are computed, and may call functions of the user."""
    simulation._computes = True
    try:
        yield
    finally:
        simulation._computes = False

"""One simulation in several threads of Python: their calls follow each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Locked(Protocol):
    _lock: Any  # a threading.RLock, which is a function before Python 3.13


Owner = TypeVar("Owner", bound=_Locked)


def new_lock() -> Any:
    """Return a lock for the methods of one simulation, which may call each other."""
    return RLock()


def in_turn(call: Callable[Concatenate[Owner, Arguments], Result]) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Have a method wait while another thread is in one of the same simulation, such as `Simulation.run`."""

    @wraps(call)
    def alone(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with self._lock:
            return call(self, *args, **kwargs)

    return alone

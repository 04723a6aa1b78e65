"""Forces and limits of steps that hold a function of Python, which they show and are pickled with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trellis import _core
from trellis.arguments import shown


class HoldsFunction:
    """Base of what is made of a function alone."""

    function: Callable[..., Any]

    @property
    def settings(self) -> dict[str, object]:
        """The function, by its name."""
        return {"function": getattr(self.function, "__name__", repr(self.function))}

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.function,)


def check_function(function: object, arguments: str) -> None:
    """Raise a ValueError, which names its arguments, for what is no function, such as a class."""
    if not callable(function) or isinstance(function, type):
        raise _core.InputError(f"function is {shown(function)}, but must be a function of {arguments}")

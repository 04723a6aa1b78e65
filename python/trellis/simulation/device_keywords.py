"""Keywords that choose devices, of simulations and ensembles: the parameters of `_core.DeviceOptions`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, TypeVar, cast

from trellis import _core
from trellis.signatures import shown_parameters

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)


class DeviceKeywords(TypedDict, total=False):
    """Names and types of the keywords, for type checkers."""

    device: str | Sequence[str]
    device_memory: int | None
    spares: Sequence[str]
    grace: float
    redundant: int


def device_options(call: str, given: DeviceKeywords) -> _core.DeviceOptions:
    """Return the options that the keywords of a call give; TypeError for an unknown one, as Python raises it."""
    for name in given:
        if name not in DeviceKeywords.__annotations__:
            raise TypeError(f"{call}() got an unexpected keyword argument '{name}'")
    return _core.DeviceOptions(**given)


def takes_devices(function: Function) -> Function:
    """Show the keywords instead of ``**devices`` in the signature of a function."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    shown = signature.replace(parameters=[*own, *shown_parameters(_core.DeviceOptions)])
    cast(Any, function).__signature__ = shown
    return function


def describes_devices(kind: Class) -> Class:
    """Describe the keywords instead of ``**devices`` in the docstring of a class."""
    if kind.__doc__ is not None:  # None with python -OO
        table = (_core.DeviceOptions.__doc__ or "").partition("----------\n")[2].partition("\n\nRaises")[0]
        kind.__doc__ = re.sub(r"\*\*devices\n.*\n", lambda _: table + "\n", inspect.cleandoc(kind.__doc__))
    return kind

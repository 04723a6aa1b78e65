"""Classes of `trellis._core` with a table of parameters: their signatures, and sentences about these as attributes."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from typing import Any, NoReturn

import numpy.typing

from trellis import _core
from trellis.arguments import kept


def show_signatures(*kinds: Any) -> None:
    """Give each class the signature of its constructor, from the table of its parameters."""
    for kind in kinds:
        kind.__signature__ = inspect.Signature(shown_parameters(kind))


def keep_values(*kinds: Any) -> None:
    """Have each class say in one sentence that its parameters are no attributes, to be read or assigned."""
    for kind in kinds:
        kind.__getattr__, kind.__setattr__ = _look, _assign


def _look(made: Any, name: str) -> NoReturn:
    kind = type(made).__name__
    if name in inspect.signature(type(made)).parameters:
        raise AttributeError(f"{kind} has no attribute '{name}': its value is settings['{name}']")
    raise AttributeError(f"'{kind}' object has no attribute '{name}'")


def _assign(made: Any, name: str, value: object) -> None:
    if name in inspect.signature(type(made)).parameters:
        raise AttributeError(kept(made, name))
    object.__setattr__(made, name, value)


def shown_parameters(kind: Any) -> list[inspect.Parameter]:
    """Return the parameters of a class as a signature has them."""
    return [_shown(parameter) for parameter in _core.parameters(kind)]


def annotation(parameter: _core.Parameter) -> Any:
    """Return the type of a parameter."""
    return eval(parameter.type, {**vars(_core), "collections": collections, "numpy": numpy, "typing": typing})


def _shown(parameter: _core.Parameter) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.default is ... else parameter.default
    return inspect.Parameter(
        parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation(parameter)
    )

"""Signatures of the classes of `trellis._core`, for ``help()``, ``inspect`` and editors at run time."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from typing import Any

import numpy.typing

from trellis import _core


def show_signatures(*kinds: Any) -> None:
    """Give each class the signature of its constructor, from the table of its parameters."""
    for kind in kinds:
        kind.__signature__ = inspect.Signature(shown_parameters(kind))


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

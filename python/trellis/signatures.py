"""Signatures of the classes of `trellis._core`, for ``help()``, ``inspect`` and editors at run time."""

from __future__ import annotations

import ast
import collections.abc
import inspect
from collections.abc import Sequence
from typing import Any

import trellis


def show_signatures(*kinds: Any) -> None:
    """Give each class the signature of its constructor, which the binding has as a text with a list of defaults."""
    for kind in kinds:
        text, _, defaults = kind.__init__.__nb_signature__[0]
        kind.__signature__ = _signature(text, defaults)


def _signature(text: str, defaults: Sequence[object]) -> inspect.Signature:
    # a default is written as its number in the list, behind a backslash
    function = ast.parse(text.replace("\\", "") + ": ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    parameters = [
        inspect.Parameter(
            argument.arg,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is None else defaults[ast.literal_eval(default)],
            annotation=_type(argument.annotation),
        )
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return inspect.Signature(parameters)


def _type(annotation: ast.expr | None) -> object:
    if annotation is None:
        return inspect.Parameter.empty
    return eval(ast.unparse(annotation), {"collections": collections, "trellis": trellis})

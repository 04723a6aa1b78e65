"""Options of the command line that derive from the models of parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

import typer

from trellis.config import Parameters


def with_options(
    model: type[Parameters], command: Callable[..., None], without: Collection[str] = ("model",)
) -> Callable[..., None]:
    """Give a command, which takes keyword arguments, an option for each parameter of a model.

    Parameters
    ----------
    model : type
        The model.
    command : callable
        Called with the options' values as ``values``, a dictionary, and its own keyword arguments.
    without : collection of str
        Fields that become no options: ``model`` is a heading.
    """
    fields = {name: field for name, field in model.model_fields.items() if name not in without}
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=typer.Option(... if field.is_required() else field.default, help=field.description),
            annotation=field.annotation,
        )
        for name, field in fields.items()
    ]
    own = [
        parameter
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.name != "values"
    ]

    def combined(**given: Any) -> None:
        values = {name: given.pop(name) for name in fields}
        command(values=values, **given)

    combined.__doc__ = model.__doc__
    combined.__signature__ = inspect.Signature([*options, *own])  # type: ignore[attr-defined]
    combined.__annotations__ = {parameter.name: parameter.annotation for parameter in (*options, *own)}
    return combined

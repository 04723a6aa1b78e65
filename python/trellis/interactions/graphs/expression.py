"""Potentials as a user gives them: text, such as "4*eps*((sigma/r)**12 - (sigma/r)**6)", or a function."""

from __future__ import annotations

import ast
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

from trellis import _core
from trellis.arguments import is_number, shown
from trellis.errors import did_you_mean
from trellis.interactions.graphs.functions import cos, erf, erfc, exp, log, maximum, minimum, sin, sqrt, tanh
from trellis.interactions.graphs.symbols import Number

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs, "cos": cos, "erf": erf, "erfc": erfc, "exp": exp, "log": log, "max": maximum, "min": minimum,
    "sin": sin, "sqrt": sqrt, "tanh": tanh,
}  # fmt: skip
_NUMBERS = {"pi": math.pi}


def parsed(text: str) -> tuple[Callable[..., Any], list[str]]:
    """Return a function of the names in an expression, and these names but pi; a ValueError for no expression."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise _core.InputError(f"the potential {text!r} is no expression") from None
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = dict.fromkeys(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in FUNCTIONS | _NUMBERS
    )

    def function(**values: Any) -> Any:
        try:
            return _value(tree, _NUMBERS | values, text)
        except ArithmeticError as error:
            raise _core.InputError(f"the potential {text!r} cannot be computed: {error}") from None

    return function, list(names)


def names_in(potential: str | Callable[..., Any], of: str = "r") -> list[str]:
    """Return the names in a potential; a ValueError for any other value. of: the name of its variable."""
    if isinstance(potential, str):
        return parsed(potential)[1]
    if not callable(potential):
        raise _core.InputError(f"the potential is {shown(potential)}: allowed is an expression or a function of {of}")
    return list(inspect.signature(potential).parameters)[1:]


def value_of(potential: str | Callable[..., Any], r: Number, values: dict[str, Number], of: str = "r") -> Number:
    """Return a potential of a variable; of: the name of the variable in text; values: those of the other names."""
    if isinstance(potential, str):
        return parsed(potential)[0](**{of: r}, **values)  # type: ignore[no-any-return]
    value = potential(r, **values)
    if not isinstance(value, Number) and not is_number(value):
        raise _core.InputError(f"the potential is a function that returns {shown(value)}: allowed is a number by {of}")
    return value  # type: ignore[no-any-return]


def _value(node: ast.expr, values: dict[str, Any], text: str) -> Any:
    def of(part: ast.expr) -> Any:
        return _value(part, values, text)

    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](of(node.left), of(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return -of(node.operand) if isinstance(node.op, ast.USub) else of(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise _core.InputError(
                f"the potential {text!r} calls {node.func.id}: {did_you_mean(node.func.id, FUNCTIONS)}"
            )
        return FUNCTIONS[node.func.id](*map(of, node.args))
    raise _core.InputError(
        f"the potential {text!r} has {ast.unparse(node)!r}: allowed are numbers, names, + - * / ** and"
        f" {', '.join(FUNCTIONS)}"
    )

"""Functions that an interaction calls: a symbol, or a plain number of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from trellis import _core
from trellis.arguments import shown
from trellis.interactions.graphs.graph import Node
from trellis.interactions.graphs.symbols import Number, Symbol, Trace, Truth, Vector, kind, of_numpy

Function = TypeVar("Function", bound=Callable[..., Any])


def known_of_numpy(function: Function) -> Function:
    """Let it stand for NumPy's function of the same name, where that is called with a symbol."""
    of_numpy[function.__name__] = function
    return function


def _trace_of(*values: object) -> Trace | None:
    return next((value.trace for value in values if isinstance(value, Symbol)), None)


def _of(op: str, plain: Callable[..., float], *values: Any) -> Any:
    trace = _trace_of(*values)
    return plain(*values) if trace is None else Number(trace, trace.graph.operation(op, *map(trace.node, values)))


@known_of_numpy
def sqrt(x: Any) -> Any:
    """Return the square root of x >= 0, in an interaction or of a number."""
    return _of("sqrt", math.sqrt, x)


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x), and 0 where x is 0, in an interaction or of a number."""
    return _of("rsqrt", lambda x: 1 / math.sqrt(x) if x != 0 else 0.0, x)


@known_of_numpy
def exp(x: Any) -> Any:
    """Return e to the power x, in an interaction or of a number."""
    return _of("exp", math.exp, x)


@known_of_numpy
def log(x: Any) -> Any:
    """Return the natural logarithm of x, in an interaction or of a number."""
    return _of("log", math.log, x)


@known_of_numpy
def sin(x: Any) -> Any:
    """Return the sine of x, in an interaction or of a number."""
    return _of("sin", math.sin, x)


@known_of_numpy
def cos(x: Any) -> Any:
    """Return the cosine of x, in an interaction or of a number."""
    return _of("cos", math.cos, x)


@known_of_numpy
def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent of x, in an interaction or of a number."""
    return _of("tanh", math.tanh, x)


@known_of_numpy
def erf(x: Any) -> Any:
    """Return the error function of x, in an interaction or of a number."""
    return _of("erf", math.erf, x)


@known_of_numpy
def erfc(x: Any) -> Any:
    """Return 1 - erf(x), with small errors of small values, in an interaction or of a number."""
    return _of("erfc", math.erfc, x)


@known_of_numpy
def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of two values, in an interaction or of numbers."""
    return _of("minimum", min, a, b)


@known_of_numpy
def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two values, in an interaction or of numbers."""
    return _of("maximum", max, a, b)


@known_of_numpy
def where(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, b elsewhere: both are numbers, or both vectors, of an interaction."""
    trace = _trace_of(condition, a, b)
    if trace is None:
        return a if condition else b
    if not isinstance(condition, Truth):
        raise trace.place.error(f"{kind(condition)} where a condition is wanted")
    if isinstance(a, Vector) and isinstance(b, Vector):
        select = trace.graph.select
        x, y, z = (select(condition.node, *pair) for pair in zip(a.components, b.components, strict=True))
        return Vector(trace, (x, y, z))
    return Number(trace, trace.graph.select(condition.node, trace.node(a), trace.node(b)))


@known_of_numpy
def dot(a: Any, b: Any) -> Any:
    """Return the scalar product of two vectors of an interaction."""
    trace = _vectors("dot", a, b)
    graph = trace.graph
    x, y, z = (graph.mul(*pair) for pair in zip(a.base, b.base, strict=True))
    return Number(trace, graph.mul(graph.mul(a.scale, b.scale), graph.add(graph.add(x, y), z)))


@known_of_numpy
def cross(a: Any, b: Any) -> Any:
    """Return the vector product of two vectors of an interaction."""
    trace = _vectors("cross", a, b)
    graph = trace.graph

    def component(k: int, m: int) -> Node:
        return graph.sub(graph.mul(a.base[k], b.base[m]), graph.mul(a.base[m], b.base[k]))

    return Vector(trace, (component(1, 2), component(2, 0), component(0, 1)), graph.mul(a.scale, b.scale))


def _vectors(name: str, a: Any, b: Any) -> Trace:
    trace = _trace_of(a, b)
    if trace is None:
        raise _core.InputError(f"tr.{name} of {shown(a)} and {shown(b)}: allowed are vectors of an interaction")
    for each in (a, b):
        if not isinstance(each, Vector):
            raise trace.place.error(f"tr.{name} of {kind(each)}: allowed are two vectors")
    return trace

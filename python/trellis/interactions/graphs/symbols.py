"""Numbers, vectors and conditions that are nodes of a graph: an interaction computes with them while it is traced."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from trellis.arguments import is_number, shown
from trellis.interactions.graphs.graph import Graph, Node
from trellis.interactions.graphs.place import Place


class Trace:
    """A graph, and the function that is traced into it; graph: that of another function, which is added to."""

    def __init__(self, place: Place, graph: Graph | None = None) -> None:
        self.graph, self.place = Graph() if graph is None else graph, place

    def node(self, value: object) -> Node:
        """Return a number as a node; a ValueError for anything else."""
        if isinstance(value, Number):
            return value.node
        if is_number(value) and not math.isnan(value):  # type: ignore[arg-type]
            return self.graph.constant(float(value))  # type: ignore[arg-type]
        what = "a vector" if isinstance(value, Vector) else "a condition" if isinstance(value, Truth) else shown(value)
        raise self.place.error(f"{what} where a number is wanted")


# Functions of NumPy that symbols know, by name: operations of operators, and each of functions.py.
of_numpy: dict[str, Callable[..., Any]] = {
    "absolute": operator.abs, "add": operator.add, "divide": operator.truediv, "equal": operator.eq,
    "greater": operator.gt, "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le,
    "multiply": operator.mul, "negative": operator.neg, "power": operator.pow, "subtract": operator.sub,
}  # fmt: skip


class Symbol:
    """What a function cannot do with a symbol, and how else to do it."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def _refuse(self, what: str) -> Any:
        raise self.trace.place.error(what)

    def __bool__(self) -> bool:
        return bool(
            self._refuse(
                "an if, and, or, not, min or max decides by a value that differs from pair to pair:"
                " write tr.where(condition, a, b), (a < b) & (c < d), tr.minimum or tr.maximum"
            )
        )

    def __iter__(self) -> Any:
        return self._refuse("a value is taken apart or looped over: write v.x, v.y and v.z, tr.dot and tr.cross")

    def __float__(self) -> float:
        return float(
            self._refuse("a value that is known for each pair alone is used as a number: write tr.sqrt for math.sqrt")
        )

    __int__ = __index__ = __float__

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **given: Any) -> Any:
        return self._as_numpy(ufunc.__name__, args, plain=method == "__call__" and not given)

    def __array_function__(self, function: Callable[..., Any], _: object, args: Any, given: Any) -> Any:
        return self._as_numpy(function.__name__, args, plain=not given)

    def _as_numpy(self, name: str, args: Any, *, plain: bool) -> Any:
        known = of_numpy.get(name)
        if known is None or not plain:
            return self._refuse(f"numpy.{name} is not known: known are {', '.join(sorted(of_numpy))}")
        # NumPy's numbers would give the operation back to NumPy, and so on without end.
        return known(*(arg if isinstance(arg, Symbol) else Number(self.trace, self.trace.node(arg)) for arg in args))

    __hash__ = object.__hash__


class Truth(Symbol):
    """A condition, for `where`."""

    def __init__(self, trace: Trace, node: Node) -> None:
        super().__init__(trace)
        self.node = node

    def _with(self, op: str, other: object) -> Truth:
        if not isinstance(other, Truth):
            return self._refuse(f"{shown(other)} where a condition is wanted")  # type: ignore[no-any-return]
        return Truth(self.trace, self.trace.graph.apply(op, self.node, other.node))

    def __and__(self, other: object) -> Truth:
        return self._with("both", other)

    def __or__(self, other: object) -> Truth:
        return self._with("either", other)

    def __invert__(self) -> Truth:
        return Truth(self.trace, self.trace.graph.apply("not", self.node))

    def _counted(self, _: object) -> Any:
        return self._refuse("a condition where a number is wanted: write tr.where(condition, 1, 0)")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _counted


class Number(Symbol):
    """A number that is known for each pair alone."""

    def __init__(self, trace: Trace, node: Node) -> None:
        super().__init__(trace)
        self.node = node

    def _made(self, node: Node) -> Number:
        return Number(self.trace, node)

    def __add__(self, other: object) -> Any:
        if isinstance(other, Vector):
            return NotImplemented
        return self._made(self.trace.graph.add(self.node, self.trace.node(other)))

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if isinstance(other, Vector):
            return NotImplemented
        return self._made(self.trace.graph.sub(self.node, self.trace.node(other)))

    def __rsub__(self, other: object) -> Number:
        return self._made(self.trace.graph.sub(self.trace.node(other), self.node))

    def __mul__(self, other: object) -> Any:
        if isinstance(other, Vector):
            return other * self
        return self._made(self.trace.graph.mul(self.node, self.trace.node(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Number:
        return self._made(self.trace.graph.div(self.node, divisor(self.trace, other)))

    def __rtruediv__(self, other: object) -> Number:
        return self._made(self.trace.graph.div(self.trace.node(other), divisor(self.trace, self)))

    def __pow__(self, other: object) -> Number:
        return self._made(self.trace.graph.raised(self.node, self.trace.node(other)))

    def __rpow__(self, other: object) -> Number:
        return self._made(self.trace.graph.raised(self.trace.node(other), self.node))

    def __neg__(self) -> Number:
        return self._made(self.trace.graph.neg(self.node))

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return self._made(self.trace.graph.apply("abs", self.node))

    def _compared(self, op: str, a: object, b: object) -> Truth:
        return Truth(self.trace, self.trace.graph.apply(op, self.trace.node(a), self.trace.node(b)))

    def __lt__(self, other: object) -> Truth:
        return self._compared("less", self, other)

    def __le__(self, other: object) -> Truth:
        return self._compared("less_equal", self, other)

    def __gt__(self, other: object) -> Truth:
        return self._compared("less", other, self)

    def __ge__(self, other: object) -> Truth:
        return self._compared("less_equal", other, self)

    def __eq__(self, other: object) -> Truth:  # type: ignore[override]
        return self._compared("equal", self, other)

    def __ne__(self, other: object) -> Truth:  # type: ignore[override]
        return ~self._compared("equal", self, other)

    __hash__ = object.__hash__


class Vector(Symbol):
    """A vector of three numbers: a scale, which is multiplied last, times three components."""

    def __init__(self, trace: Trace, components: tuple[Node, Node, Node], scale: Node | None = None) -> None:
        super().__init__(trace)
        self.base, self.scale = components, trace.graph.constant(1) if scale is None else scale

    @property
    def components(self) -> tuple[Node, Node, Node]:
        """The components as they are."""
        mul = self.trace.graph.mul
        a, b, c = (mul(self.scale, component) for component in self.base)
        return a, b, c

    @property
    def x(self) -> Number:
        """The first component."""
        return Number(self.trace, self.components[0])

    @property
    def y(self) -> Number:
        """The second component."""
        return Number(self.trace, self.components[1])

    @property
    def z(self) -> Number:
        """The third component."""
        return Number(self.trace, self.components[2])

    def __getitem__(self, _: object) -> Any:
        return self._refuse("a component of a vector is taken by its number: write v.x, v.y and v.z")

    def _joined(self, op: Callable[[Node, Node], Node], other: object) -> Vector:
        if not isinstance(other, Vector):
            return self._refuse(f"{kind(other)} is added to a vector or subtracted")  # type: ignore[no-any-return]
        same = self.scale is other.scale
        ours, theirs = (self.base, other.base) if same else (self.components, other.components)
        a, b, c = map(op, ours, theirs)
        return Vector(self.trace, (a, b, c), self.scale if same else None)

    def __add__(self, other: object) -> Vector:
        return self._joined(self.trace.graph.add, other)

    def __sub__(self, other: object) -> Vector:
        return self._joined(self.trace.graph.sub, other)

    def __radd__(self, other: object) -> Any:
        return self._refuse(f"a vector is added to {kind(other)}")

    def __rsub__(self, other: object) -> Any:
        return self._refuse(f"a vector is subtracted from {kind(other)}")

    def _scaled(self, factor: Node) -> Vector:
        return Vector(self.trace, self.base, self.trace.graph.mul(self.scale, factor))

    def __mul__(self, other: object) -> Vector:
        if isinstance(other, Vector):
            return self._refuse("two vectors are multiplied: write tr.dot or tr.cross")  # type: ignore[no-any-return]
        return self._scaled(self.trace.node(other))

    __rmul__ = __mul__

    def __matmul__(self, _: object) -> Any:
        return self._refuse("vectors are multiplied by @: write tr.dot")

    def __truediv__(self, other: object) -> Vector:
        return self._scaled(self.trace.graph.reciprocal(divisor(self.trace, other)))

    def __rtruediv__(self, other: object) -> Any:
        return self._refuse("something is divided by a vector")

    def __pow__(self, other: object) -> Any:
        return self._refuse("a vector is raised to a power: write tr.dot(v, v)")

    def __neg__(self) -> Vector:
        return self._scaled(self.trace.graph.constant(-1))

    def __abs__(self) -> Number:
        return self._refuse("abs of a vector: write tr.sqrt(tr.dot(v, v))")  # type: ignore[no-any-return]

    def _compare(self, _: object) -> Any:
        return self._refuse("a vector is compared: write tr.dot(v, v) < c**2")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compare
    __hash__ = object.__hash__


def kind(value: object) -> str:
    """Return what a value is, in words."""
    if isinstance(value, (Number, int, float)):
        return "a number"
    return "a vector" if isinstance(value, Vector) else "a condition" if isinstance(value, Truth) else shown(value)


def divisor(trace: Trace, value: object) -> Node:
    """Return a node that something is divided by; a ValueError if it is the constant 0."""
    node = trace.node(value)
    if node.is_constant and node.value == 0:
        raise trace.place.error("a division by the constant 0")
    return node

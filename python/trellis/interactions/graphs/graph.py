"""The graph of arithmetic that an interaction is traced into.

A node is an operation on earlier nodes. Equal operations are one node, and each is simplified as it is made: constants
are folded, divisions become products with reciprocals, roots of sums of squares reciprocal square roots, and whole
powers products. As in C++, 1 / sqrt(0) counts as 0: particles at one place exert no force on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from trellis import _core

FROM_I, FROM_J = 1, 2  # bits of Node.reads
MOST_NODES = 2000


@dataclass(frozen=True, eq=False)
class Node:
    """An operation.

    Attributes
    ----------
    op : str
        ``constant``, ``parameter``, ``field``, or one of `OPERATIONS`.
    args : tuple of Node
        What it is applied to.
    value : float, int, str or tuple
        Of a constant, its value; of a parameter, its name; of a field, side, name and component; of a power, n; of an
        entry of a table, the number of its column. The side ``out`` is that of results of i, which finish reads,
        ``kinds`` that of what the kinds of i and j decide.
    reads : int
        The particles that it depends on: `FROM_I`, `FROM_J`, both or neither.
    """

    op: str
    args: tuple[Node, ...] = ()
    value: float | int | str | tuple[str, str, int] = 0
    reads: int = 0

    @property
    def place(self) -> tuple[str, str, int]:
        """Side, name and component of a field."""
        assert isinstance(self.value, tuple)
        return self.value

    @property
    def is_constant(self) -> bool:
        """Whether it is a number that is known."""
        return self.op == "constant"


# The closed list of operations, with their numbers of arguments. `where` takes a condition first.
OPERATIONS = {
    "add": 2, "sub": 2, "mul": 2, "reciprocal": 1, "power": 1, "sqrt": 1, "rsqrt": 1, "rsqrt_of_positive": 1, "exp": 1,
    "log": 1, "sin": 1, "cos": 1, "atan2": 2, "abs": 1, "minimum": 2, "maximum": 2, "less": 2, "less_equal": 2,
    "equal": 2, "both": 2, "either": 2, "not": 1, "where": 3, "floor": 1, "entry": 1, "erf": 1, "erfc": 1,
    "tanh": 1,
}  # fmt: skip
CONDITIONS = ("less", "less_equal", "equal", "both", "either", "not")
STEPS = ("floor", "entry")  # whose derivative is 0
_ROOTS = ("sqrt", "rsqrt")


def _log(x: float) -> float:
    return math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan)


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.7 else math.inf


_FOLD: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "minimum": min,
    "maximum": max,
    "exp": _exp,
    "log": _log,
    "sin": math.sin,
    "cos": math.cos,
    "atan2": math.atan2,
    "erf": math.erf,
    "erfc": math.erfc,
    "tanh": math.tanh,
    "abs": abs,
    "floor": math.floor,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "rsqrt": lambda x: 0.0 if x == 0 else (1 / math.sqrt(x) if x > 0 else math.nan),
}


@dataclass
class Graph:
    """Nodes by what they are; functions of operations return nodes of it."""

    nodes: dict[tuple[object, ...], Node] = field(default_factory=dict)
    tables: dict[str, tuple[Any, Node]] = field(default_factory=dict)  # by the names of their places: of which node

    def _node(self, op: str, *args: Node, value: float | int | str | tuple[str, str, int] = 0, reads: int = 0) -> Node:
        key = self._key(op, args, value)
        known = self.nodes.get(key)
        if known is None:
            if len(self.nodes) >= MOST_NODES:
                raise _core.InputError(
                    f"an interaction has more than {MOST_NODES} operations, the most that is allowed"
                )
            for arg in args:
                reads |= arg.reads
            known = self.nodes[key] = Node(op, args, value, reads)
        return known

    @staticmethod
    def _key(op: str, args: tuple[Node, ...], value: object) -> tuple[object, ...]:
        return (op, *(id(arg) for arg in args), repr(value))  # by repr the signs of zeros differ

    def constant(self, value: float) -> Node:
        """Return a number."""
        return self._node("constant", value=float(value))

    def parameter(self, name: str) -> Node:
        """Return a parameter, which is known when the force is made."""
        return self._node("parameter", value=name)

    def field(self, side: str, name: str, component: int) -> Node:
        """Return a component of a field of i or j, or of a result of i (out)."""
        reads = {"j": FROM_J, "kinds": FROM_I | FROM_J}.get(side, FROM_I)
        return self._node("field", value=(side, name, component), reads=reads)

    def operation(self, op: str, *args: Node) -> Node:
        """Return an operation by its name, as the function of that name simplifies it, if there is one."""
        make = getattr(self, op, None)
        return make(*args) if make is not None else self.apply(op, *args)

    def apply(self, op: str, *args: Node) -> Node:
        """Return an operation of the list on some nodes, without simplification but for constants."""
        if op in _FOLD and all(arg.is_constant for arg in args):
            return self.constant(_FOLD[op](*(arg.value for arg in args)))
        return self._node(op, *args)

    def add(self, a: Node, b: Node) -> Node:
        """Return a + b."""
        if _is(a, 0):
            return b
        if _is(b, 0):
            return a
        if b.op == "mul" and _is(b.args[0], -1):
            return self.sub(a, b.args[1])
        if a.op == "mul" and _is(a.args[0], -1):
            return self.sub(b, a.args[1])
        return self.apply("add", a, b)

    def sub(self, a: Node, b: Node) -> Node:
        """Return a - b."""
        if _is(b, 0):
            return a
        if a is b:
            return self.constant(0)
        if _is(a, 0):
            return self.neg(b)
        if b.op == "mul" and _is(b.args[0], -1):
            return self.add(a, b.args[1])
        return self.apply("sub", a, b)

    def neg(self, a: Node) -> Node:
        """Return -a."""
        return self.mul(self.constant(-1), a)

    def mul(self, a: Node, b: Node) -> Node:
        """Return a b: factors of parameters alone come first, as one."""
        if _is(a, 0) or _is(b, 0):
            return self.constant(0)
        (p, x), (q, y) = self._split(a), self._split(b)
        return self._plain_mul(self._plain_mul(p, q), self._plain_mul(x, y))

    def _split(self, node: Node) -> tuple[Node, Node]:
        """Return the factor of a product that no particle decides, and the other."""
        one = self.constant(1)
        if node.reads == 0:
            return node, one
        return (node.args[0], node.args[1]) if node.op == "mul" and node.args[0].reads == 0 else (one, node)

    def _plain_mul(self, a: Node, b: Node) -> Node:
        if _is(a, 1):
            return b
        if _is(b, 1):
            return a
        if a is b:
            return self.power(a, 2)
        if b.is_constant:
            a, b = b, a
        if a.is_constant and b.op == "mul" and b.args[0].is_constant:
            return self._plain_mul(self.apply("mul", a, b.args[0]), b.args[1])
        return self._known_mul(a, b) or self._shared_mul(a, b) or self._shared_mul(b, a) or self.apply("mul", a, b)

    def _known_mul(self, a: Node, b: Node) -> Node | None:
        return self.nodes.get(self._key("mul", (a, b), 0)) or self.nodes.get(self._key("mul", (b, a), 0))

    def _shared_mul(self, a: Node, b: Node) -> Node | None:
        """Return a (x y) as (a x) y, b being x y, if the graph has a x already; else None."""
        for x, y in [b.args, b.args[::-1]] if b.op == "mul" else []:
            known = self._known_mul(a, x)
            if known is not None:
                return self.apply("mul", known, y)
        return None

    def div(self, a: Node, b: Node) -> Node:
        """Return a / b."""
        return self.mul(a, self.reciprocal(b))

    def reciprocal(self, a: Node) -> Node:
        """Return 1 / a."""
        if a.is_constant:
            return self.constant(1 / float(a.value))  # type: ignore[arg-type]
        if a.op == "reciprocal":
            return a.args[0]
        if a.op == "sqrt":
            return self.rsqrt(a.args[0])
        if a.op == "rsqrt":
            return self.sqrt(a.args[0])
        if a.op == "exp":
            return self.exp(self.neg(a.args[0]))
        if a.op == "power":
            return self.power(self.reciprocal(a.args[0]), int(a.value))  # type: ignore[arg-type]
        if a.op == "mul" and (a.args[0].reads == 0 or any(_has_root(arg) for arg in a.args)):
            return self.mul(self.reciprocal(a.args[0]), self.reciprocal(a.args[1]))
        return self.apply("reciprocal", a)

    def sqrt(self, a: Node) -> Node:
        """Return the square root of a >= 0."""
        return self.apply("sqrt", a)

    def rsqrt(self, a: Node) -> Node:
        """Return 1 / sqrt(a), and 0 where a is 0."""
        return self.apply("rsqrt", a)

    def exp(self, a: Node) -> Node:
        """Return e to the power a."""
        return self.apply("exp", a)

    def log(self, a: Node) -> Node:
        """Return the natural logarithm of a."""
        return self.apply("log", a)

    def sin(self, a: Node) -> Node:
        """Return the sine of a; of the angle of a point, by its coordinates."""
        return self.mul(a.args[0], self._inverse_radius(a)) if a.op == "atan2" else self.apply("sin", a)

    def cos(self, a: Node) -> Node:
        """Return the cosine of a; of the angle of a point, by its coordinates."""
        return self.mul(a.args[1], self._inverse_radius(a)) if a.op == "atan2" else self.apply("cos", a)

    def _inverse_radius(self, angle: Node) -> Node:
        y, x = angle.args
        return self.rsqrt(self.add(self.power(y, 2), self.power(x, 2)))

    def power(self, a: Node, n: int) -> Node:
        """Return a to a whole power."""
        if n == 0:
            return self.constant(1)
        if n == 1:
            return a
        if a.is_constant:
            return self.constant(float(a.value) ** n)  # type: ignore[arg-type]
        if a.op == "power":
            return self.power(a.args[0], n * int(a.value))  # type: ignore[arg-type]
        if a.op in _ROOTS:
            root = self.reciprocal(a.args[0]) if (a.op == "rsqrt") == (n > 0) else a.args[0]
            whole = self.power(root, abs(n) // 2)
            return whole if n % 2 == 0 else self.mul(whole, a if n > 0 else self.reciprocal(a))
        if n < 0:
            return self.power(self.reciprocal(a), -n)
        if a.op == "mul" and n % 2 == 0 and _is(a.args[0], -1):
            return self.power(a.args[1], n)
        if a.op == "mul" and n % 2 == 0 and any(_has_root(arg) for arg in a.args):
            return self.power(self.mul(self.power(a.args[0], 2), self.power(a.args[1], 2)), n // 2)
        return self._node("power", a, value=n)

    def raised(self, a: Node, exponent: Node) -> Node:
        """Return a to any power: whole and half ones by products and roots."""
        if exponent.is_constant:
            twice = 2 * float(exponent.value)  # type: ignore[arg-type]
            if twice == round(twice) and abs(twice) <= 128:
                whole, half = divmod(abs(int(twice)), 2)
                result = self.mul(self.power(a, whole), self.sqrt(a) if half else self.constant(1))
                return self.reciprocal(result) if twice < 0 else result
        return self.exp(self.mul(exponent, self.log(a)))

    def table(self, table: object, argument: Node) -> Node:
        """Return the place of a table in memory, a parameter of which no function knows. argument: of the table."""
        known = (name for name, each in self.tables.items() if each == (table, argument))
        name = next(known, f"table {len(self.tables)}")
        self.tables[name] = table, argument
        return self.parameter(name)

    def entry(self, column: int, row: Node) -> Node:
        """Return one of the four numbers of a row of a table. row: the number of its first one in memory."""
        return self._node("entry", row, value=column)

    def select(self, condition: Node, a: Node, b: Node) -> Node:
        """Return a where the condition holds, b elsewhere."""
        return a if a is b else self.apply("where", condition, a, b)


def _is(node: Node, value: float) -> bool:
    return node.is_constant and node.value == value


def _has_root(node: Node) -> bool:
    return node.op in _ROOTS or (node.op == "mul" and any(_has_root(arg) for arg in node.args))


def needed(outputs: Iterable[Node]) -> list[Node]:
    """Return the nodes that some nodes depend on, themselves among them, each behind its arguments."""
    done: dict[int, Node] = {}
    waiting = list(outputs)[::-1]
    while waiting:  # not by recursion, which Python allows a thousand deep
        node = waiting[-1]
        before = [] if id(node) in done else [arg for arg in node.args if id(arg) not in done]
        if before:
            waiting += before[::-1]
        else:
            done.setdefault(id(node), waiting.pop())
    return list(done.values())


def fields_of(nodes: Iterable[Node], side: str) -> Iterator[str]:
    """Yield the names of the fields of a side that nodes read, each once, in their order."""
    names = (node.place[1] for node in nodes if node.op == "field" and node.place[0] == side)
    yield from dict.fromkeys(names)

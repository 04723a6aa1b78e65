"""Arithmetic of an interaction as text for devices: C that OpenCL and CUDA both understand.

The names in capitals are those of src/trellis/devices/kernel_text.hpp.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trellis.interactions.graphs.graph import CONDITIONS, FROM_I, FROM_J, Node, needed

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "less": "<", "less_equal": "<=", "equal": "==", "both": "&&",
          "either": "||"}  # fmt: skip
_CALLS = {"floor": "floor", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "atan2": "atan2", "abs": "fabs"}

Read = Callable[[Node], str]


@dataclass(frozen=True)
class Precision:
    """The arithmetic of pairs.

    Attributes
    ----------
    bits : int
        32 or 64.
    """

    bits: int

    @property
    def real(self) -> str:
        """The type of values."""
        return "float" if self.bits == 32 else "double"

    def constant(self, value: float) -> str:
        """Return a number, exactly."""
        if math.isnan(value):
            return f"(({self.real})(INFINITE - INFINITE))"
        if math.isinf(value):
            return f"(({self.real}){'-' if value < 0 else ''}INFINITE)"
        if self.bits == 32:
            value = ctypes.c_float(value).value
        return f"({float(value).hex()}{'f' if self.bits == 32 else ''})"

    def operation(self, node: Node, args: Sequence[str]) -> str:
        """Return an operation on some values, which have names or are constants."""
        if node.op in _SIGNS:
            return f"{args[0]} {_SIGNS[node.op]} {args[1]}"
        if node.op in _CALLS:
            return f"{_CALLS[node.op]}({', '.join(args)})"
        zero, one = self.constant(0), self.constant(1)
        smallest = self.constant(2.0 ** (-126 if self.bits == 32 else -1022))
        texts = {
            "reciprocal": "{one} / {0}",
            "rsqrt": "{0} < {smallest} ? {zero} : RSQRT_OF_POSITIVE({0})",
            "rsqrt_of_positive": "RSQRT_OF_POSITIVE({0})",
            "minimum": "{1} < {0} ? {1} : {0}",
            "maximum": "{0} < {1} ? {1} : {0}",
            "not": "!{0}",
            "where": "{0} ? {1} : {2}",
            "entry": "tables[(int){0} + {column}]",
        }
        column = f"{node.value} - FIRST_ENTRY" if node.op == "entry" else ""
        return texts[node.op].format(*args, zero=zero, one=one, smallest=smallest, column=column)


@dataclass
class Lines:
    """Statements that compute nodes, each from values that have names already.

    Attributes
    ----------
    precision : Precision
        Of the values.
    names : dict of int to str
        Values by the identities of their nodes.
    lines : list of str
        The statements.
    """

    precision: Precision
    names: dict[int, str]
    lines: list[str]

    def add(self, nodes: Iterable[Node], read: Read) -> None:
        """Add what computes some nodes, each behind its arguments; read: what a field or a parameter is."""
        for node in nodes:
            if id(node) not in self.names:
                self._add(node, read)

    def _add(self, node: Node, read: Read) -> None:
        if node.is_constant:
            self.names[id(node)] = self.precision.constant(float(node.value))  # type: ignore[arg-type]
            return
        args = [self.names[id(arg)] for arg in node.args]
        value = self.precision.operation(node, args) if args else read(node)
        name = self.names[id(node)] = f"v{len(self.names)}"
        self.lines.append(f"    const {self.type_of(node)} {name} = {value};")

    def type_of(self, node: Node) -> str:
        """Return the type of a node's value."""
        return "int" if node.op in CONDITIONS else self.precision.real


class Stages:
    """The nodes of some outputs by when they are known: once, for each i-particle, and for each pair."""

    def __init__(self, outputs: Sequence[Node]) -> None:
        self.outputs = outputs
        self.nodes = needed(outputs)

    def known(self, *reads: int) -> list[Node]:
        """Return the nodes that depend on these particles."""
        return [node for node in self.nodes if node.reads in reads]

    def handed_on(self, reads: int, later: Sequence[int]) -> list[Node]:
        """Return the nodes that depend on these particles and are used by later ones, or are outputs."""
        used = {id(arg) for node in self.known(*later) for arg in node.args} | set(map(id, self.outputs))
        return [node for node in self.known(reads) if id(node) in used and not node.is_constant]

    @property
    def once(self) -> list[Node]:
        """What no particle decides, as far as particles need it."""
        return self.handed_on(0, [FROM_I, FROM_J, FROM_I | FROM_J])

    @property
    def of_i(self) -> list[Node]:
        """What i decides, as far as pairs need it."""
        return self.handed_on(FROM_I, [FROM_J, FROM_I | FROM_J])

    @property
    def of_j(self) -> list[Node]:
        """The fields of j."""
        return [node for node in self.known(FROM_J) if node.op == "field"]

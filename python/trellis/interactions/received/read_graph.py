"""A graph from its bytes, which src/trellis/forces/run_time/graphs/pair_graph.cpp has checked."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from trellis import _core
from trellis.interactions.graphs.graph import FROM_I, FROM_J, OPERATIONS, Node

_OPERATIONS = _core.graph_operations()
_KINDS = ("sum", "maximum", "minimum")


@dataclass(frozen=True)
class ReceivedGraph:
    """The graph of an interaction.

    Attributes
    ----------
    nodes : list of Node
        The operations, each behind its arguments. A field is a column of src/trellis/forces/run_time/graphs/
        column_batch.hpp; numbers of entries are limited to the tables.
    outputs : list of Node
        The results of a pair, and behind them the condition under which it counts, of short range.
    kinds : list of str
        The kinds of the results.
    parameters : tuple of str
        Names of the parameters.
    """

    nodes: list[Node]
    outputs: list[Node]
    kinds: list[str]
    parameters: tuple[str, ...]


def read_graph(graph: bytes) -> ReceivedGraph:
    """Return the graph that these bytes are, in the format of `code/graph_bytes.py`; without factors of sums."""
    read = _Reader(graph)
    span, components, parameters, first_entry, rows = read.numbers("<BIIII")
    read.place += 32 * rows
    nodes: list[Node] = []
    (count,) = read.numbers("<I")
    for _ in range(count):
        node = _node(read, nodes, first_entry, first_entry + 4 * (rows - 1))
        nodes.append(_relative_to_i(node, components) if span else node)
    (results,) = read.numbers("<I")
    kinds, outputs = [], []
    for _ in range(results):
        kind, value, *_ = read.numbers("<BI" if span == 1 else "<BII")
        kinds.append(_KINDS[kind])
        outputs.append(nodes[value])
    if span:
        outputs.append(nodes[read.numbers("<I")[0]])
    return ReceivedGraph(nodes, outputs, kinds, tuple(map(str, range(parameters))))


class _Reader:
    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def numbers(self, kinds: str) -> tuple[Any, ...]:
        """Return the next numbers."""
        begin, self.place = self.place, self.place + struct.calcsize(kinds)
        return struct.unpack_from(kinds, self.content, begin)


def _node(read: _Reader, nodes: list[Node], first_entry: int, last_row: int) -> Node:
    op = _OPERATIONS[read.numbers("<B")[0]]
    if op == "constant":
        return Node(op, value=read.numbers("<d")[0])
    if op == "parameter":
        return Node(op, value=str(read.numbers("<I")[0]))
    if op in ("of_i", "of_j"):
        return _column(op, read.numbers("<I")[0])
    value = read.numbers("<I")[0] if op == "entry" else 0
    args = tuple(nodes[number] for number in read.numbers(f"<{OPERATIONS[op]}I"))
    if op == "entry":
        args = (_limited(args[0], first_entry, last_row),)
    return _applied(op, args, value)


def _column(op: str, number: int) -> Node:
    side = op[-1]
    return Node("field", value=(side, "column", number), reads=FROM_I if side == "i" else FROM_J)


def _relative_to_i(node: Node, components: int) -> Node:
    """Return a component of a position relative to that of i, of which columns have rounded values and the rest."""
    if node.op != "field" or node.place[2] > 2:
        return node
    axis = node.place[2]
    if node.reads == FROM_I:
        return Node("constant", value=0.0)
    rounded, rest = (
        _applied("sub", (_column("of_j", number), _column("of_i", number))) for number in (axis, components + axis)
    )
    return _applied("add", (rounded, rest))


def _applied(op: str, args: tuple[Node, ...], value: int = 0) -> Node:
    reads = 0
    for arg in args:
        reads |= arg.reads
    return Node(op, args, value, reads)


def _limited(number: Node, least: int, most: int) -> Node:
    """Return a number that names a row of the tables, whatever the number is; `least` for NaN."""
    above = _applied("maximum", (Node("constant", value=float(least)), number))
    return _applied("minimum", (Node("constant", value=float(most)), above))

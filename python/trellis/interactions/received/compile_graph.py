"""Loops over pairs of a graph that the core has checked, compiled by LLVM."""

from __future__ import annotations

from importlib.util import find_spec

from trellis.interactions.code.compiled import functions, machine
from trellis.interactions.code.functions import joined
from trellis.interactions.code.lower import Lowering
from trellis.interactions.code.tree_loops import AddOwn, AddPairs, PairsInColumns
from trellis.interactions.graphs.graph import Node
from trellis.interactions.received.read_graph import ReceivedGraph, read_graph

_MOST_LINES = 20000  # lines of text: they bound the time that LLVM takes


def compiled_loops(graph: bytes, bits: int) -> tuple[int, int] | None:
    """Return the addresses of the loops in a precision, as src/trellis/forces/run_time/loops/column_loops.hpp has them.

    None without llvmlite, and for graphs that are too large or have an operation that vectors have not.
    """
    if find_spec("llvmlite") is None:
        return None
    received = read_graph(graph)
    if bits == 32 and any(node.op == "atan2" and node.reads for node in received.nodes):
        return None
    text = loops_text(received, bits, at_once=1)
    lines = text.count("\n")
    if lines > _MOST_LINES:
        return None
    if lines <= _MOST_LINES // 8:
        text = loops_text(received, bits, at_once=8)
    names = tuple(f"{loop}_{'single' if bits == 32 else 'double'}" for loop in ("add_pairs", "add_own"))
    made = functions(text, names, machine())
    return made[names[0]], made[names[1]]


def loops_text(received: ReceivedGraph, bits: int, at_once: int) -> str:
    """Return the loops as text of LLVM; at_once: batches of j-particles."""
    lowering = Lowering(received.outputs, received.parameters)
    pairs = PairsInColumns(machine(), lowering, received.kinds, _component, at_once)
    return joined([AddPairs(pairs, bits).text(), AddOwn(pairs, bits).text()], pairs.machine)


def _component(field: Node) -> int:
    return field.place[2]

"""The graph of an interaction as bytes, of which devices make their kernels.

The format is that of src/trellis/forces/run_time/graphs/pair_graph.cpp; the text of the kernels is written there, on
the machine that has the device.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping

from trellis import _core
from trellis.interactions.code.layout import components_of
from trellis.interactions.code.memory import entries_of, first_entry
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.program import Program
from trellis.interactions.graphs.graph import Node, needed

_OPERATIONS = {name: number for number, name in enumerate(_core.graph_operations())}
_KINDS = {"sum": 0, "maximum": 1, "minimum": 2}


def device_graph(program: Program, name: str) -> dict[str, object]:
    """Return the graph, and the name by which devices know its kernels."""
    graph = graph_bytes(program)
    return {"kernel_name": f"{name}.{hashlib.sha256(graph).hexdigest()[:16]}", "graph": graph}


def graph_bytes(program: Program) -> bytes:
    """Return what a device computes for a pair: of all operations, results, and when a pair counts."""
    short = program.reach is not None
    layout = program.layout
    kinds = [output.kind for output in layout.outputs for _ in output.nodes]
    made = program.prepared([*program.values(), *([program.within()] if short else [])])
    values, tests = made[: len(kinds)], made[len(kinds) :]
    finished = not short or program.systems
    span = 0 if not short else 2 if finished else 1
    factors = prepared(program.graph, [output.factor for output in layout.outputs]) if finished else []
    nodes = needed([*values, *tests, *factors])
    numbers = {id(node): number for number, node in enumerate(nodes)}
    of_results = [factor for output, factor in zip(layout.outputs, factors, strict=False) for _ in output.nodes]
    parts = [
        struct.pack("<BII", span, components_of(layout.fields), max(1, len(program.parameters))),
        _tables(program),
        struct.pack("<I", len(nodes)),
        *(_node(program, node, numbers) for node in nodes),
        struct.pack("<I", len(values)),
    ]
    for c, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        parts.append(struct.pack("<BI", _KINDS[kind], numbers[id(value)]))
        if finished:
            parts.append(struct.pack("<I", numbers[id(of_results[c])]))
    return b"".join([*parts, *(struct.pack("<I", numbers[id(test)]) for test in tests)])


def _tables(program: Program) -> bytes:
    """Return the coefficients of all tables."""
    tables = program.graph.tables
    if not tables:
        return struct.pack("<II", 0, 0)
    entries = entries_of(tables)
    return struct.pack("<II", first_entry(program.parameters, tables), len(entries) // 4) + entries.tobytes()


def _node(program: Program, node: Node, numbers: Mapping[int, int]) -> bytes:
    if node.is_constant:
        return struct.pack("<Bd", _OPERATIONS["constant"], float(node.value))  # type: ignore[arg-type]
    if node.op == "parameter":
        return struct.pack("<BI", _OPERATIONS["parameter"], program.parameters.index(str(node.value)))
    if node.op == "field":
        side, place = node.place[0], program.layout.place(node)
        component = place if side == "j" else program.layout.target_components[place]
        return struct.pack("<BI", _OPERATIONS[f"of_{side}"], component)
    if node.op == "entry":
        column = int(node.value)  # type: ignore[arg-type]
        return struct.pack("<BII", _OPERATIONS["entry"], column, numbers[id(node.args[0])])
    return struct.pack(f"<B{len(node.args)}I", _OPERATIONS[node.op], *(numbers[id(arg)] for arg in node.args))

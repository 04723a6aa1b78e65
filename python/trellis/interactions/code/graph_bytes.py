"""The graph of an interaction as bytes, of which devices make their kernels.

The format is that of src/trellis/forces/run_time/graphs/pair_graph.cpp; the text of the kernels is written there, on
the machine that has the device.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Mapping, Sequence

from trellis import _core
from trellis.interactions.code.expansion_text import RADIAL_FIELDS, derivatives_of
from trellis.interactions.code.layout import components_of
from trellis.interactions.code.memory import Tables, entries_of, first_entry
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.program import Program
from trellis.interactions.graphs.graph import Node, needed

_OPERATIONS = {name: number for number, name in enumerate(_core.graph_operations())}
_KINDS = {"sum": 0, "maximum": 1, "minimum": 2}


def device_graph(program: Program, name: str) -> dict[str, object]:
    """Return the graphs of pairs and of the far field, and the name by which devices know their kernels."""
    graph, far_graph = graph_bytes(program), far_graph_bytes(program)
    content = hashlib.sha256(graph + far_graph).hexdigest()
    return {"kernel_name": f"{name}.{content[:16]}", "graph": graph, "far_graph": far_graph}


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


def far_graph_bytes(program: Program) -> bytes:
    """Return the radial derivatives of a potential, and the response of i as their factor; b"" without a potential.

    Component 0 of j is the squared distance, component 1 the squared unit: see forces/run_time/far_field/far_graph.hpp.
    """
    if program.potential is None:
        return b""
    derivatives = derivatives_of(program.potential)
    (response,) = prepared(program.potential.graph, [program.potential.response])
    nodes = needed([*derivatives, response])
    numbers = {id(node): number for number, node in enumerate(nodes)}
    return b"".join(
        [
            struct.pack("<BII", 0, components_of(program.layout.fields), max(1, len(program.parameters))),
            struct.pack("<III", 0, 0, len(nodes)),
            *(_node(program, node, numbers) for node in nodes),
            struct.pack("<I", len(derivatives)),
            *(struct.pack("<BII", _KINDS["sum"], numbers[id(node)], numbers[id(response)]) for node in derivatives),
        ]
    )


def _tables(program: Program) -> bytes:
    return tables_in_bytes(program.graph.tables, program.parameters)


def tables_in_bytes(tables: Tables, parameters: Sequence[str]) -> bytes:
    """Return the coefficients of all tables."""
    if not tables:
        return struct.pack("<II", 0, 0)
    entries = entries_of(tables)
    return struct.pack("<II", first_entry(parameters, tables), len(entries) // 4) + entries.tobytes()


def _node(program: Program, node: Node, numbers: Mapping[int, int]) -> bytes:
    return node_in_bytes(node, numbers, program.parameters, lambda field: _component(program, field))


def node_in_bytes(
    node: Node, numbers: Mapping[int, int], parameters: Sequence[str], component: Callable[[Node], int]
) -> bytes:
    """Return an operation; numbers: of its arguments, by identity; component: the number of a field's component."""
    if node.is_constant:
        return struct.pack("<Bd", _OPERATIONS["constant"], float(node.value))  # type: ignore[arg-type]
    if node.op == "parameter":
        return struct.pack("<BI", _OPERATIONS["parameter"], parameters.index(str(node.value)))
    if node.op == "field":
        return struct.pack("<BI", _OPERATIONS[f"of_{node.place[0]}"], component(node))
    if node.op == "entry":
        column = int(node.value)  # type: ignore[arg-type]
        return struct.pack("<BII", _OPERATIONS["entry"], column, numbers[id(node.args[0])])
    return struct.pack(f"<B{len(node.args)}I", _OPERATIONS[node.op], *(numbers[id(arg)] for arg in node.args))


def _component(program: Program, node: Node) -> int:
    """Return the number of a field's component among those of all fields, or of what derivatives read."""
    side, name, _ = node.place
    if name in RADIAL_FIELDS:
        return RADIAL_FIELDS.index(name)
    place = program.layout.place(node)
    return place if side == "j" else program.layout.target_components[place]

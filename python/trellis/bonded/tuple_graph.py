"""The graph of a tuple as bytes, of which devices make kernels: see src/trellis/forces/run_time/tuples/tuple_graph.hpp.

Its values are all parameters: numbers first, then those of each tuple, so that tuples of several lists have one kernel.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from trellis.bonded.coordinates import Coordinate
from trellis.bonded.tuple_loop import Potential, first_components, traced
from trellis.interactions.code.graph_bytes import node_in_bytes, tables_in_bytes
from trellis.interactions.code.memory import Tables, first_entry
from trellis.interactions.code.prepare import prepared
from trellis.interactions.graphs.graph import Node, needed
from trellis.interactions.graphs.symbols import Trace


def graph_maker(coordinate: Coordinate, potential: Potential, names: Sequence[str]) -> Callable[[], bytes]:
    """Return a function that returns the graph of a tuple's energy and its derivatives.

    Parameters
    ----------
    coordinate : Coordinate
        The potential's variable.
    potential : str or callable
        An expression, or a function.
    names : sequence of str
        All parameters, in the order of the values.
    """
    if isinstance(potential, str):
        return partial(_graph_of_expression, coordinate, potential, tuple(names))
    trace, outputs = traced(coordinate, potential, [], names)  # later it may be another function of values outside it
    return partial(_in_bytes, coordinate, names, trace, outputs)


@lru_cache
def _graph_of_expression(coordinate: Coordinate, potential: str, names: tuple[str, ...]) -> bytes:
    return _in_bytes(coordinate, names, *traced(coordinate, potential, [], names))


def _in_bytes(coordinate: Coordinate, names: Sequence[str], trace: Trace, energy_and_derivatives: list[Node]) -> bytes:
    graph, first = trace.graph, first_components(coordinate, names)
    one = graph.constant(1.0)
    starts = _first_coefficients(graph.tables)
    outputs = prepared(graph, energy_and_derivatives)
    nodes = needed([*outputs, one])
    numbers = {id(node): number for number, node in enumerate(nodes)}

    def in_bytes(node: Node) -> bytes:
        if node.op == "parameter":
            node = graph.constant(starts[str(node.value)])
        return node_in_bytes(node, numbers, [], lambda field: first[field.place[1]] + field.place[2])

    components = 3 * (coordinate.members - 1) + len(names)
    return b"".join(
        [
            struct.pack("<BII", 0, components, 1),
            tables_in_bytes(graph.tables, []),
            struct.pack("<I", len(nodes)),
            *map(in_bytes, nodes),
            struct.pack("<I", len(outputs)),
            *(struct.pack("<BII", 0, numbers[id(node)], numbers[id(one)]) for node in outputs),
        ]
    )


def _first_coefficients(tables: Tables) -> dict[str, float]:
    """Return the number of the first coefficient of each table."""
    if not tables:
        return {}
    sizes = [table.coefficients.size for table, _ in tables.values()]
    starts = first_entry([], tables) + np.cumsum([0, *sizes[:-1]])
    return {name: float(start) for name, start in zip(tables, starts, strict=True)}

"""The function that computes tuples, one in each lane: see src/trellis/forces/bonded/tuple_function.hpp."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trellis import _core
from trellis.bonded.coordinates import Coordinate
from trellis.interactions.code.compiled import functions, machine
from trellis.interactions.code.counted_loop import counted_loop
from trellis.interactions.code.functions import joined
from trellis.interactions.code.instructions import Machine
from trellis.interactions.code.lower import Lowering
from trellis.interactions.code.memory import in_memory
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.calculus import derivative, substituted
from trellis.interactions.graphs.expression import value_of
from trellis.interactions.graphs.graph import Node
from trellis.interactions.graphs.place import Place
from trellis.interactions.graphs.symbols import Number, Trace, Vector

Potential = str | Callable[..., Any]


def compiled(
    coordinate: Coordinate, potential: Potential, parameters: Mapping[str, float], of_each: Sequence[str]
) -> tuple[int, list[float]]:
    """Return the address of the function of a potential, and what it finds behind the address of its parameters.

    Parameters
    ----------
    coordinate : Coordinate
        The potential's variable.
    potential : str or callable
        An expression, or a function.
    parameters : mapping
        The parameters that are the same for all tuples.
    of_each : sequence of str
        Those of which each tuple has its own value.
    """
    trace, outputs = traced(coordinate, potential, list(parameters), of_each)
    names = [*parameters, *trace.graph.tables]
    here = machine()
    first = first_components(coordinate, of_each)
    made = functions(_module_of(trace, outputs, names, first, here), ("evaluate",), here)
    return made["evaluate"], in_memory(names, parameters, trace.graph.tables)


def _step(k: int) -> str:
    return f"step {k}"  # a name that no parameter has


def first_components(coordinate: Coordinate, of_each: Sequence[str]) -> dict[str, int]:
    """Return the number of the first component of each field of `traced`: the steps, then the values of each tuple."""
    steps = coordinate.members - 1
    return {_step(k): 3 * k for k in range(steps)} | {name: 3 * steps + k for k, name in enumerate(of_each)}


def traced(
    coordinate: Coordinate, potential: Potential, parameters: Sequence[str], of_each: Sequence[str]
) -> tuple[Trace, list[Node]]:
    """Return the energy of a tuple and its derivatives by the components of the steps."""
    trace = Trace(Place(coordinate.call, getattr(potential, "__code__", traced.__code__)))
    graph = trace.graph
    known = {name: Number(trace, graph.parameter(name)) for name in parameters}
    known |= {name: Number(trace, graph.field("j", name, 0)) for name in of_each}
    variable = graph.field("j", coordinate.symbol, 0)
    energy = trace.node(value_of(potential, Number(trace, variable), known, coordinate.symbol))
    slope = derivative(graph, energy, variable)
    steps = [
        Vector(trace, (graph.field("j", step, 0), graph.field("j", step, 1), graph.field("j", step, 2)))
        for step in map(_step, range(coordinate.members - 1))
    ]
    value, by_steps = coordinate.of(steps)
    energy, slope = (substituted(graph, node, variable, value.node) for node in (energy, slope))
    return trace, [energy, *(graph.mul(slope, component) for by_step in by_steps for component in by_step.components)]


def _module_of(
    trace: Trace, outputs: Sequence[Node], parameters: Sequence[str], first: Mapping[str, int], machine: Machine
) -> str:
    code = VectorCode(machine, 64, machine.vector_bytes // 8)
    lowering = Lowering(prepared(trace.graph, outputs), parameters)
    values = lowering.of_parameters(code)
    stride = _core.tuples_at_once

    def body(j: str, _: list[str]) -> list[str]:
        given = code.put(f"getelementptr double, ptr %s, i64 {j}")
        (batch,) = lowering.of_pairs(
            code, values, [lambda node: code.load(given, stride * (first[node.place[1]] + node.place[2]))]
        )
        taken = code.put(f"getelementptr double, ptr %o, i64 {j}")
        for c, node in enumerate(lowering.outputs):
            code.store(batch[id(node)], taken, stride * c)
        return []

    counted_loop(code, "each", "entry", "0", "%m", code.lanes, [], body)
    code.lines.append("  ret void")
    text = code.function("void", "evaluate", "ptr noalias %p, ptr noalias %s, ptr noalias %o, i64 %m")
    return joined([(text, code.declarations)], machine)

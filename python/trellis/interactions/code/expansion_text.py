"""Radial derivatives of a central potential, and the effect of a far field, as text of LLVM: for expansions."""

from __future__ import annotations

import math

from trellis.interactions.code.lower import Lowering
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.program import CentralPotential, Program
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import Graph, Node
from trellis.interactions.graphs.softened import SQUARES
from trellis.interactions.graphs.taylor import taylor

RADIAL_DERIVATIVES = 7  # as run_time_pair.hpp has it
RADIAL_FIELDS = _DISTANCE, _UNIT = SQUARES  # fields of j, as derivatives read them


def squared_distance(graph: Graph) -> Node:
    """Return the node by which potentials of expansions are written."""
    return graph.field("j", _DISTANCE, 0)


def derivatives_of(potential: CentralPotential) -> list[Node]:
    """Return g_n unit^(2 n) of a potential, which reads `RADIAL_FIELDS` alone."""
    graph = potential.graph
    r2, unit2 = squared_distance(graph), graph.field("j", _UNIT, 0)
    series = taylor(graph, potential.value, r2, unit2, RADIAL_DERIVATIVES)
    return prepared(graph, [graph.mul(graph.constant(2.0**n * math.factorial(n)), c) for n, c in enumerate(series)])


def radial(program: Program, bits: int, lanes: int, name: str) -> tuple[str, set[str]]:
    """Return what computes g_n unit^(2 n) of a potential: g_0 = f, g_(n + 1) = (1 / r) dg_n/dr."""
    assert program.potential is not None
    code = VectorCode(program.machine, bits, lanes)
    lowering = Lowering(derivatives_of(program.potential), program.parameters)

    def load(node: Node) -> str:
        return code.load_from("%s" if node.place[1] == _DISTANCE else "%u")

    (values,) = lowering.of_pairs(code, lowering.of_parameters(code), [load])
    for n, output in enumerate(lowering.outputs):
        code.store(values[id(output)], "%g", n * lanes)
    code.lines.append("  ret void")
    return code.function("void", name, "ptr %p, ptr %s, ptr %u, ptr noalias %g"), code.declarations


def far_field(program: Program) -> tuple[str, set[str]]:
    """Return what adds the effect of a far field, its value and gradient, on an i-particle to the results."""
    assert program.potential is not None
    code = VectorCode(program.machine, 64, 1)
    graph = program.potential.graph
    lowering = Lowering(prepared(graph, [program.potential.response]), program.parameters)
    values = lowering.of_targets(
        code, lowering.of_parameters(code), lambda node: code.load("%t", program.layout.place(node))
    )
    response = values[id(lowering.outputs[0])]
    place = 0
    for output in program.layout.outputs:
        for axis in range(len(output.nodes)):
            of_field = code.load("%f", 0 if output.field[0] == "potential" else 1 + axis)
            effect = code.mul(response, of_field)
            if output.field[0] == "acceleration":
                effect = code.negative(effect)
            code.store(code.add(code.load("%o", place), effect), "%o", place)
            place += 1
    code.lines.append("  ret void")
    return code.function("void", "far_field", "ptr %p, ptr %t, ptr %f, ptr %o"), code.declarations

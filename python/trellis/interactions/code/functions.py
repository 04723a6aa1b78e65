"""All functions of an interaction as a module of LLVM.

Their arguments are those of src/trellis/forces/run_time/run_time_pair.hpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from trellis.interactions.code.cluster_loops import ClusterLoop
from trellis.interactions.code.expansion_text import far_field, radial
from trellis.interactions.code.instructions import Machine
from trellis.interactions.code.kind_rows import fill_rows
from trellis.interactions.code.lower import Lowering
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.program import Program
from trellis.interactions.code.tile_loops import TileLoop, finish_tile, tile_numbers
from trellis.interactions.code.tree_loops import AddOwn, AddPairs, PairsInColumns
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import FROM_I, Node


def names_of(program: Program) -> tuple[str, ...]:
    """Return the names of the functions."""
    if program.systems:
        return ("finish_tile", *(f"tile_{number}" for number in tile_numbers(program)))
    loops = ["add_pairs", "add_own"] if program.reach is None else ["cluster"]
    if program.rows is not None:
        loops.append("fill_rows")
    if program.potential is not None:
        loops.append("radial")
    once = ["pair", "finish"] if program.potential is None else ["pair", "finish", "radial_of_one", "far_field"]
    return (*once, *(f"{loop}_{precision}" for loop in loops for precision in ("single", "double")))


def module_of(program: Program) -> str:
    """Return the functions as text."""
    if program.systems:
        tiles = [TileLoop(program, number).text() for number in tile_numbers(program)]
        return joined([finish_tile(program), *tiles], program.machine)
    made = [_pair(program), _finish(program)]
    for bits in (32, 64):
        if program.reach is None:
            pairs = PairsInColumns.of(program)
            made += [AddPairs(pairs, bits).text(), AddOwn(pairs, bits).text()]
        else:
            made.append(ClusterLoop(program, bits).text())
            if program.rows is not None:
                made.append(fill_rows(program, program.rows, bits))
    if program.potential is not None:
        made += [far_field(program), radial(program, 64, 1, "radial_of_one")]
        for bits, precision in ((32, "single"), (64, "double")):
            made.append(radial(program, bits, 8 * program.machine.vector_bytes // bits, f"radial_{precision}"))
    return joined(made, program.machine)


def joined(made: Sequence[tuple[str, set[str]]], machine: Machine) -> str:
    """Return functions, each with the declarations that it needs, as a module."""
    declarations = sorted(set().union(*(needs for _, needs in made)))
    width = 8 * machine.vector_bytes
    attributes = f'nounwind "prefer-vector-width"="{width}" "min-legal-vector-width"="{width}"'
    if machine.cpu:
        attributes += f' "target-cpu"="{machine.cpu}"'
    return "\n".join([*(text for text, _ in made), *declarations, f"attributes #0 = {{ {attributes} }}", ""])


def _pair(program: Program) -> tuple[str, set[str]]:
    """Return what computes one pair, in double precision; its value is the square of the reach."""
    code = VectorCode(program.machine, 64, 1)
    reach = program.graph.constant(0) if program.reach is None else program.graph.power(program.reach, 2)
    lowering = Lowering(program.prepared([*program.values(), reach]), program.parameters)

    def load(node: Node) -> str:
        return code.load("%t" if node.reads == FROM_I else "%s", program.layout.place(node))

    values = lowering.of_targets(code, lowering.of_parameters(code), load)
    (values,) = lowering.of_pairs(code, values, [load])
    *results, reach_value = (values[id(node)] for node in lowering.outputs)
    for c, value in enumerate(results):
        code.store(value, "%o", c)
    code.lines.append(f"  ret double {reach_value}")
    return code.function("double", "pair", "ptr %p, ptr %t, ptr %s, ptr %o"), code.declarations


def _finish(program: Program) -> tuple[str, set[str]]:
    """Return what makes results of sums, and of extremes."""
    code = VectorCode(program.machine, 64, 1)
    after = [node for output in program.layout.outputs for node in output.after]
    lowering = Lowering(prepared(program.graph, after), program.parameters)

    def load(node: Node) -> str:
        return code.load("%o" if node.place[0] == "out" else "%t", program.layout.place(node))

    values = lowering.of_targets(code, lowering.of_parameters(code), load)
    for c, node in enumerate(lowering.outputs):
        changed = node.op != "field" or node.place[0] != "out" or program.layout.place(node) != c
        if changed:
            code.store(values[id(node)], "%o", c)
    code.lines.append("  ret void")
    return code.function("void", "finish", "ptr %p, ptr %t, ptr %o"), code.declarations

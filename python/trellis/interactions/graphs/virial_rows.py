"""The virial tensor of an interaction: the sum of r_a f_b over pairs, r from the other particle to this one."""

from __future__ import annotations

from trellis.interactions.graphs.trace import Output, Traced

ROWS = ("virial_x", "virial_y", "virial_z")  # results: row a of the tensor is the sum of r_a f


def virial_rows(traced: Traced) -> tuple[Output, ...] | None:
    """Return `ROWS` of an interaction by its accelerations; None if these are no sums over pairs."""
    graph = traced.trace.graph
    by_name = {output.field[0]: output for output in traced.outputs if output.kind == "sum"}
    pulls = by_name.get("acceleration")
    if pulls is None or traced.finish:
        return None
    rows = []
    for axis, name in enumerate(ROWS):
        r = graph.sub(graph.field("i", "position", axis), graph.field("j", "position", axis))
        nodes = tuple(graph.mul(r, pull) for pull in pulls.nodes)
        factor = graph.mul(graph.field("i", "mass", 0), pulls.factor)
        rows.append(Output.of(graph, (name, 3, "", ""), "sum", nodes, factor))
    return tuple(rows)

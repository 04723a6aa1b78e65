"""Pairs by the position of j relative to i, in both directions."""

from __future__ import annotations

from collections.abc import Sequence

from trellis.interactions.graphs.calculus import rebuilt
from trellis.interactions.graphs.graph import FROM_I, Graph, Node, needed


def relative(graph: Graph, outputs: Sequence[Node], *, reverse: bool = False) -> dict[int, Node]:
    """Return what outputs and all that they depend on become where i is at the origin, by their identities.

    The position of j is then the vector from i to j. reverse: what j gets from i, by the same vector.
    """
    made: dict[int, Node] = {}
    for node in needed(outputs):
        of_i = node.reads == FROM_I
        if node.op != "field":
            made[id(node)] = rebuilt(graph, node, [made[id(arg)] for arg in node.args])
            continue
        _, name, component = node.place
        if name != "position":
            made[id(node)] = graph.field("i" if of_i != reverse else "j", name, component)
        elif of_i:
            made[id(node)] = graph.constant(0)
        else:
            vector = graph.field("j", name, component)
            made[id(node)] = graph.neg(vector) if reverse else vector
    return made

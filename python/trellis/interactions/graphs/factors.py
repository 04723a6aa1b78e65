"""Factors of a sum that are the same for all j-particles: they are multiplied once, behind the loop over pairs."""

from __future__ import annotations

from trellis.interactions.graphs.graph import FROM_J, Graph, Node


def taken_out(graph: Graph, node: Node) -> tuple[Node, Node]:
    """Return a factor that j does not decide, and the rest."""
    known: dict[int, tuple[Node, Node]] = {}
    one = graph.constant(1)

    def split(node: Node) -> tuple[Node, Node]:
        if id(node) not in known:
            known[id(node)] = _split(node)
        return known[id(node)]

    def _split(node: Node) -> tuple[Node, Node]:
        if not node.reads & FROM_J:
            return node, one
        if node.op == "mul":
            (p, x), (q, y) = map(split, node.args)
            return graph.mul(p, q), graph.mul(x, y)
        if node.op in ("add", "sub"):
            (p, x), (q, y) = map(split, node.args)
            if p is q:
                return p, graph.apply(node.op, x, y)
        return one, node

    return split(node)

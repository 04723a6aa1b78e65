"""The graph as a processor computes it best: powers as products, and one root where a reciprocal would do as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from trellis.interactions.graphs.graph import Graph, Node, needed
from trellis.interactions.graphs.softened import is_sum_of_squares


def prepared(graph: Graph, outputs: Sequence[Node], softened: Container[int] = ()) -> list[Node]:
    """Return outputs of the same values without the operations `power` and `sqrt`.

    Roots of arguments that are softened, by identity, need no test for 0.

    1 / x is the square of 1 / sqrt(x) where that is there already and x is a sum of squares, unless a higher power
    would show its error: of another x the root may be in a branch that is not taken where x is negative. With branches
    a sum of squares and a parameter is softened, or may be negative, too. Such a sum is added up beginning with the
    parameter, by as many multiply-adds as there are squares.
    """
    nodes = needed(outputs)
    uses = Counter(id(arg) for node in nodes for arg in node.args)
    uses.update(id(output) for output in outputs)
    roots = [node.args[0] for node in nodes if node.op in ("sqrt", "rsqrt")]
    branches = any(node.op == "where" for node in nodes)
    rooted = {id(root) for root in roots if id(root) in softened or is_sum_of_squares(root, alone=branches)}
    powers = [node for node in nodes if node.op == "power" and int(node.value) > 2]  # type: ignore[arg-type]
    precise = {id(node) for node in needed(power.args[0] for power in powers)}
    made: dict[int, Node] = {}

    def chain(base: Node, n: int) -> Node:
        if n == 1:
            return base
        if n % 2 == 0:
            half = chain(base, n // 2)
            return graph.apply("mul", half, half)
        if n % 3 == 0:
            third = chain(base, n // 3)
            return graph.apply("mul", graph.apply("mul", third, third), third)
        return graph.apply("mul", chain(base, n - 1), base)

    def rsqrt(of: Node) -> Node:
        return graph.apply("rsqrt_of_positive" if id(of) in softened else "rsqrt", made[id(of)])

    def with_last(sum_: Node, last: Node) -> Node:
        if sum_.op == "add" and uses[id(sum_)] == 1:
            return with_last(sum_.args[0], graph.apply("add", made[id(sum_.args[1])], last))
        return graph.apply("add", made[id(sum_)], last)

    def rewritten(node: Node) -> Node:
        args = [made[id(arg)] for arg in node.args]
        if node.op == "power":
            return chain(args[0], int(node.value))  # type: ignore[arg-type]
        if node.op == "sqrt":
            return graph.apply("mul", args[0], rsqrt(node.args[0]))
        if node.op == "rsqrt":
            return rsqrt(node.args[0])
        if node.op == "reciprocal" and id(node.args[0]) in rooted and id(node) not in precise:
            return chain(rsqrt(node.args[0]), 2)
        if node.op == "add" and node.args[1].reads == 0:
            return with_last(node.args[0], args[1])
        if node.op == "entry":
            return graph.entry(int(node.value), *args)  # type: ignore[arg-type]
        return graph.apply(node.op, *args) if args else node

    for node in nodes:
        made[id(node)] = rewritten(node)
    return [made[id(output)] for output in outputs]

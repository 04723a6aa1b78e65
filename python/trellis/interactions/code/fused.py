"""Which products become part of the sums that they are added to, as multiply-adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trellis.interactions.graphs.graph import FROM_J, Node


def fused(nodes: Sequence[Node], outputs: Sequence[Node]) -> dict[int, Node]:
    """Return the product that is computed with a sum or difference, by the identity of the latter.

    As g++ mostly does: a product that is used once, and of two products the second. So results have the bits of the
    same interaction in C++, where the compiler is not in the way.
    """
    uses = Counter(id(arg) for node in nodes for arg in node.args)
    uses.update(id(output) for output in outputs)

    def can_be_part(node: Node) -> bool:
        varies = bool(node.reads & FROM_J)
        return node.op == "mul" and varies and uses[id(node)] == 1 and not node.args[0].is_constant

    within: dict[int, Node] = {}
    for node in nodes:
        if node.op in ("add", "sub"):
            product = next(filter(can_be_part, reversed(node.args)), None)
            if product is not None:
                within[id(node)] = product
    return within

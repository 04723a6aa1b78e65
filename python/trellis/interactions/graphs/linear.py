"""Linearity of what is computed in some fields, so that it may be computed of their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from trellis.interactions.graphs.graph import Node

INDEPENDENT, LINEAR, OTHER = range(3)
DegreeOf = Callable[[Node], int]


def are_linear(nodes: Iterable[Node], degree_of: DegreeOf) -> bool:
    """Return whether nodes are linear in the fields of which `degree_of` says so; it is given all that they read."""
    known: dict[int, int] = {}
    return all(_degree(node, degree_of, known) == LINEAR for node in nodes)


def are_linear_in_j(nodes: Iterable[Node]) -> bool:
    """Return whether nodes are 0 or linear in what they read of j, so that a far cell may act by sums of that."""

    def degree(field: Node) -> int:
        side, name, _ = field.place
        return OTHER if side == "kinds" else LINEAR if side == "j" and name != "position" else INDEPENDENT

    return are_linear((node for node in nodes if not is_zero(node)), degree)


def _degree(node: Node, degree_of: DegreeOf, known: dict[int, int]) -> int:
    if id(node) not in known:
        of_args = [_degree(arg, degree_of, known) for arg in node.args]
        known[id(node)] = degree_of(node) if node.op == "field" else _new_degree(node, of_args)
    return known[id(node)]


def _new_degree(node: Node, degrees: list[int]) -> int:
    if node.op == "mul":
        return min(sum(degrees), OTHER)
    if node.op == "where" and degrees[0] == INDEPENDENT:
        degrees = [d for d, arg in zip(degrees, node.args, strict=True) if not is_zero(arg)][1:]
    if node.op in ("add", "sub", "where") and len(set(degrees)) == 1:
        return degrees[0]
    return OTHER if any(degrees) else INDEPENDENT


def is_zero(node: Node) -> bool:
    """Return whether a node is the number 0."""
    return node.is_constant and node.value == 0

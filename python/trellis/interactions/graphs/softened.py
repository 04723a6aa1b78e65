"""Roots that are never taken of 0: a softening is added to squares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from trellis.interactions.graphs.calculus import rebuilt
from trellis.interactions.graphs.graph import Graph, Node, needed

SQUARES = ("squared distance", "squared unit")
"""Fields by which potentials of expansions are written."""

_SMALLEST = 2.0**-126  # that single precision has in full


def softened_roots(outputs: Iterable[Node], values: Mapping[str, float]) -> frozenset[int]:
    """Return which arguments of roots are above 0 whatever particles do, by identity; values: of the parameters."""
    roots = [node.args[0] for node in needed(outputs) if node.op in ("sqrt", "rsqrt")]
    return frozenset(id(root) for root in roots if _is_softened(root, values))


def is_sum_of_squares(node: Node, *, alone: bool = False) -> bool:
    """Return whether what particles add to a node is squares, beside numbers and parameters, or alone."""
    terms = _terms(node)
    return all(_is_square(term) for term in terms if term.reads) and not (
        alone and any(not term.reads for term in terms)
    )


def _is_softened(root: Node, values: Mapping[str, float]) -> bool:
    given = [number(term, values) for term in _terms(root) if not term.reads]
    return is_sum_of_squares(root) and all(value >= 0 for value in given) and sum(given) >= _SMALLEST


def _terms(node: Node) -> list[Node]:
    return [*_terms(node.args[0]), *_terms(node.args[1])] if node.op == "add" else [node]


def _is_square(node: Node) -> bool:
    if node.op == "field":
        return node.place[1] in SQUARES
    return node.op == "power" and int(node.value) % 2 == 0  # type: ignore[arg-type]


def number(node: Node, values: Mapping[str, float]) -> float:
    """Return the value of a node that no particle decides; nan if it depends on conditions, or is not finite."""
    graph, made = Graph(), dict[int, Node]()
    try:
        for each in needed([node]):
            if each.op == "parameter":
                made[id(each)] = graph.constant(values.get(str(each.value), math.nan))
            else:
                made[id(each)] = rebuilt(graph, each, [made[id(arg)] for arg in each.args])
    except (ZeroDivisionError, OverflowError):
        return math.nan
    result = made[id(node)]
    return float(result.value) if result.is_constant else math.nan  # type: ignore[arg-type]

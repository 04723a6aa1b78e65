"""Pairs depend on positions by their difference alone."""

from __future__ import annotations

from collections.abc import Iterable

from trellis.interactions.graphs.graph import Node, needed

Weights = tuple[float, float, float]
_NONE: Weights = (0.0, 0.0, 0.0)
_ROUNDING = 1e-12


def stays_under_translation(outputs: Iterable[Node]) -> bool:
    """Whether no output changes if both particles of a pair are moved by the same vector, as far as can be seen.

    An output that multiplies positions before it subtracts them counts as one that changes.
    """
    outputs = list(outputs)
    known: dict[int, Weights | None] = {}
    for node in needed(outputs):
        known[id(node)] = _weights(node, [known[id(arg)] for arg in node.args])
    return all(known[id(node)] == _NONE for node in outputs)


def _weights(node: Node, of_args: list[Weights | None]) -> Weights | None:
    """Return how much a node grows by each component of the vector; None if it is not linear in it."""
    if node.op == "field" and node.place[1] == "position":
        return tuple(float(c == node.place[2]) for c in range(3))  # type: ignore[return-value]
    if all(each == _NONE for each in of_args):
        return _NONE
    if node.op in ("add", "sub"):
        first, second = of_args
        return _sum(first, second, 1.0 if node.op == "add" else -1.0)
    if node.op == "where":
        condition, first, second = of_args
        return first if condition == _NONE and first == second else None
    factors = [arg.value for arg in node.args if arg.is_constant]
    if node.op != "mul" or not factors:
        return None
    other = of_args[1 if node.args[0].is_constant else 0]
    return _sum(_NONE, other, float(factors[0]))  # type: ignore[arg-type]


def _sum(first: Weights | None, second: Weights | None, factor: float) -> Weights | None:
    if first is None or second is None:
        return None
    sums = [a + factor * b for a, b in zip(first, second, strict=True)]
    return tuple(0.0 if abs(each) < _ROUNDING else each for each in sums)  # type: ignore[return-value]

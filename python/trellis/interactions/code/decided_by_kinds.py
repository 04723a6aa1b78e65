"""Values of pairs that the kinds of both particles decide, which are computed once for each kind of j."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trellis.interactions.code.fused import fused
from trellis.interactions.graphs.graph import CONDITIONS, FROM_I, FROM_J, Graph, Node, fields_of, needed
from trellis.interactions.graphs.kinds import KindTable


@dataclass(frozen=True)
class RowsOfKinds:
    """Values of an i-particle with each kind of j-particle.

    Attributes
    ----------
    kind : Node
        The field of j that decides its row.
    count : int
        The number of rows: of kind -1, of all kinds that there are, and of one more.
    bases : tuple of Node
        The numbers of the first entries of an i-particle, in each table.
    values : tuple of Node
        What is computed for each row; component 4 b + k of the field ``entry`` of kinds is entry k behind base b.
    outputs : tuple of Node
        The results of pairs; component k of the field ``value`` of kinds is value k.
    """

    kind: Node
    count: int
    bases: tuple[Node, ...]
    values: tuple[Node, ...]
    outputs: tuple[Node, ...]


def rows_of_kinds(graph: Graph, outputs: Sequence[Node]) -> RowsOfKinds | None:
    """Return what outputs have of kinds; None if they have no such entries, or read a kind for anything else."""
    looked_up = [(table, row) for table, row in graph.tables.values() if isinstance(table, KindTable)]
    if not looked_up:
        return None
    table, row = looked_up[0]
    nodes = needed(outputs)
    base_of = _bases(nodes, graph.mul(graph.constant(4), row))
    bases = tuple({id(base): base for base in base_of.values()}.values())
    at = {id(base): 4 * b for b, base in enumerate(bases)}
    values = _values(nodes, outputs, base_of)
    entries = {
        id(node): graph.field("kinds", "entry", at[id(base_of[id(node)])] + int(node.value))  # type: ignore[arg-type]
        for node in nodes
        if id(node) in base_of
    }
    of_pairs = _with(outputs, {id(node): graph.field("kinds", "value", k) for k, node in enumerate(values)})
    (kind,) = (node for node in needed([row]) if node.op == "field")
    if not values or kind.place[1] in fields_of(needed(of_pairs), "j"):
        return None
    return RowsOfKinds(kind, table.rows, bases, tuple(_with(values, entries)), tuple(of_pairs))


def _bases(nodes: Sequence[Node], ahead: Node) -> dict[int, Node]:
    """Return where the row of i begins, of each entry that is as far ahead in it, by the identity of the entry."""
    return {
        id(node): node.args[0].args[1]
        for node in nodes
        if node.op == "entry" and node.args[0].args[:1] == (ahead,) and node.args[0].args[1].reads == FROM_I
    }


def _values(nodes: Sequence[Node], outputs: Sequence[Node], entries: Mapping[int, Node]) -> list[Node]:
    """Return the nodes that kinds decide and that others need. A product stays with the sum that it is part of."""
    decided = set(entries)
    for node in nodes:
        of_j = [id(arg) for arg in node.args if arg.reads & FROM_J]
        if of_j and node.op not in CONDITIONS and decided.issuperset(of_j):
            decided.add(id(node))
    within = fused(nodes, outputs)
    wanted = {id(output) for output in outputs}
    for node in nodes:
        if id(node) not in decided:
            product = within.get(id(node))
            of_product = () if product is None else product.args
            wanted.update(id(arg) for arg in (*node.args, *of_product) if arg is not product)
    return [node for node in nodes if id(node) in decided and id(node) in wanted]


def _with(outputs: Sequence[Node], made: dict[int, Node]) -> list[Node]:
    """Return outputs with other nodes in place of those in made, without simplification."""
    graph = Graph()
    for node in needed(outputs):
        if id(node) not in made:
            args = [made[id(arg)] for arg in node.args]
            if node.op == "entry":
                made[id(node)] = graph.entry(int(node.value), *args)  # type: ignore[arg-type]
            else:
                made[id(node)] = graph.apply(node.op, *args) if args else node
    return [made[id(output)] for output in outputs]

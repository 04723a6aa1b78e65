"""An interaction that is to be compiled, and what each pair computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from trellis.interactions.code.decided_by_kinds import RowsOfKinds, rows_of_kinds
from trellis.interactions.code.instructions import Machine
from trellis.interactions.code.layout import Layout
from trellis.interactions.code.prepare import prepared
from trellis.interactions.graphs.graph import Graph, Node


@dataclass(frozen=True)
class CentralPotential:
    """A potential by which far cells act: phi = sum over j of strength_j f(|d|).

    Attributes
    ----------
    graph : Graph
        The graph of its nodes.
    value : Node
        f, by the square of the distance (`expansion_text.squared_distance`).
    response : Node
        Of i: the potential is it times phi, the acceleration minus it times the gradient of phi.
    """

    graph: Graph
    value: Node
    response: Node


@dataclass(frozen=True)
class Program:
    """An interaction that is to be compiled.

    Attributes
    ----------
    graph : Graph
        Its graph.
    layout : Layout
        Where its fields are, and its results.
    parameters : tuple of str
        The names of its parameters in their order in memory.
    reach : Node or None
        The distance within which pairs count, for short range.
    machine : Machine
        The instruction set.
    potential : CentralPotential or None
        Of long range: that by which expansions are possible.
    softened : frozenset of int
        The arguments of roots that are above 0, by identity.
    systems : bool
        Whether it is for the blocks of small systems, in place of trees or neighbour lists.
    """

    graph: Graph
    layout: Layout
    parameters: tuple[str, ...]
    reach: Node | None
    machine: Machine
    potential: CentralPotential | None = None
    softened: frozenset[int] = frozenset()
    systems: bool = False

    def prepared(self, outputs: Sequence[Node]) -> list[Node]:
        """Return outputs of pairs as they are computed best: see `prepare`."""
        return prepared(self.graph, outputs, self.softened)

    @cached_property
    def of_clusters(self) -> tuple[Sequence[Node], RowsOfKinds | None]:
        """What a pair of a cluster computes: results, and whether it counts; and what its kinds decide of that."""
        outputs = self.prepared([*self.values(), self.within()])
        rows = rows_of_kinds(self.graph, outputs)
        return (rows.outputs if rows else outputs), rows

    @property
    def rows(self) -> RowsOfKinds | None:
        """What is computed once for each kind of j, if there is anything."""
        return None if self.reach is None or self.systems else self.of_clusters[1]

    def values(self) -> list[Node]:
        """Return what is computed for each pair, component by component."""
        return [node for output in self.layout.outputs for node in output.nodes]

    def squared_distance(self) -> Node:
        """Return the square of the distance of i and j."""
        graph = self.graph
        d = [graph.sub(graph.field("j", "position", c), graph.field("i", "position", c)) for c in range(3)]
        x, y, z = (graph.power(each, 2) for each in d)
        return graph.add(graph.add(x, y), z)

    def within(self) -> Node:
        """Return whether the pair counts."""
        assert self.reach is not None
        return self.graph.apply("less", self.squared_distance(), self.graph.power(self.reach, 2))

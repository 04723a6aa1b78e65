"""Places at which functions of an interaction find its fields: see src/trellis/forces/run_time/run_time_pair.hpp."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trellis.interactions.graphs.graph import Node, fields_of, needed
from trellis.interactions.graphs.trace import Declared, Field, Output


@dataclass(frozen=True)
class Layout:
    """The components of fields and results by number.

    Attributes
    ----------
    source, target : tuple of Field
        The fields of j and of i; both begin with the position. Those of i that pairs read come first.
    paired : int
        The number of components of i that pairs read.
    finishing : list of int
        The numbers of those that are read after all pairs.
    outputs : tuple of Output
        The results.
    """

    source: tuple[Field, ...]
    target: tuple[Field, ...]
    paired: int
    finishing: list[int]
    outputs: tuple[Output, ...]

    @staticmethod
    def of(pairs: Iterable[Node], outputs: tuple[Output, ...], declared: Declared, strength: str) -> Layout:
        """Return the layout of nodes that are computed for pairs; strength: a field of j beside them, or none."""
        pairs = list(pairs)
        after = needed(node for output in outputs for node in output.after)
        source = dict.fromkeys(["position", *fields_of(pairs, "j"), *([strength] if strength else [])])
        of_pairs = dict.fromkeys(["position", *fields_of(pairs, "i")])
        target = tuple(map(declared.field, dict.fromkeys([*of_pairs, *fields_of(after, "i")])))
        of_i = [node.place for node in after if node.op == "field" and node.place[0] == "i"]
        finishing = [_first(target, name) + component for _, name, component in of_i]
        paired = components_of(map(declared.field, of_pairs))
        return Layout(tuple(map(declared.field, source)), target, paired, finishing, outputs)

    def place(self, node: Node) -> int:
        """Return the number of a field's component among those of its side, or of a result's among all results."""
        side, name, component = node.place
        fields = {"j": self.source, "i": self.target, "out": [output.field for output in self.outputs]}[side]
        return _first(fields, name) + int(component)

    def component(self, node: Node) -> int:
        """Return the number of a field's component among those of all fields."""
        return _first(self.fields, node.place[1]) + node.place[2]

    @property
    def fields(self) -> list[Field]:
        """All fields: those of j, then those of i alone."""
        return [*self.source, *(each for each in self.target if each not in self.source)]

    @property
    def target_components(self) -> list[int]:
        """The number of each component of i among the components of all fields."""
        return [_first(self.fields, each[0]) + c for each in self.target for c in range(each[1])]

    def first_in_source(self, name: str) -> int:
        """Return the number of a field's first component among those of j."""
        return _first(self.source, name)


def _first(fields: Iterable[Field], name: str) -> int:
    first = 0
    for each, components, *_ in fields:
        if each == name:
            return first
        first += components
    raise KeyError(name)


def components_of(fields: Iterable[Field]) -> int:
    """Return the number of components of all fields together."""
    return sum(components for _, components, *_ in fields)

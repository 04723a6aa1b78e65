"""One call of an interaction's function, with symbols for what it reads and writes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trellis import _core
from trellis.errors import did_you_mean
from trellis.interactions.graphs.factors import taken_out
from trellis.interactions.graphs.graph import Graph, Node
from trellis.interactions.graphs.place import Place
from trellis.interactions.graphs.symbols import Number, Trace, Vector, kind
from trellis.interactions.graphs.translation import stays_under_translation

Field = tuple[str, int, str, str]  # name, components, unit, meaning
KNOWN_FIELDS: dict[str, Field] = {field[0]: field for field in _core.known_fields()}
KNOWN_RESULTS = ("acceleration", "potential", "virial")
KINDS_OF_RESULT = ("sum", "maximum", "minimum")


@dataclass(frozen=True)
class Declared:
    """What an interaction says of its fields beside its function.

    Attributes
    ----------
    vectors : tuple of str
        The fields of its own that are vectors; others are numbers.
    results : tuple of str
        The results that it writes beside those that are known.
    evolves : tuple of (str, str)
        Fields, and the results that are their rates.
    """

    vectors: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    evolves: tuple[tuple[str, str], ...] = ()

    def field(self, name: str) -> Field:
        """Return name, components, unit and meaning of a field."""
        if name in self.vectors:
            return (name, 3, "", "")
        return KNOWN_FIELDS.get(name, (name, 1, "", ""))


class Record:
    """The fields of i or j: each is a number or a vector."""

    def __init__(self, trace: Trace, side: str, declared: Declared) -> None:
        self.__dict__.update(_trace=trace, _side=side, _declared=declared)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        trace: Trace = self.__dict__["_trace"]
        if name == "id":
            raise trace.place.error("id is no field of an interaction: it is a whole number of 64 bits")
        nodes = [
            trace.graph.field(self.__dict__["_side"], name, c) for c in range(self.__dict__["_declared"].field(name)[1])
        ]
        return Number(trace, nodes[0]) if len(nodes) == 1 else Vector(trace, (nodes[0], nodes[1], nodes[2]))

    def __setattr__(self, name: str, value: object) -> None:
        side = self.__dict__["_side"]
        raise self.__dict__["_trace"].place.error(f"{side}.{name} is written: written are results alone, out.{name}")


def check_result(place: Place, declared: Declared, name: str) -> None:
    """Raise a ValueError for a name of no result."""
    known = (*KNOWN_RESULTS, *declared.results, *(rate for _, rate in declared.evolves))
    if name not in known:
        raise place.error(
            f"out.{name} is not known: {did_you_mean(name, known)}; others are named in tr.interaction(results=[...])"
        )


class Result:
    """A result, to which pairs add, or of which the largest or smallest value is kept."""

    def __init__(self, trace: Trace, field: Field) -> None:
        self.trace, self.field = trace, field
        self.kind = ""
        self.value: Number | Vector | None = None

    def _take(self, kind_of_result: str, value: object) -> None:
        name, components, *_ = self.field
        wanted = Number if components == 1 else Vector
        if isinstance(value, (int, float)) and components == 1:
            value = Number(self.trace, self.trace.node(value))
        if not isinstance(value, wanted):
            what = "a number" if components == 1 else "a vector"
            raise self.trace.place.error(f"out.{name} takes {kind(value)}, but is {what}")
        if self.kind not in ("", kind_of_result):
            raise self.trace.place.error(f"out.{name} is a {self.kind} and a {kind_of_result}: allowed is one of them")
        if self.kind and kind_of_result != "sum":
            raise self.trace.place.error(f"out.{name} is given two values: write tr.{kind_of_result}(a, b)")
        self.kind = kind_of_result
        self.value = value if self.value is None else self.value + value

    def __iadd__(self, value: object) -> Result:
        self._take("sum", value)
        return self

    def __isub__(self, value: object) -> Result:
        self._take("sum", -value if isinstance(value, (Number, Vector, int, float)) else value)
        return self

    def raise_to(self, value: object) -> None:
        """Keep the largest value of all pairs."""
        self._take("maximum", value)

    def lower_to(self, value: object) -> None:
        """Keep the smallest value of all pairs."""
        self._take("minimum", value)

    def __getattr__(self, name: str) -> Any:
        raise self.trace.place.error(
            f"out.{self.field[0]} is read: allowed are +=, -=, raise_to(value) and lower_to(value)"
        )


class Results:
    """The results of an interaction."""

    def __init__(self, trace: Trace, declared: Declared) -> None:
        self.__dict__.update(_trace=trace, _declared=declared, _all={})

    def __getattr__(self, name: str) -> Result:
        if name.startswith("__"):
            raise AttributeError(name)
        declared: Declared = self.__dict__["_declared"]
        check_result(self.__dict__["_trace"].place, declared, name)
        results: dict[str, Result] = self.__dict__["_all"]
        return results.setdefault(name, Result(self.__dict__["_trace"], declared.field(name)))

    def __setattr__(self, name: str, value: object) -> None:
        if value is not self.__dict__["_all"].get(name):
            raise self.__dict__["_trace"].place.error(f"out.{name} is assigned to: allowed are += and -=")


@dataclass(frozen=True)
class Output:
    """A result as nodes.

    Attributes
    ----------
    field : Field
        The result.
    kind : str
        One of `KINDS_OF_RESULT`.
    nodes : tuple of Node
        What each pair computes: it is summed, or the largest or smallest is kept.
    factor : Node
        By which a sum is multiplied.
    after : tuple of Node
        What is written, by the sums and extremes of all results (fields of ``out``): factor times sum, without finish.
    """

    field: Field
    kind: str
    nodes: tuple[Node, ...]
    factor: Node
    after: tuple[Node, ...]

    @staticmethod
    def of(graph: Graph, field: Field, kind: str, nodes: tuple[Node, ...], factor: Node) -> Output:
        """Return a result that is not finished otherwise than by its factor."""
        whole = tuple(graph.field("out", field[0], c) for c in range(len(nodes)))
        if not (factor.is_constant and factor.value == 1):
            whole = tuple(graph.apply("mul", factor, each) for each in whole)
        return Output(field, kind, nodes, factor, whole)


@dataclass(frozen=True)
class Traced:
    """What a function has been traced into.

    Attributes
    ----------
    trace : Trace
        The graph.
    outputs : tuple of Output
        Sums, then maxima, then minima.
    parameters : tuple of str
        The names of all parameters.
    finish : dict of str to tuple of Node
        What is made of results after all pairs, by them (fields of ``out``): of those alone that it changes.
    """

    trace: Trace
    outputs: tuple[Output, ...]
    parameters: tuple[str, ...]
    finish: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes of all outputs."""
        return tuple(node for output in self.outputs for node in output.nodes)


def parameters_of(function: Callable[..., None], name: str) -> dict[str, object]:
    """Return the parameters of a function of i, j, out by name, with their defaults; ValueError for other functions."""
    signature = inspect.signature(function)
    given = list(signature.parameters.values())
    fixed = [each for each in given if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    named = [each for each in given if each.kind is each.KEYWORD_ONLY]
    if len(fixed) != 3 or len(fixed) + len(named) != len(given):
        raise _core.InputError(f"{name}{signature}: allowed is a function of i, j, out and, behind *, of parameters")
    return {each.name: each.default for each in named}


def traced(function: Callable[..., object], name: str, parameters: Sequence[str], declared: Declared) -> Traced:
    """Call a function of i, j, out and parameters with symbols; a ValueError for what cannot be traced."""
    trace = Trace(Place(name, inspect.unwrap(function).__code__))
    out = Results(trace, declared)
    symbols = {each: Number(trace, trace.graph.parameter(each)) for each in parameters}
    returned: object = function(Record(trace, "i", declared), Record(trace, "j", declared), out, **symbols)
    if returned is not None:
        raise _core.InputError(f"{trace.place} returns {kind(returned)}: results are written, out.acceleration += ...")
    written: list[Result] = [each for each in out.__dict__["_all"].values() if each.kind]
    if not written:
        raise _core.InputError(f"{trace.place} writes no result: write out.acceleration += ..., out.potential += ...")
    for each in written:
        _check_positions(each, trace.place)
    for _, rate in declared.evolves:
        if rate not in (each.field[0] for each in written):
            raise _core.InputError(f"{trace.place} does not write out.{rate}, the rate of a field that evolves")
    written.sort(key=lambda each: KINDS_OF_RESULT.index(each.kind))
    return Traced(trace, tuple(_output(each) for each in written), tuple(parameters))


def _check_positions(result: Result, place: Place) -> None:
    value = result.value
    nodes = (*value.base, value.scale) if isinstance(value, Vector) else (value.node,)  # type: ignore[union-attr]
    if not stays_under_translation(nodes):
        raise place.error(
            f"out.{result.field[0]} depends on positions otherwise than by their difference: allowed is"
            " j.position - i.position, since positions of pairs are known relative to a group alone"
        )


def _output(result: Result) -> Output:
    graph, value = result.trace.graph, result.value
    if result.kind != "sum":
        nodes = value.components if isinstance(value, Vector) else (value.node,)  # type: ignore[union-attr]
        return Output.of(graph, result.field, result.kind, nodes, graph.constant(1))
    if isinstance(value, Vector):
        factor, scale = taken_out(graph, value.scale)
        return Output.of(graph, result.field, "sum", Vector(result.trace, value.base, scale).components, factor)
    factor, node = taken_out(graph, value.node)  # type: ignore[union-attr]
    return Output.of(graph, result.field, "sum", (node,), factor)

"""Functions of i and of its results, called once behind the sums over all pairs: what becomes of these results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from trellis import _core
from trellis.interactions.graphs.calculus import substituted
from trellis.interactions.graphs.factors import taken_out
from trellis.interactions.graphs.graph import Graph, Node, fields_of, needed
from trellis.interactions.graphs.linear import INDEPENDENT, LINEAR, OTHER, are_linear
from trellis.interactions.graphs.place import Place
from trellis.interactions.graphs.symbols import Number, Trace, Vector, kind
from trellis.interactions.graphs.trace import Declared, Field, Output, Record, Traced, check_result

Finish = Callable[..., object]


class _Outcome:
    """The results of a particle: read as the pairs have left them, or as they were written last."""

    def __init__(self, trace: Trace, declared: Declared, outputs: Iterable[Output]) -> None:
        of_pairs = {output.field[0]: _symbol(trace, output.field) for output in outputs}
        self.__dict__.update(_trace=trace, _declared=declared, _values=of_pairs, _written={})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        trace, values = self.__dict__["_trace"], self.__dict__["_values"]
        check_result(trace.place, self.__dict__["_declared"], name)
        if name not in values:
            raise trace.place.error(f"out.{name} is read, but no pair writes it")
        return values[name]

    def __setattr__(self, name: str, value: object) -> None:
        trace, declared = self.__dict__["_trace"], self.__dict__["_declared"]
        check_result(trace.place, declared, name)
        field = declared.field(name)
        self.__dict__["_values"][name] = self.__dict__["_written"][name] = _taken(trace, field, value)


def _symbol(trace: Trace, field: Field) -> Number | Vector:
    nodes = [trace.graph.field("out", field[0], c) for c in range(field[1])]
    return Number(trace, nodes[0]) if len(nodes) == 1 else Vector(trace, (nodes[0], nodes[1], nodes[2]))


def _taken(trace: Trace, field: Field, value: object) -> Number | Vector:
    name, components, *_ = field
    if components == 1 and not isinstance(value, Vector):
        return Number(trace, trace.node(value))
    if components == 1 or not isinstance(value, Vector):
        what = "a number" if components == 1 else "a vector"
        raise trace.place.error(f"out.{name} takes {kind(value)}, but is {what}")
    return value


def with_finish(traced: Traced, function: Finish, name: str, parameters: Iterable[str], declared: Declared) -> Traced:
    """Return an interaction with what a function makes of its results; a ValueError for what cannot be traced."""
    graph = traced.trace.graph
    trace = Trace(Place(f"finish of {name}", function.__code__), graph)
    out = _Outcome(trace, declared, traced.outputs)
    chosen = {each: Number(trace, graph.parameter(each)) for each in _parameters(function, name, parameters)}
    returned: object = function(Record(trace, "i", declared), out, **chosen)
    if returned is not None:
        raise _core.InputError(f"{trace.place} returns {kind(returned)}: results are written, out.density += ...")
    written: dict[str, Number | Vector] = out.__dict__["_written"]
    if not written:
        raise _core.InputError(f"{trace.place} writes no result: write out.density += ..., out.acceleration /= ...")
    return replace(traced, finish={name: _nodes(value) for name, value in written.items()})


def _parameters(function: Finish, name: str, known: Iterable[str]) -> list[str]:
    signature = inspect.signature(function)
    given = list(signature.parameters.values())
    named = [each.name for each in given if each.kind is each.KEYWORD_ONLY]
    fixed = [each for each in given if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if len(fixed) != 2 or len(fixed) + len(named) != len(given) or not set(named) <= set(known):
        raise _core.InputError(
            f"finish of {name} is {function.__name__}{signature}: allowed is a function of i, out and, behind *, of"
            " parameters of the interaction"
        )
    return named


def _nodes(value: Number | Vector) -> tuple[Node, ...]:
    return value.components if isinstance(value, Vector) else (value.node,)


def finished_once(traced: Traced, declared: Declared) -> tuple[Output, ...]:
    """Return the outputs of an interaction that are finished behind the sums over all pairs."""
    graph, finish = traced.trace.graph, traced.finish
    zero, one = graph.constant(0), graph.constant(1)
    known = [output.field[0] for output in traced.outputs]
    fields = [declared.field(name) for name in finish if name not in known]
    of_finish = [Output.of(graph, field, "sum", field[1] * (zero,), one) for field in fields]
    sums = [output for output in traced.outputs if output.kind == "sum"]
    others = [output for output in traced.outputs if output.kind != "sum"]
    whole = [(graph.field("out", output.field[0], c), node) for output in sums for c, node in enumerate(output.after)]

    def after(output: Output) -> tuple[Node, ...]:
        nodes = finish.get(output.field[0])
        return output.after if nodes is None else tuple(_replaced(graph, node, whole) for node in nodes)

    return tuple(replace(output, after=after(output)) for output in [*sums, *of_finish, *others])


def finished_by_pairs(traced: Traced, name: str, declared: Declared) -> tuple[Output, ...]:
    """Return the outputs of an interaction whose pairs are finished each, as parts of sums need it.

    Raises
    ------
    ValueError
        If what finish makes is not linear in the results, or depends on where i is.
    """
    graph = traced.trace.graph
    if "position" in fields_of(needed(node for nodes in traced.finish.values() for node in nodes), "i"):
        raise _core.InputError(
            f"finish of {name} reads i.position, which a tree knows relative to a group alone: allowed with a cutoff"
            " alone"
        )
    if not is_linear(traced):
        raise _core.InputError(
            f"finish of {name} is not linear in the results, but a tree finishes parts of a sum: allowed with a cutoff"
            " alone"
        )
    of_pairs = {
        output.field[0]: tuple(graph.mul(output.factor, node) for node in output.nodes) for output in traced.outputs
    }
    pairs = [(graph.field("out", name, c), node) for name, nodes in of_pairs.items() for c, node in enumerate(nodes)]
    finished = [output for output in traced.outputs if output.field[0] not in traced.finish]
    for each, nodes in traced.finish.items():
        split = [taken_out(graph, _replaced(graph, node, pairs)) for node in nodes]
        same = all(factor is split[0][0] for factor, _ in split)
        factor = split[0][0] if same else graph.constant(1)
        rest = tuple(node if same else graph.mul(of_i, node) for of_i, node in split)
        finished.append(Output.of(graph, declared.field(each), "sum", rest, factor))
    return tuple(finished)


def _replaced(graph: Graph, node: Node, by: Iterable[tuple[Node, Node]]) -> Node:
    """Return a node in which the results that it reads are replaced by nodes that read none, or themselves alone."""
    for what, other in by:
        if what is not other:
            node = substituted(graph, node, what, other)
    return node


def is_linear(traced: Traced) -> bool:
    """Return whether all that finish makes is linear in the sums, so that parts of them can be finished apart."""
    sums = {output.field[0] for output in traced.outputs if output.kind == "sum"}

    def degree(field: Node) -> int:
        side, name, _ = field.place
        return INDEPENDENT if side != "out" else LINEAR if name in sums else OTHER

    return are_linear((node for nodes in traced.finish.values() for node in nodes), degree)

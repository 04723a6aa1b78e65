"""Derivatives by parameters: that of a potential is a potential, that of an interaction an interaction."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import shown
from trellis.errors import did_you_mean
from trellis.interactions.graphs.calculus import derivative
from trellis.interactions.graphs.expression import names_in, value_of
from trellis.interactions.graphs.graph import Graph
from trellis.interactions.graphs.kinds import Matrices
from trellis.interactions.graphs.place import Place
from trellis.interactions.graphs.softened import number
from trellis.interactions.graphs.symbols import Number, Trace
from trellis.interactions.graphs.trace import KNOWN_RESULTS, Output, Traced

WEIGHT = "weight_of_"  # begins the name of the matrix that is 1 for two kinds and 0 for all others
_OF_PAIRS = ("cutoff", "switch_distance")  # decide where a potential ends, not what it is


class PotentialByParameter:
    """The derivative of a potential by one of its parameters, as a function of the distance.

    Attributes
    ----------
    potential : str or callable
        The potential.
    parameter : str
        The parameter.
    weight : str
        The name of a number that the derivative is multiplied by; "" for none.
    names : list of str
        The names of the parameters and fields of the potential.
    """

    def __init__(self, potential: str | Callable[..., Any], parameter: str, weight: str = "") -> None:
        self.potential, self.parameter, self.weight = potential, parameter, weight
        self.names = [name for name in names_in(potential) if name != "r"]
        known = dict.fromkeys(["r", *self.names, *([weight] if weight else [])])
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in known]
        )

    def __call__(self, r: Any, **values: Any) -> Any:
        """Return the derivative at a distance: a symbol of an interaction, or a number."""
        if not isinstance(r, Number):
            return self._of_numbers({"r": r, **values})
        trace = r.trace
        own = {name: values[name] for name in self.names}
        u = trace.node(value_of(self.potential, r, own))
        slope = Number(trace, derivative(trace.graph, u, own[self.parameter].node))
        return values[self.weight] * slope if self.weight else slope

    def _of_numbers(self, values: Mapping[str, float]) -> float:
        trace = Trace(Place("the potential", type(self).__call__.__code__))
        symbols = {name: Number(trace, trace.graph.parameter(name)) for name in values}
        return number(self(**symbols).node, values)


def interaction_by_parameter(traced: Traced, name: str, parameter: str) -> Traced:
    """Return the derivatives of the potential of an interaction, and of its acceleration and virial, by a parameter."""
    kept = [output for output in traced.outputs if output.kind == "sum" and output.field[0] in KNOWN_RESULTS]
    if "potential" not in [output.field[0] for output in kept]:
        raise _core.InputError(f"{name} has no potential, which could be differentiated by {parameter}")
    return replace(traced, outputs=tuple(_differentiated(traced.trace.graph, output, parameter) for output in kept))


def _differentiated(graph: Graph, output: Output, parameter: str) -> Output:
    """Return the derivative of a sum: its factor stays one unless it depends on the parameter itself."""
    by = graph.parameter(parameter)
    slope = derivative(graph, output.factor, by)
    nodes = tuple(derivative(graph, node, by) for node in output.nodes)
    if slope.is_constant and slope.value == 0:
        return replace(output, nodes=nodes)
    whole = (
        graph.add(graph.mul(slope, node), graph.mul(output.factor, of_node))
        for node, of_node in zip(output.nodes, nodes, strict=True)
    )
    return Output.of(graph, output.field, "sum", tuple(whole), graph.constant(1))


def check_parameter(
    name: str, parameter: str, numbers: Mapping[str, object], matrices: Matrices, kinds: object
) -> None:
    """Raise a ValueError for what no derivative can be taken by. name: of the interaction; numbers, matrices: all."""
    allowed = [each for each in (*numbers, *matrices) if each not in _OF_PAIRS and not each.startswith(WEIGHT)]
    if parameter not in allowed:
        said = f": {did_you_mean(parameter, allowed)}" if allowed else ", as it has none"
        raise _core.InputError(f"{name} has no derivative by {shown(parameter)}{said}")
    if parameter not in matrices:
        if kinds is not None:
            raise _core.InputError(f"kinds is given, but {parameter} of {name} is no matrix")
        return
    count = len(matrices[parameter])
    given = kinds if isinstance(kinds, (tuple, list)) else ()
    if len(given) != 2 or not all(isinstance(each, int) and 0 <= each < count for each in given):
        raise _core.InputError(
            f"kinds is {shown(kinds)}, but {parameter} of {name} is a matrix: allowed are two kinds, 0 to {count - 1}"
        )


def weight_of(parameter: str, matrix: NDArray[np.float64], kinds: tuple[int, int]) -> tuple[str, NDArray[np.float64]]:
    """Return name and values of a matrix that is 1 where one is that for two kinds, and 0 elsewhere."""
    weight = np.zeros_like(matrix)
    a, b = kinds
    weight[a, b] = weight[b, a] = 1
    return f"{WEIGHT}{parameter}_{min(a, b)}_{max(a, b)}", weight

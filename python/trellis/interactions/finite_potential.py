"""Potentials of infinite numbers, or with a pole at the cutoff, are refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from trellis import _core
from trellis.arguments import is_number, shown
from trellis.interactions.graphs.expression import names_in, value_of
from trellis.interactions.graphs.graph import Node, needed
from trellis.interactions.graphs.place import Place
from trellis.interactions.graphs.softened import number
from trellis.interactions.graphs.symbols import Number, Trace
from trellis.interactions.graphs.taylor import is_smooth


def check_finite(potential: str | Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise a ValueError for a potential of an infinite number, or one that is not finite at its cutoff.

    At the cutoff only one without conditions is looked at, whose parameters are numbers. given: their values.
    """
    trace = Trace(Place("the potential", check_finite.__code__))
    symbols = {name: Number(trace, trace.graph.parameter(name)) for name in ("r", *names_in(potential))}
    u = trace.node(value_of(potential, symbols.pop("r"), symbols))
    if any(node.is_constant and math.isinf(node.value) for node in needed([u])):  # type: ignore[arg-type]
        raise _core.InputError(f"the potential {_name(potential)} has an infinite number: allowed are finite ones")
    values = {name: float(given[name]) for name in ("cutoff", *symbols) if is_number(given.get(name))}
    if "cutoff" in values and all(name in values for name in symbols) and is_smooth(u) and _has_pole(u, values):
        raise _core.InputError(
            f"the potential {_name(potential)} is not finite at its cutoff, {values['cutoff']:g}: allowed is a shorter"
            " one"
        )


def _has_pole(u: Node, values: Mapping[str, float]) -> bool:
    def at(share: float) -> float:
        return abs(number(u, {**values, "r": share * values["cutoff"]}))

    # exp(1 / (r - cutoff)) is 0 at the cutoff, where its parts are not finite: it becomes smaller towards it
    return not math.isfinite(at(1)) and not at(1 - 1e-9) <= at(1 - 1e-6)


def _name(potential: str | Callable[..., Any]) -> str:
    return repr(potential) if isinstance(potential, str) else getattr(potential, "__name__", shown(potential))

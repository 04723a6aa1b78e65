"""Pair interactions that are written in Python, and compiled for the processor when a force is made."""

from trellis import _core
from trellis.interactions.decorator import interaction
from trellis.interactions.forces import name_of
from trellis.interactions.graphs.functions import (
    cos,
    cross,
    dot,
    erf,
    erfc,
    exp,
    log,
    maximum,
    minimum,
    rsqrt,
    sin,
    sqrt,
    tanh,
    where,
)
from trellis.interactions.graphs.tables import table
from trellis.interactions.interaction import Interaction
from trellis.interactions.potential import pair_potential
from trellis.interactions.received.compile_graph import compiled_loops

__all__ = [
    "Interaction",
    "cos",
    "cross",
    "dot",
    "erf",
    "erfc",
    "exp",
    "interaction",
    "log",
    "maximum",
    "minimum",
    "name_of",
    "pair_potential",
    "rsqrt",
    "sin",
    "sqrt",
    "table",
    "tanh",
    "where",
]

_core.compile_graphs_with(compiled_loops)

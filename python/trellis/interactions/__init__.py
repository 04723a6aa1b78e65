"""Pair interactions that are written in Python, and compiled for the processor when a force is made."""

from trellis.interactions.interaction import Interaction, interaction
from trellis.interactions.potential import pair_potential
from trellis.interactions.symbols import cross, dot, exp, log, maximum, minimum, rsqrt, sqrt, where

__all__ = [
    "Interaction",
    "cross",
    "dot",
    "exp",
    "interaction",
    "log",
    "maximum",
    "minimum",
    "pair_potential",
    "rsqrt",
    "sqrt",
    "where",
]

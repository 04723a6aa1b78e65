"""Coordinates of tuples of particles: distance, angle and dihedral, with their derivatives.

Each is a function of the steps from one member to the next, so that it knows nothing of boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trellis.interactions.graphs.functions import cross, dot, rsqrt, sqrt
from trellis.interactions.graphs.symbols import Number, Vector

Steps = Sequence[Vector]


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of which an energy is a function.

    Attributes
    ----------
    symbol : str
        Its name in expressions.
    call : str
        The function that makes a force of it.
    tuples : str
        What its tuples are called.
    members : int
        The number of particles in one.
    of : callable
        Of the steps, as symbols: the coordinate, and its derivatives by the steps.
    """

    symbol: str
    call: str
    tuples: str
    members: int
    of: Callable[[Steps], tuple[Number, list[Vector]]]


def _angle_of(y: Number, x: Number) -> Number:
    return Number(y.trace, y.trace.graph.apply("atan2", y.node, x.node))


def _distance(steps: Steps) -> tuple[Number, list[Vector]]:
    (step,) = steps
    r2: Any = dot(step, step)
    return sqrt(r2), [step * rsqrt(r2)]


def _angle(steps: Steps) -> tuple[Number, list[Vector]]:
    """Return the angle between the two particles beside the middle one: pi of three in a line, where the force is 0."""
    a, c = -steps[0], steps[1]
    normal = cross(a, c)
    normal2: Any = dot(normal, normal)
    theta = _angle_of(sqrt(normal2), dot(a, c))
    inverse = rsqrt(normal2)
    return theta, [cross(normal, a) * (inverse / dot(a, a)), cross(normal, c) * (inverse / dot(c, c))]


def _dihedral(steps: Steps) -> tuple[Number, list[Vector]]:
    """Return the angle between two planes, 0 of cis and pi of trans, as Blondel & Karplus (1996) derive it."""
    a, b, c = steps
    m, n = cross(a, b), cross(b, c)
    m2, n2, b2 = dot(m, m), dot(n, n), dot(b, b)
    length: Any = sqrt(b2)
    phi = _angle_of(length * dot(a, n), dot(m, n))
    by_a, by_c = m * (length / m2), n * (length / n2)
    by_b = m * (-dot(a, b) / (m2 * length)) - n * (dot(c, b) / (n2 * length))
    return phi, [by_a, by_b, by_c]


BOND = Coordinate("r", "bond_potential", "pairs", 2, _distance)
ANGLE = Coordinate("theta", "angle_potential", "triples", 3, _angle)
DIHEDRAL = Coordinate("phi", "dihedral_potential", "quadruples", 4, _dihedral)

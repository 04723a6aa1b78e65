"""A check that accelerations are the gradient of the potential that is given with them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.interactions.code.layout import components_of
from trellis.interactions.code.program import Program

Array = NDArray[np.float64]
_PAIRS, _STEP, _TOLERANCE = 24, 1e-4, 1e-5
_POINTER = ctypes.POINTER(ctypes.c_double)


def check_gradient(name: str, program: Program, functions: Mapping[str, int], parameters: Sequence[float]) -> None:
    """Compare accelerations of some pairs with differences of potentials; a ValueError names the first that differs.

    Pairs lie at distances of up to the cutoff, or up to 2; other fields are drawn between 0.5 and 1.5.
    """
    first = _first_components(program)
    if "acceleration" not in first or "potential" not in first:
        raise _core.InputError(f"{name} is to be checked, but has no acceleration and potential that can be compared")
    outcome = _evaluator(program, functions, parameters)
    farthest = parameters[program.parameters.index("cutoff")] if "cutoff" in program.parameters else 2.0
    random = np.random.default_rng(1)
    for _ in range(_PAIRS):
        i, j = (
            random.uniform(0.5, 1.5, components_of(each)) for each in (program.layout.target, program.layout.source)
        )
        direction = random.normal(size=3)
        distance = random.uniform(0.3, 0.95) * farthest
        i[:3], j[:3] = 0, distance * direction / np.linalg.norm(direction)
        given = outcome(i, j)[first["acceleration"] : first["acceleration"] + 3]
        step = _STEP * distance
        exact = -_slopes(lambda i, j=j: float(outcome(i, j)[first["potential"]]), i, step)  # type: ignore[misc]
        size = max(float(np.abs(given).max()), float(np.abs(exact).max()))
        if not np.abs(given - exact).max() <= _TOLERANCE * size:
            raise _core.InputError(
                f"{name}: the acceleration is not minus the gradient of the potential: of i at (0, 0, 0) and j at"
                f" {_shown(j[:3])} it is {_shown(given)}, minus the gradient {_shown(exact)}"
            )


def _shown(vector: Array) -> str:
    return f"({', '.join(f'{x:.6g}' for x in vector)})"


def _first_components(program: Program) -> dict[str, int]:
    numbers, count = {}, 0
    for output in program.layout.outputs:
        numbers[output.field[0]] = count
        count += len(output.nodes)
    return numbers


def _slopes(function: Callable[[Array], float], at: Array, step: float) -> Array:
    """Return derivatives by the first three values, of fourth order."""
    slopes = np.zeros(3)
    for axis in range(3):
        for shift, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
            moved = at.copy()
            moved[axis] += shift * step
            slopes[axis] += weight * function(moved) / (12 * step)
    return slopes


def _evaluator(
    program: Program, functions: Mapping[str, int], parameters: Sequence[float]
) -> Callable[[Array, Array], Array]:
    """Return what computes the finished outcome of one pair, in double precision."""
    pair = ctypes.CFUNCTYPE(ctypes.c_double, *(4 * [_POINTER]))(functions["pair"])
    finish = ctypes.CFUNCTYPE(None, *(3 * [_POINTER]))(functions["finish"])
    values = np.array([*parameters, 0.0])
    count = len(program.values())

    def outcome(i: Array, j: Array) -> Array:
        made = np.zeros(count)
        pointers: list[Any] = [each.ctypes.data_as(_POINTER) for each in (values, i, j, made)]
        pair(*pointers)
        finish(pointers[0], pointers[1], pointers[3])
        return made

    return outcome

"""Numbers by the kinds of two particles: matrices, of which a pair looks its own entry up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import shown
from trellis.interactions.graphs.functions import maximum, minimum
from trellis.interactions.graphs.symbols import Number

Array = NDArray[np.float64]
Matrices = Mapping[str, Array]
MOST_KINDS = 64
_AT_ONCE = 4  # matrices whose entries are looked up together


class KindTable:
    """Up to four matrices in memory.

    Attributes
    ----------
    coefficients : numpy.ndarray
        A row for each pair of kinds, with those beside the matrices, which are not a number: ((kinds + 2)^2, 4).
    rows : int
        Those of a kind of i.
    """

    def __init__(self, matrices: list[Array]) -> None:
        padded = [np.pad(matrix, 1, constant_values=np.nan).ravel() for matrix in matrices]
        self.rows = len(matrices[0]) + 2
        self.coefficients = np.stack(padded + [padded[0]] * (_AT_ONCE - len(padded)), axis=1)


def looked_up(matrices: Matrices, i: Number, j: Number) -> dict[str, Number]:
    """Return the entries of matrices. i, j: the kinds of both particles; the entry is not a number without such."""
    trace, graph = j.trace, j.trace.graph
    found: dict[str, Number] = {}
    names = list(matrices)
    for first in range(0, len(names), _AT_ONCE):
        chosen = names[first : first + _AT_ONCE]
        kinds = len(matrices[chosen[0]])
        row, column = (
            Number(trace, graph.apply("floor", maximum(minimum(kinds + 1, kind + 1), 0).node)) for kind in (i, j)
        )
        base = Number(trace, graph.table(KindTable([matrices[name] for name in chosen]), column.node))
        place = 4 * column + (4 * (kinds + 2) * row + base)
        found |= {name: Number(trace, graph.entry(k, place.node)) for k, name in enumerate(chosen)}
    return found


def taken_matrices(call: str, names: list[str], given: dict[str, Any]) -> dict[str, Array]:
    """Take the values of parameters that are matrices away from what is given; a ValueError for wrong ones."""
    matrices: dict[str, Array] = {}
    for name in names:
        if name not in given or not _has_rows(given[name]):
            continue
        value = given.pop(name)
        try:
            matrix: Array = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.empty((0, 0))
        fits = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and 1 <= len(matrix) <= MOST_KINDS
        if not fits or not np.isfinite(matrix).all() or not np.array_equal(matrix, matrix.T):
            raise _core.InputError(
                f"{name} of {call} is {shown(value)}: allowed is a number, or a symmetric matrix of them, by the kinds"
                f" of both particles, at most {MOST_KINDS}"
            )
        matrices[name] = matrix
    sizes = {name: len(matrix) for name, matrix in matrices.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{size} of {name}" for name, size in sizes.items())
        raise _core.InputError(f"matrices of {call} have different numbers of kinds: {listed}")
    return matrices


def _has_rows(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 1
    return isinstance(value, (list, tuple)) and len(value) > 0 and isinstance(value[0], (list, tuple, np.ndarray))

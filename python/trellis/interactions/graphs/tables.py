"""Functions that are given by tables of values: one for all particles, or one for each two kinds of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.interactions.graphs.functions import maximum, minimum, where
from trellis.interactions.graphs.kinds import MOST_KINDS
from trellis.interactions.graphs.symbols import Number
from trellis.interactions.graphs.table import Table

MOST_TOGETHER = 250_000  # values of all pairs of kinds


def table(r: ArrayLike, values: ArrayLike) -> Table | TableByKinds:
    """Return the function with these values: a cubic spline between them.

    Its derivatives are those of the spline, so that a force is the gradient of the potential in use. Outside the table
    it is not a number, by which a simulation ends with an error; within one more spacing, the cubic at the end goes on.

    Parameters
    ----------
    r : array_like
        Where the values are, ascending: uniform in r, or in the square of r, by which no root is taken in each pair; 5
        to 100,000.
    values : array_like
        The values of the function there; or, of shape (kinds, kinds, n), those for each two kinds of particles, which
        are numbers from 0 on: the same if the kinds are exchanged, at most 64 kinds and 250,000 values together.

    Returns
    -------
    Table or TableByKinds
        A function of one argument, of a symbol in an interaction or of numbers. By kinds, of three: r and the kinds of
        both particles, such as ``u(r, i.kind, j.kind)``.

    Raises
    ------
    ValueError
        For other shapes, values that are not finite, or distances that are not uniform.

    Examples
    --------
    >>> import numpy as np
    >>> import trellis as tr
    >>> r = np.sqrt(np.linspace(0.6, 6.25, 1000))
    >>> u = tr.table(r, 4 * (r**-12 - r**-6))
    >>> print(f"{u(1.5):.6f}")
    -0.320337
    >>> lj = tr.pair_potential(u, cutoff=2.5)
    """
    try:
        given = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return Table(r, values)  # which says what is allowed
    return Table(r, values) if given.ndim < 2 else TableByKinds(r, given)


class TableByKinds:
    """A function that `table` returns of values by kinds: of a distance, and of the kinds of both particles.

    Attributes
    ----------
    first, last : float
        The arguments at which the table begins and ends.
    values : numpy.ndarray
        The values that were given, shape (kinds, kinds, n).
    coefficients : numpy.ndarray
        Those of a `Table` for each pair of kinds (0, 0), (0, 1), (1, 1), (0, 2), ..., one behind the other.
    """

    def __init__(self, r: ArrayLike, values: NDArray[np.float64]) -> None:
        kinds, count = values.shape[0], values.shape[-1]
        if values.shape != (kinds, kinds, count) or not 1 <= kinds <= MOST_KINDS:
            raise _core.InputError(
                f"values of a table have the shape {values.shape}: allowed are (n,) and, by kinds, (kinds, kinds, n)"
                f" with at most {MOST_KINDS} kinds"
            )
        if not np.array_equal(values, values.swapaxes(0, 1), equal_nan=True):
            raise _core.InputError("values of a table differ if the two kinds are exchanged: allowed are equal ones")
        if kinds * (kinds + 1) // 2 * count > MOST_TOGETHER:
            raise _core.InputError(
                f"a table has {count} values for each of {kinds * (kinds + 1) // 2} pairs of kinds: allowed are"
                f" {MOST_TOGETHER} together"
            )
        self.values, self.kinds = values, kinds
        self._tables = [Table(r, values[low, high]) for high in range(kinds) for low in range(high + 1)]
        self.first, self.last = self._tables[0].first, self._tables[0].last
        self.coefficients = np.concatenate([each.coefficients for each in self._tables])

    def __call__(self, r: Any, i: Any, j: Any) -> Any:
        """Return the function of a distance and two kinds: symbols of an interaction, or numbers."""
        if isinstance(r, Number):
            return self._traced(r, i, j)
        if not all(isinstance(kind, int) and 0 <= kind < self.kinds for kind in (i, j)):
            raise _core.InputError(f"the kinds are {i} and {j}: allowed are 0 to {self.kinds - 1}")
        return self._tables[_number(min(i, j), max(i, j))](r)

    def __repr__(self) -> str:
        return f"<{repr(self._tables[0])[1:-1]}, for each two of {self.kinds} kinds>"

    def _traced(self, r: Number, i: Any, j: Any) -> Number:
        trace, graph = r.trace, r.trace.graph
        base = Number(trace, graph.table(self, r.node))
        i, j = (Number(trace, graph.apply("floor", trace.node(kind))) for kind in (i, j))
        low, high = minimum(i, j), maximum(i, j)
        is_known = (low >= 0) & (high < self.kinds)
        number = where(is_known, _number(low, high), 0)
        one = self._tables[0]
        return one.cubic(where(is_known, one.place(r), 0), 4 * len(one.coefficients) * number + base)


def _number(low: Any, high: Any) -> Any:
    """Return the number of the table of two kinds."""
    return low + (high * (high + 1) // 2 if isinstance(high, int) else 0.5 * high * (high + 1))

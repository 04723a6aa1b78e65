"""Functions that are given by a table of values: cubic splines, in an interaction or of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import shown
from trellis.interactions.graphs.functions import maximum, minimum
from trellis.interactions.graphs.symbols import Number

Array = NDArray[np.float64]
FEWEST, MOST = 5, 100_000
_SPACING = 1e-6  # relative difference of the spacings of what counts as uniform: those of tables in files are rounded


class Table:
    """A function that `table` returns.

    Attributes
    ----------
    first, last : float
        The arguments at which the table begins and ends.
    values : numpy.ndarray
        The values that were given.
    of_square : bool
        Whether they are uniform in the square of the argument.
    coefficients : numpy.ndarray
        Of the cubics, from one spacing before the first value on to one behind the last, between rows that are not a
        number: shape (n + 3, 4), of powers of the argument in spacings.
    """

    def __init__(self, r: ArrayLike, values: ArrayLike) -> None:
        at, self.values = _numbers("r", r), _numbers("values", values)
        if at.shape != self.values.shape or not FEWEST <= len(at) <= MOST:
            raise _core.InputError(
                f"a table has {len(at)} r and {len(self.values)} values: allowed are as many of each, {FEWEST} to"
                f" {MOST}"
            )
        if at[0] < 0 or (np.diff(at) <= 0).any():
            raise _core.InputError(f"r of a table begins {shown(at[:4].tolist())}: allowed are ascending, from 0 on")
        self.of_square = not _uniform(at)
        if self.of_square and not _uniform(at**2):
            raise _core.InputError(
                "r of a table is uniform neither itself nor by its square: allowed are np.linspace(a, b, n) and"
                " np.sqrt(np.linspace(a**2, b**2, n))"
            )
        self.first, self.last = float(at[0]), float(at[-1])
        power = 2 if self.of_square else 1
        self._begin = self.first**power
        self._inverse = (len(at) - 1) / (self.last**power - self._begin)  # of the spacing
        self.coefficients = _continued(_spline(self.values))

    def __call__(self, r: Any) -> Any:
        """Return the function of a symbol of an interaction, of a number or of an array."""
        if isinstance(r, Number):
            return self._traced(r)
        x = (np.asarray(r, dtype=np.float64) ** (2 if self.of_square else 1) - self._begin) * self._inverse + 2
        row = np.floor(np.fmax(np.fmin(x, len(self.coefficients) - 1), 0))
        c0, c1, c2, c3 = self.coefficients[row.astype(int)].T
        t = (x - row).T
        found = (c0 + t * (c1 + t * (c2 + t * c3))).T
        return float(found) if found.ndim == 0 else found

    def __repr__(self) -> str:
        squared = "r**2" if self.of_square else "r"
        return f"<table of {len(self.values)} values, uniform in {squared}, from {self.first:g} to {self.last:g}>"

    def _traced(self, r: Number) -> Number:
        return self.cubic(self.place(r), Number(r.trace, r.trace.graph.table(self, r.node)))

    def place(self, r: Number) -> Number:
        """Return the row of coefficients in which an argument is, and how far, as one number."""
        place: Number = ((r * r if self.of_square else r) - self._begin) * self._inverse + 2
        return place

    def cubic(self, place: Number, base: Number) -> Number:
        """Return the function at a place. base: the number of the first coefficient in memory."""
        trace, graph = place.trace, place.trace.graph
        within = maximum(minimum(len(self.coefficients) - 1, place), 0)  # also where it is not a number
        row = Number(trace, graph.apply("floor", within.node))
        first = 4 * row + base
        c0, c1, c2, c3 = (Number(trace, graph.entry(column, first.node)) for column in range(4))
        t = place - row
        value: Number = c0 + t * (c1 + t * (c2 + t * c3))
        return value


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        numbers: Array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(())
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise _core.InputError(f"{name} of a table is {shown(given)}: allowed is an array of finite numbers")
    return numbers


def _uniform(at: Array) -> bool:
    even = np.linspace(at[0], at[-1], len(at))
    return bool(np.abs(at - even).max() <= _SPACING * (even[1] - even[0]))


def _spline(y: Array) -> Array:
    """Return the coefficients of the cubics between values at 0, 1, 2, ..., a row for each.

    The first two derivatives are continuous everywhere, and the third at the second value and the last but one (de Boor
    1978, chapter IV, "not-a-knot"), where the second derivative is therefore the second difference.
    """
    bend = np.zeros(len(y))  # the second derivative at each value
    bend[1:-1] = y[:-2] - 2 * y[1:-1] + y[2:]
    known = 6 * bend
    known[2] -= bend[1]
    known[-3] -= bend[-2]
    _solve(known[2:-2])
    bend[2:-2] = known[2:-2]
    bend[0], bend[-1] = 2 * bend[1] - bend[2], 2 * bend[-2] - bend[-3]
    slope = np.diff(y) - (2 * bend[:-1] + bend[1:]) / 6
    return np.stack([y[:-1], slope, bend[:-1] / 2, np.diff(bend) / 6], axis=1)


def _solve(x: Array) -> None:
    """Solve x[k - 1] + 4 x[k] + x[k + 1] = known[k], without neighbours at both ends, in the place of what is known."""
    factor, factors = 0.0, []
    for k in range(len(x)):
        factor = 1 / (4 - factor)
        factors.append(factor)
        x[k] = (x[k] - (x[k - 1] if k else 0.0)) * factor
    for k in range(len(x) - 2, -1, -1):
        x[k] -= factors[k] * x[k + 1]


def _continued(rows: Array) -> Array:
    """Return the cubics with that of the first row one spacing before it, of the last one behind it, then nan."""

    def shifted(row: Array, by: float) -> Array:
        c0, c1, c2, c3 = row
        return np.array([c0 + by * (c1 + by * (c2 + by * c3)), c1 + by * (2 * c2 + 3 * by * c3), c2 + 3 * by * c3, c3])

    none = np.full(4, np.nan)
    return np.vstack([none, shifted(rows[0], -1), rows, shifted(rows[-1], 1), none])

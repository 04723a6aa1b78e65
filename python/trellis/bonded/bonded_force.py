"""A force over given tuples, and the checks of what it is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import AsMade, is_number, shown
from trellis.bonded.coordinates import Coordinate
from trellis.bonded.tuple_graph import graph_maker
from trellis.bonded.tuple_loop import compiled
from trellis.errors import did_you_mean
from trellis.interactions.graphs.expression import names_in

Values = float | NDArray[np.float64]


class BondedForce(AsMade, _core.TuplePotential):
    """A force among given pairs, triples or quadruples of particles: see `bond_potential`.

    Attributes
    ----------
    members : numpy.ndarray
        The ids of the particles, a row for each tuple.
    """

    _assigned = ("coordinate", "potential", "members")

    def __init__(
        self, coordinate: Coordinate, potential: str | Callable[..., Any], members: ArrayLike, given: Mapping[str, Any]
    ) -> None:
        self.coordinate, self.potential = coordinate, potential
        self.members = _ids(members, coordinate)
        values = self._checked(given)
        self._given = values
        common = {name: value for name, value in values.items() if isinstance(value, float)}
        of_each = {name: value for name, value in values.items() if not isinstance(value, float)}
        columns = np.stack(list(of_each.values()), axis=1) if of_each else np.empty((len(self.members), 0))
        function, parameters = compiled(coordinate, potential, common, list(of_each))
        super().__init__(
            name=self._title(),
            members=self.members,
            function=function,
            parameters=parameters,
            of_each_tuple=np.ascontiguousarray(columns, dtype=np.float64),
            make_graph=graph_maker(coordinate, potential, [*common, *of_each]),
            common=len(common),
        )

    @property
    def settings(self) -> dict[str, object]:
        """The potential, the number of tuples, and the values of the parameters, by name."""
        return {"potential": self._title(), self.coordinate.tuples: len(self.members), **self._shown_values()}

    def __repr__(self) -> str:
        given = {self.coordinate.tuples: f"array of shape {self.members.shape}", **self._shown_values()}
        typed = ", ".join(f"{name}={value}" for name, value in given.items())
        return f"{self.coordinate.call}({self._title()}, {typed})"

    def __reduce__(self) -> tuple[Any, ...]:
        return BondedForce, (self.coordinate, self.potential, self.members, self._given)

    def _title(self) -> str:
        return repr(self.potential) if isinstance(self.potential, str) else getattr(
            self.potential, "__name__", repr(self.potential)
        )  # fmt: skip

    def _shown_values(self) -> dict[str, object]:
        return {
            name: value if isinstance(value, float) else f"array of shape {value.shape}"
            for name, value in self._given.items()
        }

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Values]:
        """Return the parameters that the potential names: numbers, and arrays with a number for each tuple."""
        symbol, call = self.coordinate.symbol, self.coordinate.call
        names = [name for name in names_in(self.potential, symbol) if name != symbol]
        for name in given:
            if name not in names:
                raise TypeError(f"{call} of {self._title()} has no {name!r}: {did_you_mean(name, names)}")
        for name in names:
            if name not in given:
                raise TypeError(f"{call} of {self._title()} is not given {name}, which has no default")
        return {name: self._values(name, given[name]) for name in names}

    def _values(self, name: str, value: Any) -> Values:
        if is_number(value) and math.isfinite(value):
            return float(value)
        rows = len(self.members)
        try:
            values: NDArray[np.float64] = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(())
        if values.shape != (rows,) or not np.isfinite(values).all():
            raise _core.InputError(
                f"{name} of {self._title()} is {shown(value)}: allowed is a finite number, or an array of {rows}, one"
                f" for each of the {self.coordinate.tuples}"
            )
        return values


def _ids(given: ArrayLike, coordinate: Coordinate) -> NDArray[np.uint64]:
    """Return the members of tuples as an array; a ValueError for any other value."""
    name, members = coordinate.tuples, coordinate.members
    wanted = f"allowed are ids of particles, whole numbers of shape (n, {members})"
    try:
        ids = np.asarray(given)
    except (TypeError, ValueError):
        raise _core.InputError(f"{name} is {shown(given)}: {wanted}") from None
    if ids.size == 0 and ids.ndim < 2:
        ids = np.empty((0, members), dtype=np.uint64)
    if ids.shape != (len(ids) if ids.ndim else 0, members) or ids.dtype.kind not in "iu":
        raise _core.InputError(f"{name} is an array of {ids.dtype} of shape {ids.shape}: {wanted}")
    below = np.argwhere(ids < 0)
    if len(below):
        row, column = below[0]
        raise _core.InputError(f"{name} has {ids[row, column]} in row {row}: {wanted}")
    return np.array(ids, dtype=np.uint64, order="C")

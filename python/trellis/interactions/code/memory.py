"""Parameters and tables of an interaction in memory, as functions find them behind one address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.interactions.graphs.graph import Node

Tables = Mapping[str, tuple[Any, Node]]


def in_memory(parameters: Sequence[str], values: Mapping[str, float], tables: Tables) -> list[float]:
    """Return the values of parameters, those of tables among them, and behind them the coefficients of tables.

    Number k of the coefficients is both the k-th double and the k-th float behind the address, so that functions of
    either precision find it by the same number. The parameter of a table is the number of its first coefficient.
    """
    if not tables:
        return [values[name] for name in parameters] or [0.0]  # a struct for devices is not empty
    first, entries = first_entry(parameters, tables), entries_of(tables)
    starts = first + np.cumsum([0, *(table.coefficients.size for table, _ in tables.values())])
    known = {**values, **dict(zip(tables, starts.astype(float), strict=False))}
    memory = np.zeros(first + len(entries))
    memory[first:] = entries
    memory.view(np.float32)[first : first + len(entries)] = entries
    memory[: len(parameters)] = [known[name] for name in parameters]
    return [float(each) for each in memory]


def entries_of(tables: Tables) -> NDArray[np.float64]:
    """Return the coefficients of all tables, one behind the other."""
    return np.concatenate([table.coefficients.ravel() for table, _ in tables.values()])


def first_entry(parameters: Sequence[str], tables: Tables) -> int:
    """Return the number of the first coefficient: the floats lie behind the parameters and before the doubles."""
    return max(2 * len(parameters), len(entries_of(tables)))

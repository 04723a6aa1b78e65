"""The states of a replica exchange in their order, as a parameter file describes them, and those that join a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.config import RunFile
from trellis.config.load import with_values
from trellis.config.overrides import keys_of
from trellis.ensembles.temperature_ladder import count_of_temperatures, geometric_temperatures
from trellis.errors import InputError
from trellis.run.ingredients import start_of

Floats = NDArray[np.float64]
TEMPERATURE = "temperature"


@dataclass(frozen=True)
class Ladder:
    """The states of a replica exchange.

    Attributes
    ----------
    values : dict
        Of each state: its ``"temperature"`` k T (energy), and what else differs between states, by full names of
        parameters, section.key; arrays of shape (states,).
    """

    values: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.temperatures)

    @property
    def temperatures(self) -> Floats:
        """K T of the states (energy)."""
        return self.values[TEMPERATURE]

    def at(self, temperatures: Floats) -> Ladder:
        """Return the same states at other temperatures, as many."""
        return Ladder({**self.values, TEMPERATURE: temperatures})

    def files(self, file: RunFile) -> list[RunFile]:
        """Return the parameters of the run in each state, all but the temperature.

        Raises
        ------
        ValueError
            If a value is not allowed; it names the state.
        """
        columns = {name: column.tolist() for name, column in self.values.items() if name != TEMPERATURE}
        made: dict[tuple[float, ...], RunFile] = {}
        for state, values in enumerate(zip(*columns.values(), strict=True)):
            if values not in made:
                of_state = dict(zip(columns, values, strict=True))
                made[values] = with_values(file, of_state, f"state {state} of [replica_exchange]")
        return [made[values] for values in zip(*columns.values(), strict=True)] if columns else [file] * len(self)

    def positions_in(self, longer: Ladder, file: RunFile) -> NDArray[np.int64]:
        """Return the numbers of these states among more, which have them in the same order.

        A parameter with values in only one of both has that of the file in the other.

        Raises
        ------
        ValueError
            If some are not there.
        """
        names = [*longer.values, *(name for name in self.values if name not in longer.values)]
        here, there = (list(zip(*(each.column(name, file) for name in names), strict=True)) for each in (self, longer))
        positions: list[int] = []
        for state, values in enumerate(here):
            left = there[positions[-1] + 1 :] if positions else there
            if values not in left:
                said = ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True))
                raise InputError(
                    f"[replica_exchange] lacks state {state} of the run, {said}, or has it at another position: states"
                    " can be added, but not taken away, and keep their order"
                )
            positions.append(len(there) - len(left) + left.index(values))
        return np.array(positions)

    def column(self, name: str, file: RunFile) -> list[float]:
        """Return the values of a parameter in the states: those here, or that of the file in all."""
        if name in self.values:
            found: list[float] = self.values[name].tolist()
            return found
        value: Any = file
        for key in keys_of(name):
            value = value[key] if isinstance(value, dict) else getattr(value, key)
        return [float(value)] * len(self)

    def __str__(self) -> str:
        names = {TEMPERATURE: "k T"}
        return ", ".join(
            f"{names.get(name, name)} {column[0]:g}"
            if (column == column[0]).all()
            else f"{names.get(name, name)} from {column[0]:g} to {column[-1]:g}"
            for name, column in self.values.items()
        )


def ladder_to_begin(file: RunFile) -> Ladder:
    """Return the states that a file gives, or those that short runs begin with."""
    given = file.replica_exchange
    assert given is not None
    if given.temperatures is not None:
        values = {TEMPERATURE: given.temperatures, **given.values_of_states()}
        return Ladder({name: np.array(column, dtype=float) for name, column in values.items()})
    assert given.lowest is not None
    assert given.highest is not None
    freedom = 3.0 * len(start_of(file).particles) - 3.0
    count = given.states or count_of_temperatures(given.lowest, given.highest, freedom)
    return Ladder({TEMPERATURE: geometric_temperatures(given.lowest, given.highest, count)})


def ladder_to_go_on(file: RunFile, before: Ladder) -> Ladder:
    """Return the states of a run that had those before, and has those besides that the file adds to them."""
    given = file.replica_exchange
    assert given is not None
    if given.temperatures is not None:
        return ladder_to_begin(file)
    return Ladder({TEMPERATURE: np.union1d(before.temperatures, np.array(given.added, dtype=float))})

"""The sections of replica exchange: the ladder of temperatures, and the wall about each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from pydantic import model_validator

from trellis.config.parameters import Parameters, parameter
from trellis.errors import did_you_mean

LEAST_TO_TUNE = 4
"""Exchanges of a short run from whose second half `trellis.tuned_temperatures` finds how far energies spread."""

OF_STATES: dict[str, tuple[str, ...] | None] = {
    "lennard_jones": ("epsilon", "sigma", "cutoff"),
    "gravity": ("softening",),
    "pair": None,
    "container": ("radius", "stiffness"),
}
"""Parameters of Hamiltonians by their sections, of which states may have values of their own; None: any name."""
_PLACES = {"pair": "pair.parameters"}
"""Where they are, if not in the section itself."""


def _of_states(section: str, example: str) -> Any:
    names = OF_STATES[section] or ("parameters by name",)
    return parameter(
        None,
        f"{', '.join(names)}: of the states, instead of what [{section}] has for all",
        allowed=f"lists of numbers, one for each of temperatures: `{example}`",
        changeable=True,
    )


class ContainerParameters(Parameters):
    """A wall about the centre of mass of each system."""

    radius: float = parameter(..., "distance from the centre of mass at which the wall begins", unit="length", ge=0)
    stiffness: float = parameter(
        100.0,
        "stiffness k of the wall: at a distance r beyond the radius, a particle has the energy k (r - radius)^2 / 2",
        unit="energy / length^2",
        gt=0,
    )


class ReplicaExchangeParameters(Parameters):
    """Systems that exchange their states: temperatures, and what else differs between these."""

    temperatures: Sequence[float] | None = parameter(
        None,
        "k T of the states, ascending if nothing else differs; or give lowest and highest instead. States can be"
        " added at a resume (--change), at any place",
        unit="energy",
        min_length=2,
        changeable=True,
    )
    pressures: Sequence[float] | None = parameter(
        None,
        "of the states, one for each of temperatures; if not given, that of [barostat]",
        unit="energy / length^3",
        changeable=True,
    )
    lennard_jones: Mapping[str, Sequence[float]] | None = _of_states("lennard_jones", "{ epsilon = [1.0, 0.9] }")
    gravity: Mapping[str, Sequence[float]] | None = _of_states("gravity", "{ softening = [0.01, 0.02] }")
    pair: Mapping[str, Sequence[float]] | None = _of_states("pair", "{ length = [0.5, 0.6] }")
    container: Mapping[str, Sequence[float]] | None = _of_states("container", "{ radius = [2.5, 3.0] }")
    lowest: float | None = parameter(None, "k T of the first state", unit="energy", gt=0)
    highest: float | None = parameter(None, "k T of the last state", unit="energy", gt=0)
    states: int | None = parameter(
        None,
        "number of states, and of systems; if not given, neighbours differ by 2 / sqrt(N_df / 2) of themselves",
        ge=2,
        le=1_000_000,
    )
    ladder: Literal["geometric", "auto"] = parameter(
        "auto",
        "temperatures between lowest and highest: of a constant ratio, or found by short runs before the first"
        " exchange, so that all neighbours exchange equally often",
    )
    added: Sequence[float] = parameter(
        [], "k T of states beside the ladder, which were added to the run at a resume (--change)", unit="energy",
        changeable=True,
    )  # fmt: skip
    exchange_every: int = parameter(100, "steps from exchange to exchange", unit="steps", ge=1)
    scheme: Literal["neighbours", "all pairs", "asynchronous"] = parameter(
        "neighbours",
        "which pairs exchange: each state with the next, even and odd ones by turns; any two, many times; or"
        " neighbours as soon as both have come, so that no device waits for the slowest",
    )
    seed: int = parameter(0, "seed of the exchanges", ge=0)
    trajectories: Literal["state", "replica"] | None = parameter(
        None,
        "write configurations after exchanges, as GSD in the folder trajectories_0000 of the output: a file for what"
        " was in each state, or for each system, a replica",
    )
    trajectory_every: int = parameter(1, "exchanges from configuration to configuration", ge=1)
    equilibration: int = parameter(
        100,
        "exchanges before those that are written down, and in each short run of ladder = auto, which needs"
        f" {LEAST_TO_TUNE} or more",
        ge=0,
    )

    def values_of_states(self) -> dict[str, Sequence[float]]:
        """Return what differs between states beside temperatures: the values, by full names, such as section.key."""
        pressures = {} if self.pressures is None else {"barostat.pressure": self.pressures}
        return pressures | {
            f"{_PLACES.get(section, section)}.{name}": values
            for section in OF_STATES
            for name, values in (getattr(self, section) or {}).items()
        }

    @model_validator(mode="after")
    def _one_ladder(self) -> ReplicaExchangeParameters:
        for section, names in OF_STATES.items():
            for name in getattr(self, section) or {}:
                if names is not None and name not in names:
                    raise ValueError(f"has the unknown key '{section}.{name}': {did_you_mean(name, names)}")
        if self.temperatures is None:
            self._check_ends()
        else:
            self._check_lists(self.temperatures)
        if not all(0 < each < float("inf") for each in self.added) or len(set(self.added)) < len(self.added):
            raise ValueError("has added temperatures that are not above 0, or the same twice")
        return self

    def _check_ends(self) -> None:
        for name in self.values_of_states():
            raise ValueError(f"has values of {name}, but no temperatures: one of each is needed for each state")
        if self.lowest is None or self.highest is None:
            raise ValueError("has neither temperatures nor both lowest and highest, but a ladder is needed")
        if not self.lowest < self.highest:
            raise ValueError(f"has lowest = {self.lowest}, but must have less than highest = {self.highest}")
        if self.ladder == "auto" and self.equilibration < LEAST_TO_TUNE:
            raise ValueError(
                f"has equilibration = {self.equilibration}, but ladder = auto needs {LEAST_TO_TUNE} exchanges or more"
            )

    def _check_lists(self, temperatures: Sequence[float]) -> None:
        if self.lowest is not None or self.highest is not None or self.states is not None:
            raise ValueError("has temperatures and lowest, highest or states: only one kind of ladder is allowed")
        if self.added:
            raise ValueError("has temperatures and added: states are added to these lists themselves")
        others = self.values_of_states()
        for name, values in others.items():
            if len(values) != len(temperatures):
                raise ValueError(
                    f"has {len(values)} values of {name}, but must have {len(temperatures)}, as many as temperatures"
                )
        if not all(each > 0 for each in temperatures):
            raise ValueError("has temperatures that are not above 0")
        ascending = all(low < high for low, high in pairwise(temperatures))
        if not ascending and not others:
            raise ValueError("has temperatures that do not ascend, and nothing else that differs between states")

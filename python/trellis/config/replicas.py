"""The sections of replica exchange: the ladder of temperatures, and the wall about each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from trellis.config.parameters import Parameters, parameter
from trellis.errors import InputError

if TYPE_CHECKING:
    from trellis.config.load import RunFile

LEAST_TO_TUNE = 4
"""Exchanges of a short run from whose second half `trellis.tuned_temperatures` finds how far energies spread."""


class ContainerParameters(Parameters):
    """A wall about the centre of mass of each system."""

    radius: float = parameter(..., "distance from the centre of mass at which the wall begins", unit="length", ge=0)
    stiffness: float = parameter(
        100.0, "of the wall: at r beyond the radius, a particle has the energy stiffness (r - radius)^2 / 2",
        unit="energy / length^2", gt=0,
    )  # fmt: skip


class ReplicaExchangeParameters(Parameters):
    """Systems that exchange their temperatures."""

    temperatures: Sequence[float] | None = parameter(
        None,
        "k T of the states, ascending unless there are pressures; or give lowest and highest instead",
        unit="energy",
        min_length=2,
    )
    pressures: Sequence[float] | None = parameter(
        None, "of the states, one for each of temperatures; if not given, that of [barostat]", unit="energy / length^3"
    )
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
    seed: int = parameter(1, "seed of the exchanges", ge=0)
    equilibration: int = parameter(
        100,
        "exchanges before those that are written down, and in each short run of ladder = auto, which needs"
        f" {LEAST_TO_TUNE} or more",
        ge=0,
    )

    @model_validator(mode="after")
    def _one_ladder(self) -> ReplicaExchangeParameters:
        ends = (self.lowest, self.highest)
        if self.temperatures is not None:
            if any(end is not None for end in ends) or self.states is not None:
                raise ValueError("has temperatures and lowest, highest or states: only one kind of ladder is allowed")
            if self.pressures is not None:
                self._check_pressures(self.temperatures, self.pressures)
            elif not all(0 < low < high for low, high in zip(self.temperatures, self.temperatures[1:], strict=False)):
                raise ValueError("has temperatures that do not ascend from above 0")
        elif self.pressures is not None:
            raise ValueError("has pressures, but no temperatures: one of each is needed for each state")
        elif self.lowest is None or self.highest is None:
            raise ValueError("has neither temperatures nor both lowest and highest, but a ladder is needed")
        elif not self.lowest < self.highest:
            raise ValueError(f"has lowest = {self.lowest}, but must have less than highest = {self.highest}")
        elif self.ladder == "auto" and self.equilibration < LEAST_TO_TUNE:
            raise ValueError(
                f"has equilibration = {self.equilibration}, but ladder = auto needs {LEAST_TO_TUNE} exchanges or more"
            )
        if not all(0 < each < float("inf") for each in self.added) or len(set(self.added)) < len(self.added):
            raise ValueError("has added temperatures that are not above 0, or the same twice")
        return self

    def _check_pressures(self, temperatures: Sequence[float], pressures: Sequence[float]) -> None:
        if len(pressures) != len(temperatures):
            raise ValueError(
                f"has {len(pressures)} pressures, but must have {len(temperatures)}, as many as temperatures"
            )
        if not all(0 < each < float("inf") for each in temperatures):
            raise ValueError("has temperatures that are not above 0")
        if not all(abs(each) < float("inf") for each in pressures):
            raise ValueError("has pressures that are not finite")
        if self.added:
            raise ValueError("has pressures and added: states are added by temperature alone")


# Of [run], what has no meaning for systems that a device advances by itself.
NOT_WITH_REPLICAS = (
    "resident", "snapshot_every", "snapshot_times", "snapshot_steps", "snapshots_per_decade",
    "snapshot_first", "keep_order", "log_every", "energy_alarm", "on_energy_alarm", "files",
)  # fmt: skip


def check_replicas(file: RunFile, source: str) -> None:
    """Raise a ValueError if the sections of a file do not go together in replica exchange."""
    if file.replica_exchange is None:
        for name, section in {"container": file.container, "barostat": file.barostat}.items():
            if section is not None:
                raise InputError(f"{source}: [{name}] is given, but goes with [replica_exchange] alone")
        return
    if file.barostat is None and file.replica_exchange.pressures is not None:
        raise InputError(f"{source}: 'replica_exchange.pressures' is given, but there is no [barostat] to hold them")
    for name in NOT_WITH_REPLICAS:
        if getattr(file.run, name) != type(file.run).model_fields[name].default:
            raise InputError(f"{source}: 'run.{name}' is given, but does not go with [replica_exchange]")
    others = [name for name, given in {"sph": file.sph, "external": file.external}.items() if given]
    if others or (file.gravity is not None and file.lennard_jones is not None):
        raise InputError(
            f"{source}: [replica_exchange] goes with one of [lennard_jones] and [gravity], and no other forces"
        )
    if file.thermostat is None:
        raise InputError(f"{source}: [thermostat] is missing: replica exchange needs one")
    if file.run.timestep is None:
        raise InputError(f"{source}: 'run.timestep' is missing: the systems of [replica_exchange] need one")

"""The section [run]: how far a run goes, in which steps, on which devices, and what it writes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationInfo, field_validator, model_validator

from trellis._core import DeviceOptions, parameters
from trellis.config.context import FileContext, wrong_value
from trellis.config.device import DEVICE
from trellis.config.parameters import Parameters, parameter, parameters_of
from trellis.config.snapshots import read_times
from trellis.errors import InputError
from trellis.paths import from_home

TIMES = ("until", "snapshot_every", "snapshot_times", "snapshot_first")
"""Keys that are times; where space expands, scale factors or spans of them."""

REDSHIFTS = (("until", "until_redshift"), ("snapshot_times", "snapshot_redshifts"))
"""Keys that may be given as redshifts instead."""

SCHEDULES = ("snapshot_every", "snapshot_times", "snapshot_steps", "snapshots_per_decade")
"""Keys of [run], each of which schedules snapshots."""

ROUNDING = 1e-9
"""Share of a time step that the distance of two times may lack: they were typed in decimal digits."""

DEVICE_PARAMETERS = tuple(each.name for each in parameters(DeviceOptions))
"""Keys of [run] that are parameters of `DeviceOptions`."""


@parameters_of(DeviceOptions, laid_down=(), device=DEVICE)
class StepParameters(Parameters):
    """How far a run goes, in which steps, and on which devices."""

    until: float = parameter(
        ..., "time at which the run ends; with [cosmology] a scale factor, as are all times of [run]", unit="time"
    )
    until_redshift: float | None = parameter(None, "[cosmology]: redshift at which the run ends, instead", gt=-1)
    timestep: float | None = parameter(
        None,
        "time step of the leapfrog, the same for all particles; if not given, and without [steps], each step is as long"
        " as a gas (courant) or softened gravity allows then; the last one ends at `until`",
        unit="time",
        changeable=True,
        gt=0,
    )

    if TYPE_CHECKING:  # what is read by name, for mypy
        device: str | list[str]


class RunParameters(StepParameters):
    """How far, in which steps, on which devices, and what is written."""

    resident: bool = parameter(
        False, "keep the particles on the device, under gravity or Lennard-Jones: steps run there (method G4)"
    )
    output: str = parameter(
        ..., "folder for everything that the run writes; a relative path starts where the command runs", min_length=1
    )
    snapshot_every: float | None = parameter(
        None,
        "time between snapshots, from the start on; or give snapshot_times, snapshot_steps or snapshots_per_decade"
        " instead. Each is written at the nearest step, which ends at its time if no timestep is given",
        unit="time",
        changeable=True,
        gt=0,
    )
    snapshot_times: Sequence[float] | None = parameter(
        None,
        "times of the snapshots, in any order; or the name, in quotes, of a text file with one on each line, where #"
        " begins a comment, and a relative path starts at the folder of this file",
        unit="time",
        changeable=True,
        min_length=1,
    )
    snapshot_redshifts: Sequence[float] | None = parameter(
        None,
        "[cosmology]: redshifts of the snapshots, in any order",
        allowed="list of numbers above -1",
        changeable=True,
        min_length=1,
    )
    snapshot_steps: int | None = parameter(
        None, "steps between snapshots, from the start on", unit="steps", changeable=True, ge=1
    )
    snapshots_per_decade: int | None = parameter(
        None,
        "snapshots while the time since the start grows tenfold: at snapshot_first, then each in the same ratio to the"
        " one before, and at the start",
        changeable=True,
        ge=1,
        le=1000,
    )
    snapshot_first: float | None = parameter(
        None,
        "snapshots_per_decade: time from the start to the first snapshot after it",
        unit="time",
        changeable=True,
        gt=0,
    )
    keep_order: bool | None = parameter(
        None,
        "leave the rows of the particles in their order (one rank); if not given, below 10,000 particles",
    )
    log_every: int = parameter(1, "steps between lines of the energy log", unit="steps", changeable=True, ge=1)
    checkpoint_every: float = parameter(
        600.0,
        "wall-clock time between checkpoints: what is lost at most when the machine fails; several sites write the"
        " first ones sooner",
        unit="seconds",
        ge=0,
    )
    energy_alarm: float = parameter(
        0.05,
        "largest error of the conserved energy, of particles and thermostat together: beyond it, on_energy_alarm;"
        " relative to the energy at the start or, where its parts (kinetic, potential, ...) nearly cancel, to a tenth"
        " of the sum of their sizes; looked at with each line of the energy log and before each checkpoint. With"
        " [replica_exchange], largest change of the energy of a system and its bath from look to look, some exchanges,"
        " over the sizes of its potential and kinetic energy: beyond it the run ends",
        changeable=True,
        gt=0,
    )
    on_energy_alarm: Literal["end", "mark"] = parameter(
        "end",
        "beyond energy_alarm the run ends, with a snapshot and its last checkpoint as it was (end), or goes on to its"
        " end and is marked (mark); exit code 3 in both cases",
        changeable=True,
    )
    files: int = parameter(1, "files that a snapshot or checkpoint is split into; at most one for each rank", ge=1)

    def devices(self) -> dict[str, Any]:
        """Return the parameters of `DeviceOptions`."""
        return self.model_dump(include=set(DEVICE_PARAMETERS))

    @field_validator("output")
    @classmethod
    def _from_home(cls, output: str) -> str:
        return str(from_home(output))

    @model_validator(mode="after")
    def _resident_steps(self) -> RunParameters:
        if self.resident and self.timestep is None:
            raise ValueError("has resident = true and no timestep, but particles on a device need a fixed one")
        return self

    @model_validator(mode="after")
    def _steps_that_count(self) -> RunParameters:
        shortest = abs(self.until) * sys.float_info.epsilon
        if self.timestep is not None and self.timestep < shortest:
            raise ValueError(
                f"has timestep = {self.timestep}, but must have at least {shortest:.2g}: less is lost in a time near"
                f" until = {self.until}"
            )
        return self

    @field_validator("snapshot_times")
    @classmethod
    def _in_order(cls, times: Sequence[float] | None) -> Sequence[float] | None:
        return None if times is None else sorted(set(times))

    @model_validator(mode="before")
    @classmethod
    def _times(cls, values: Any, info: ValidationInfo) -> Any:
        """Put scale factors in the place of redshifts, and the times of a file in the place of its name."""
        if not isinstance(values, dict):
            return values
        if not isinstance(info.context, FileContext):
            return _with_scale_factors(values)
        _check_times(values, expanding=info.context.expanding)
        values = _with_scale_factors(values)
        if isinstance(named := values.get("snapshot_times"), str):
            try:
                values["snapshot_times"] = read_times(info.context.folder / from_home(named))
            except InputError as error:
                raise ValueError(f"'run.snapshot_times': {error}") from None
        return values

    @model_validator(mode="after")
    def _schedule_of_snapshots(self) -> RunParameters:
        _check_schedule(self)
        return self


def _check_times(values: dict[str, Any], *, expanding: bool) -> None:
    """Raise an error if times have a unit where they are scale factors, or redshifts are given where they are not."""
    if not expanding:
        given = next((name for _, name in REDSHIFTS if values.get(name) is not None), None)
        if given is not None:
            raise wrong_value(given, "is given, but without [cosmology] space does not expand")
        return
    for name in TIMES:
        times = values.get(name)
        if name == "snapshot_times" and isinstance(times, str):
            continue  # the name of a file
        text = next((each for each in (times if isinstance(times, list) else [times]) if isinstance(each, str)), None)
        if text is not None:
            raise wrong_value(name, f"is {text!r}, but with [cosmology] it is a scale factor")


def _with_scale_factors(values: dict[str, Any]) -> dict[str, Any]:
    values = dict(values)
    for name, given in REDSHIFTS:
        redshifts = values.pop(given, None)
        if redshifts is None:
            continue
        several = given == "snapshot_redshifts"
        if several != isinstance(redshifts, list):
            raise ValueError(f"has {given} = {redshifts!r}, but must have {'a list' if several else 'one redshift'}")
        listed: list[Any] = redshifts if several else [redshifts]
        if not all(isinstance(z, int | float) and not isinstance(z, bool) and z > -1 for z in listed):
            raise ValueError(f"has {given} = {redshifts!r}, but a redshift is a number above -1")
        if name in values:
            raise ValueError(f"has both {name} and {given}, but must have one of them")
        factors = [1 / (1 + z) for z in listed]
        values[name] = factors if several else factors[0]
    return values


def _check_schedule(run: RunParameters) -> None:
    """Raise a ValueError, the end of a sentence, if several keys schedule snapshots, or some come within one step."""
    given = [name for name in SCHEDULES if getattr(run, name) is not None]
    if len(given) > 1:
        raise ValueError(f"has both {given[0]} and {given[1]}, but must have one of {', '.join(SCHEDULES)}")
    if (run.snapshots_per_decade is None) != (run.snapshot_first is None):
        raise ValueError("has one of snapshots_per_decade and snapshot_first, but must have both or neither")
    if run.timestep is None:
        return
    if run.snapshot_every is not None and run.snapshot_every < run.timestep:
        raise ValueError(f"has snapshot_every = {run.snapshot_every}, but must have at least timestep = {run.timestep}")
    for earlier, later in pairwise(run.snapshot_times or ()):
        if later - earlier < run.timestep * (1 - ROUNDING):
            raise ValueError(
                f"has snapshot_times {earlier} and {later}, but they must be at least timestep = {run.timestep} apart"
            )
    if run.snapshots_per_decade is not None and run.snapshot_first is not None:
        least = run.snapshot_first * min(1.0, 10 ** (1 / run.snapshots_per_decade) - 1)
        if least < run.timestep * (1 - ROUNDING):
            raise ValueError(
                f"has snapshots {least:.3g} apart from snapshot_first = {run.snapshot_first} on, but they must be at"
                f" least timestep = {run.timestep} apart"
            )

"""What the snapshots of a run hold, and which keys of [run] may say together when they are written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from trellis.config.parameters import Parameters, parameter
from trellis.errors import InputError, reading

if TYPE_CHECKING:
    from trellis.config.sections import RunParameters

TypeName: TypeAlias = Literal["gas", "halo", "disk", "bulge", "stars", "boundary"]

SCHEDULES = ("snapshot_every", "snapshot_times", "snapshot_steps", "snapshots_per_decade")
"""Keys of [run], each of which says when snapshots are written."""

ROUNDING = 1e-9
"""Share of a time step that the distance of two times may lack: they were typed in decimal digits."""


class SnapshotParameters(Parameters):
    """What snapshots hold; checkpoints hold everything, bit for bit."""

    columns: Sequence[str] | None = parameter(
        None,
        "fields that they have, beside position, mass and id, which are always; if not given, all",
        changeable=True,
        min_length=1,
    )
    types: Sequence[TypeName] | None = parameter(
        None,
        "types of particles that they have, Gadget's 0 to 5; if not given, all",
        changeable=True,
        min_length=1,
    )
    fraction: float = parameter(
        1.0,
        "share of the particles, of those types, that they have: by their ids, the same in all",
        changeable=True,
        gt=0,
        le=1,
    )
    precision: Literal["double", "single"] = parameter(
        "double",
        "of the numbers: 16 digits in 8 bytes each (double), or 7 in 4 (single)",
        changeable=True,
    )
    compression: Literal["none", "gzip", "lzf"] = parameter(
        "none",
        "of the columns, by HDF5, after its shuffle; lzf is faster than gzip, and known to h5py alone",
        changeable=True,
    )


def check_schedule(run: RunParameters) -> None:
    """Raise a ValueError, the end of a sentence, if several keys say when, or steps cannot tell the times apart."""
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


def check_scheduled(run: RunParameters, source: str) -> None:
    """Raise a ValueError if nothing says when snapshots are written."""
    if all(getattr(run, name) is None for name in SCHEDULES):
        raise InputError(
            f"{source}: 'run' does not say when snapshots are written, but must have one of {', '.join(SCHEDULES)}"
        )


def read_times(path: Path) -> list[float]:
    """Read times from a text file: one on each line, and comments behind #.

    Raises
    ------
    ValueError
        If there is no such file, or none or another value in it.
    """
    times = []
    with reading(path):
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise InputError(f"'{path}' is not a text file, but must have a time on each line") from None
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text == "":
            continue
        try:
            times.append(float(text))
        except ValueError:
            raise InputError(f"'{path}': line {number} is '{text}', but must be one number") from None
    if not times:
        raise InputError(f"'{path}' has no times, but must have one on each line")
    return times

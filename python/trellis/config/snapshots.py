"""The section [snapshots], and files of their times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from trellis.config.parameters import Parameters, parameter
from trellis.errors import InputError, reading

TypeName: TypeAlias = Literal["gas", "halo", "disk", "bulge", "stars", "boundary"]


class SnapshotParameters(Parameters):
    """The content of snapshots; checkpoints hold everything, bit for bit."""

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

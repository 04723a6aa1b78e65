"""The content of a snapshot: its columns and particles, their digits, and their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError, did_you_mean
from trellis.io.gadget_layout import FRACTION, LEFT_OUT, ONLY_TYPES, TYPE_FIELD
from trellis.io.ids import mixed_ids
from trellis.particles import ParticleSet
from trellis.particles.known_fields import TYPE_NAMES

ALWAYS = ("position", "mass", "id")
"""Columns without which a file is no snapshot, or its particles are not known again."""

PRECISIONS = ("double", "single")
COMPRESSIONS = ("none", "gzip", "lzf")
NOT_WRITTEN = -1
"""Stands for the type of a particle that is left out."""


@dataclass(frozen=True)
class SnapshotContent:
    """Choice of the content of a snapshot; the arguments are those of `trellis.io.write_snapshot`."""

    columns: Sequence[str] | None = None
    types: Sequence[str] | None = None
    fraction: float = 1.0
    precision: str = "double"
    compression: str = "none"

    def __post_init__(self) -> None:
        for name, known in (("precision", PRECISIONS), ("compression", COMPRESSIONS)):
            if getattr(self, name) not in known:
                raise InputError(f"{name} is '{getattr(self, name)}', but must be {' or '.join(known)}")
        for name in self.types or ():
            if name not in TYPE_NAMES:
                raise InputError(f"types has '{name}': {did_you_mean(name, TYPE_NAMES)}")
        if not 0 < self.fraction <= 1:
            raise InputError(f"fraction is {self.fraction}, but must be above 0 and at most 1")

    def names(self, particles: ParticleSet) -> list[str]:
        """Return the fields to write; the type is not one, as it says in which group a particle is."""
        known = [name for name in particles.public_fields if name != TYPE_FIELD[0]]
        if self.columns is None:
            return known
        unknown = next((name for name in self.columns if name not in particles.public_fields), None)
        if unknown is not None:
            raise InputError(f"columns has '{unknown}': {did_you_mean(unknown, known)}")
        return [name for name in known if name in self.columns or name in ALWAYS]

    def kinds_written(self, ids: NDArray[np.uint64], kinds: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the type of each particle, or `NOT_WRITTEN`."""
        if not self._is_subset:
            return kinds
        chosen = chosen_ids(ids, self.fraction)
        if self.types is not None:
            chosen &= np.isin(kinds, [TYPE_NAMES.index(name) for name in self.types])
        return np.where(chosen, kinds, np.int8(NOT_WRITTEN))

    def check_any(self, written: int, particles: int) -> None:
        """Raise a ValueError if a subset has none of the particles of all ranks."""
        if self._is_subset and written == 0:
            asked = [] if self.types is None else [f"of the types {', '.join(self.types)}"]
            asked += [] if self.fraction == 1 else [f"in the fraction {self.fraction:g}"]
            raise InputError(f"none of {particles} particles is {' and '.join(asked)}, so that none would be written")

    def stored(self, name: str, column: NDArray[Any], box: NDArray[np.float64]) -> NDArray[Any]:
        """Return a column as it is in the file."""
        if not self._rounds(column):
            return column
        with np.errstate(over="ignore"):  # infinite as it was: what has no room has been refused
            rounded = column.astype(np.float32)
        return _within(rounded, box) if name == "position" else rounded

    def too_large(self, particles: ParticleSet, names: Sequence[str], kinds: NDArray[np.int8]) -> str | None:
        """Return a sentence if a finite value that is to be written has no room in the file."""
        if self.precision == "double":
            return None
        for name in names:
            values = particles.column(name)[kinds != NOT_WRITTEN]
            beyond = values[np.isfinite(values) & (np.abs(values) > np.finfo(np.float32).max)]
            if len(beyond) > 0:
                return (
                    f"column '{name}' has {beyond[0]:g}, which single precision has no room for: allowed is up to"
                    " 3.4e+38, or precision double"
                )
        return None

    @property
    def filters(self) -> dict[str, Any]:
        """Arguments of h5py's ``create_dataset``."""
        return {} if self.compression == "none" else {"compression": self.compression, "shuffle": True}

    def header(self, particles: ParticleSet) -> dict[str, Any]:
        """Return the attributes that say what is not in the file."""
        written = {*self.names(particles), TYPE_FIELD[0]}
        missing = [name for name in particles.public_fields if name not in written]
        found: dict[str, Any] = {"Flag_DoublePrecision": int(self.precision == "double")}
        if self.fraction < 1:
            found[FRACTION] = self.fraction
        if self.types is not None:
            found[ONLY_TYPES] = ", ".join(self.types)
        if missing:
            found[LEFT_OUT] = ", ".join(missing)
        return found

    @property
    def _is_subset(self) -> bool:
        return self.fraction < 1 or self.types is not None

    def _rounds(self, column: NDArray[Any]) -> bool:
        return self.precision == "single" and column.dtype == np.float64


def chosen_ids(ids: NDArray[np.uint64], fraction: float) -> NDArray[np.bool_]:
    """Return which particles are in a fraction: the same at any time, on any rank, and in any larger fraction.

    Those whose mixed id (`mixed_ids`) is below that fraction of 2^64.
    """
    if fraction >= 1:
        return np.ones(len(ids), dtype=np.bool_)
    return np.asarray(mixed_ids(ids) < np.uint64(int(fraction * 2.0**64)))


def _within(positions: NDArray[np.float32], box: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return rounded positions, kept from being rounded out of the box: at least its low faces, below its high ones."""
    low, high = box
    first, last = low.astype(np.float32), high.astype(np.float32)
    first = np.where(first < low, np.nextafter(first, np.float32(np.inf)), first)
    last = np.where(last >= high, np.nextafter(last, np.float32(-np.inf)), last)
    return np.clip(positions, first, last)

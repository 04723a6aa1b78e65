"""Phantom's HDF5 files, presented in Gadget's groups.

They have groups ``header``, ``particles`` and ``sinks``. A particle's type is in ``itype``, its mass is that of its
type in ``massoftype``, and a negative smoothing length marks one that is accreted or dead (Price et al. 2018, PASA 35,
e031).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.io.gadget_binary import LEFT, Group
from trellis.io.gadget_layout import BOX, DATASETS, LENGTH, MASS, TYPES
from trellis.io.layouts.codes import TIME_UNIT

HEADER = {"Time": "time", LENGTH: "udist", MASS: "umass", TIME_UNIT: "utime"}
"""Attributes of Gadget, and of ours, by Phantom's names."""

COLUMNS = {"position": "xyz", "velocity": "vxyz", "internal_energy": "u", "id": "iorig"}
"""Fields, and Phantom's datasets that have them."""

READ = {*COLUMNS.values(), "itype", "h"}

KINDS = {1: 0, 4: 4, 5: 1, 6: 3}
"""Gadget's type of each of Phantom's that is read: gas, stars, dark matter, bulge."""

SINKS = 5
"""Gadget's type for sink particles, that of its black holes."""


@dataclass(frozen=True)
class Held:
    """Rows in memory: a stand-in for a dataset of an HDF5 file."""

    values: NDArray[Any]
    attrs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a value."""
        return self.values.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, and components if there are several."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        return self.values[rows]


def is_phantom(file: Any) -> bool:
    """Return whether an open HDF5 file is one of Phantom's."""
    return "header" in file and "particles/xyz" in file and "Header" not in file


def groups_of_phantom(path: Path, file: Any) -> dict[str, Group]:
    """Return the particles of one of Phantom's files in groups as Gadget's, and what is left out of them.

    Raises
    ------
    ValueError
        If columns do not fit each other, or a type has no mass.
    """
    header = {**file["header"].attrs, **{name: each[()] for name, each in file["header"].items()}}
    found = {name: header[there] for name, there in HEADER.items() if there in header}
    faces = [[header.get(f"{axis}{end}") for axis in "xyz"] for end in ("min", "max")]
    if all(face is not None for ends in faces for face in ends):
        found[BOX] = np.array(faces, dtype=np.float64).reshape(2, 3)
    particles = {name: each[...] for name, each in file["particles"].items() if name in READ}
    notes = [f"particles/{name}" for name in file["particles"] if name not in READ]
    groups: dict[str, Group] = {}
    kinds, masses = _kinds_and_masses(path, header, particles)
    dead = particles["h"] <= 0 if "h" in particles else np.zeros(len(kinds), bool)
    for kind, rows in _rows_of_kinds(kinds, dead, notes):
        columns = {DATASETS[name]: particles[there][rows] for name, there in COLUMNS.items() if there in particles}
        groups[f"PartType{kind}"] = _group({**columns, DATASETS["mass"]: masses[rows]})
    if "h" in particles:
        notes.append("particles/h (the kernel's support is a multiple of it that the file does not name)")
    if "sinks" in file and "xyz" in file["sinks"] and len(file["sinks/xyz"]) > 0:
        sinks = file["sinks"]
        there = {"position": "xyz", "velocity": "vxyz", "mass": "m"}
        groups[f"PartType{SINKS}"] = _group({DATASETS[name]: sinks[each][...] for name, each in there.items()})
        notes += [f"sinks/{name}" for name in sinks if name not in there.values()]
    counts = np.zeros(TYPES, dtype=np.int64)
    for name, group in groups.items():
        counts[int(name[-1])] = len(group[DATASETS["position"]])
    return {"Header": Group({**found, "NumPart_ThisFile": counts}), LEFT: Group({"names": notes}), **groups}


def _group(columns: Mapping[str, NDArray[Any]]) -> Group:
    group = Group()
    group.update({name: Held(values) for name, values in columns.items()})
    return group


def _kinds_and_masses(path: Path, header: Mapping[str, Any], particles: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return Phantom's type of each particle, and its mass; without ``itype`` all are gas."""
    count = len(particles["xyz"])
    kinds = np.abs(np.asarray(particles.get("itype", np.ones(count)), dtype=np.int64))
    table = np.ravel(np.asarray(header.get("massoftype", ()), dtype=np.float64))
    for name, column in particles.items():
        if len(column) != count:
            raise InputError(f"'{path}': particles/{name} has {len(column)} rows, but particles/xyz has {count}")
    if count > 0 and (kinds.min() < 1 or kinds.max() > len(table)):
        raise InputError(
            f"'{path}': particles/itype goes from {kinds.min()} to {kinds.max()}, but header/massoftype has"
            f" {len(table)} masses"
        )
    return kinds, table[kinds - 1]


def _rows_of_kinds(kinds: NDArray[Any], dead: NDArray[Any], notes: list[str]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield the rows of each of Gadget's types; note particles that are left out."""
    if dead.any():
        notes.append(f"{dead.sum()} accreted or dead particles (h is not above 0)")
    for kind in np.unique(kinds[~dead]).tolist():
        rows = np.flatnonzero((kinds == kind) & ~dead)
        if kind in KINDS:
            yield KINDS[kind], rows
        else:
            notes.append(f"{len(rows)} particles of Phantom's type {kind}")

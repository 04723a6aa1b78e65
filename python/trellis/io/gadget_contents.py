"""The contents of a snapshot's file: which particles and columns it has, and what of it is not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from trellis.errors import InputError, about
from trellis.io.gadget_binary import LEFT
from trellis.io.gadget_files import open_snapshot
from trellis.io.gadget_layout import (
    BOX,
    COLUMNS,
    COMOVING,
    CONSTANT,
    LENGTH,
    MASS,
    TYPES,
    VELOCITY,
    attributes,
    counts,
    number,
    shown,
)
from trellis.io.layouts.codes import ENTROPY, SCALE_FACTOR, found_in, layout_of
from trellis.io.layouts.columns import NAMES, columns_of, own_fields
from trellis.notes import warn
from trellis.particles.known_fields import TYPE_NAMES

ALWAYS = (
    *("Header/Time", "Header/MassTable", "Header/Redshift", f"Header/{BOX}", f"Parameters/{COMOVING}"),
    *(f"Parameters/{name}" for name in (LENGTH, MASS, VELOCITY, CONSTANT)),
)
"""Attributes that our files have, without which others would be assumed."""

SHARED = ("Time", SCALE_FACTOR, "Redshift", "BoxSize", "Omega0", "OmegaLambda", "HubbleParam")
"""Attributes that are the same in all files of a snapshot."""


@dataclass
class Contents:
    """Contents of a file.

    Attributes
    ----------
    sizes : list of int
        The number of particles of each type.
    fields : dict
        Fields that not every set has: components, unit and meaning of each.
    without : dict
        Of columns that a set always has, the types with particles that lack them.
    left_out : set of str
        Datasets that are not read.
    unplaced : dict
        Types whose particles cannot be read, and their number: those without positions, and those beyond Gadget's six.
    shared : dict
        Attributes that all files of the snapshot have in common.
    """

    sizes: list[int] = field(default_factory=list)
    fields: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    without: dict[str, set[int]] = field(default_factory=lambda: {"id": set(), "velocity": set()})
    left_out: set[str] = field(default_factory=set)
    unplaced: dict[int, int] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)


def contents_of(path: Path) -> Contents:
    """Return the contents of a file.

    Raises
    ------
    ValueError
        If its datasets do not agree with its header, or it is of a kind that no run can start from.
    """
    contents = Contents()
    with open_snapshot(path) as file:
        if "checkpoint" in str(attributes(file, "/").get("format", "")):
            raise InputError(f"'{path}' is a checkpoint, not a snapshot: read_checkpoint reads those of a simulation")
        stated, layout = attributes(file, "Header"), layout_of(file)
        with about(path):
            expected, found = counts(stated, "NumPart_ThisFile"), found_in(file)
            _check_kind(found)
        contents.shared = {name: found[name] for name in SHARED if name in found}
        contents.left_out |= set(attributes(file, LEFT).get("names", ()))
        _check_columns(path, file, stated)
        for kind in range(TYPES):
            group = file.get(f"PartType{kind}")
            positions = None if group is None else group.get("Coordinates")
            size = 0 if positions is None else len(positions)
            if positions is None and expected[kind] > 0 and _only_tracers(group):
                contents.unplaced[kind] = int(expected[kind])
            elif "NumPart_ThisFile" in stated and size != expected[kind]:
                raise InputError(
                    f"'{path}' has coordinates of {size} particles of type {kind}, but its header says {expected[kind]}"
                )
            contents.sizes.append(size)
            if size > 0:
                where = f"'{path}': PartType{kind}"
                columns, own = columns_of(where, group, layout), own_fields(where, group, layout)
                contents.fields.update(own)
                contents.left_out |= set(group) - set(columns.values()) - set(own)
                for name, kinds in contents.without.items():
                    if name not in columns:
                        kinds.add(kind)
        for name in file:
            beyond = re.fullmatch(r"PartType(\d+)", name)
            if beyond and int(beyond[1]) >= TYPES and "Coordinates" in file[name]:
                contents.unplaced[int(beyond[1])] = len(file[name]["Coordinates"])
    contents.unplaced = {kind: size for kind, size in contents.unplaced.items() if size > 0}
    return contents


def _only_tracers(group: Any) -> bool:
    """Return whether a group without positions is of particles that have none, such as Arepo's tracers."""
    return (
        group is not None and len(group) > 0 and not any(name in group for name in (*NAMES["velocity"], *NAMES["mass"]))
    )


def _check_columns(path: Path, file: Any, header: dict[str, Any]) -> None:
    """Raise a ValueError if a column that the header of one of our files names is not there."""
    named = str(header.get(COLUMNS, "")).split(", ") if header.get(COLUMNS) else []
    missing = next((name for name in named if name not in file), None)
    if missing is not None:
        there = [name for group in file if group.startswith("PartType") for name in _names(group, file[group])]
        unknown = [name for name in there if name not in named]
        instead = f", and has {', '.join(unknown)}, which it does not name" if unknown else ""
        raise InputError(f"'{path}' is damaged: it has no column '{missing}', which its header names{instead}")
    lost = next((name for name in ALWAYS if named and _is_lost(file, name)), None)
    if lost is not None:
        raise InputError(f"'{path}' is damaged: it has no attribute '{lost}'")


def _is_lost(file: Any, name: str) -> bool:
    """Return whether the group of an attribute is there without it."""
    group, _, own = name.partition("/")
    return group in file and own not in file[group].attrs


def _names(group: str, columns: Any) -> list[str]:
    return [f"{group}/{name}" for name in columns]


def _check_kind(found: dict[str, Any]) -> None:
    """Raise a ValueError if a file's header says what would have to be computed otherwise."""
    dimension = number(found, "Dimension")
    if dimension not in (0, 3):
        raise InputError(f"'Dimension' is {dimension:g}, but must be 3")
    if np.any(np.asarray(found.get(ENTROPY, 0)) != 0):
        raise InputError(
            f"'{ENTROPY}' is {shown(found[ENTROPY])}: internal energies are entropies there, but must be energies (0)"
        )


def check_total(path: Path, header: dict[str, Any], contents: Iterable[Contents]) -> None:
    """Raise a ValueError if the files of a snapshot together do not have what the header of the first says."""
    parts = list(contents)
    size = sum(sum(part.sizes) for part in parts)
    with about(path):
        total = counts(header, "NumPart_Total") + (counts(header, "NumPart_Total_HighWord") << 32)
    for kind in {kind for part in parts for kind in part.unplaced if kind < TYPES}:
        total[kind] = 0
    said_empty = "NumPart_Total" in header and total.sum() == 0 and not any(part.unplaced for part in parts)
    if size == 0 and not said_empty:
        raise InputError(f"'{path}' has no particles: there are no coordinates in PartType0 to PartType5")
    if total.sum() not in (0, size):
        raise InputError(f"'{path}' has {size} particles in all its files, but its header says {total.sum()}")


def check_one_snapshot(paths: Sequence[Path], contents: Sequence[Contents]) -> None:
    """Raise a ValueError if files are of different snapshots: one that an earlier run left behind, say."""
    first = contents[0].shared
    for path, part in zip(paths[1:], contents[1:], strict=True):
        name = next((each for each in first if not np.array_equal(first[each], part.shared.get(each, first[each]))), "")
        if name:
            raise InputError(
                f"'{path}' is of another snapshot than '{paths[0]}': '{name}' is {shown(part.shared[name])} in it, but"
                f" {shown(first[name])} in the other"
            )


def note_contents(path: Path, contents: Iterable[Contents], said: Sequence[str]) -> None:
    """Warn about what is in the files of a snapshot and is not read, and what is missing beside what they say."""
    parts = list(contents)
    for kind in sorted({kind for part in parts for kind in part.unplaced}):
        size = sum(part.unplaced.get(kind, 0) for part in parts)
        why = "without coordinates" if kind < TYPES else "which Trellis has no such type for"
        warn(f"'{path}' has {size} particles of type {kind}, {why}: they are left out")
    names = sorted({name for part in parts for name in part.left_out})
    if names:
        warn(f"'{path}' has columns that Trellis has no use for and leaves out: {', '.join(names)}")
    lacking = {name: set().union(*(part.without[name] for part in parts)) for name in ("id", "velocity")}
    if lacking["velocity"] and "velocity" not in said:
        warn(f"'{path}' has no velocities of {_type_names(lacking['velocity'])} particles: they are at rest")
    kinds = {kind for part in parts for kind in range(TYPES) if part.sizes[kind] > 0}
    if lacking["id"] and any(
        part.sizes[kind] > 0 and kind not in part.without["id"] for part in parts for kind in kinds
    ):
        warn(
            f"'{path}' has no ids of {_type_names(lacking['id'])} particles: those of the others are left out, and all"
            " are counted from 0"
        )


def _type_names(kinds: set[int]) -> str:
    return ", ".join(TYPE_NAMES[kind] for kind in sorted(kinds))

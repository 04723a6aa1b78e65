"""Reading Gadget's snapshots, HDF5 and binary, other people's included."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis._core import Cosmology
from trellis.arguments import checked_arguments
from trellis.errors import InputError, about, reading
from trellis.io.checked_columns import read_rows
from trellis.io.gadget_cosmology import cosmology_of, momentum_factor, scale_factor_of
from trellis.io.gadget_files import open_snapshot, snapshot_files
from trellis.io.gadget_layout import (
    DATASETS,
    FRACTION,
    GAS_FIELDS,
    LEFT_OUT,
    ONLY_TYPES,
    TYPE_FIELD,
    TYPES,
    attributes,
    counts,
    is_cosmological,
    number,
    read_box,
    read_units,
)
from trellis.io.ids import check_ids, refuse_shared_ids
from trellis.io.not_finite import forget_lengths, refuse_not_finite
from trellis.io.rank_groups import own_share
from trellis.particles import ParticleSet
from trellis.units import GADGET, Units


@dataclass(frozen=True)
class Snapshot:
    """The content of a snapshot file.

    Attributes
    ----------
    particles : ParticleSet
        The particles of all types, type after type; the field ``type`` has Gadget's number of it.
    time : float
        Time of the snapshot; its scale factor if space expands.
    units : Units
        The file's units; ``units.G`` is the gravitational constant to integrate it with.
    path : Path
        The file, or the first of several.
    fraction : float
        Share of the particles that it has, if it says that it has not all.
    types : tuple of str
        The types that it has, if it says that it has not all; else empty.
    left_out : tuple of str
        The fields that it says it leaves out.
    units_assumed : bool
        True if it does not name its units: then these are Gadget's usual ones.
    cosmology : Cosmology or None
        The cosmology by which space expands; None if it does not, or the file lacks the density of matter.
    """

    particles: ParticleSet
    time: float
    units: Units
    path: Path
    fraction: float = 1.0
    types: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    units_assumed: bool = False
    cosmology: Cosmology | None = None


@checked_arguments()
def read_snapshot(path: str | Path, *, whole: bool = False, expanding: bool | None = None) -> Snapshot:
    """Read a snapshot in Gadget's HDF5 layout or binary format 1 or 2, in float64 whatever the file has.

    Of several ranks, which all call this, each reads its share of the rows, in their order.

    Header fields may be missing or zero; a ``BoxSize`` above zero makes a periodic box. Masses come from ``Masses``
    or the header's ``MassTable``; missing velocities are zero, but nan, not known, where the header says that they
    were left out; missing ids count from 0. Columns that Trellis wrote come back; those of other codes that it has no
    use for do not, and are named in a warning, as is an id that several particles have. Values that are not finite
    are kept in columns that not every run reads; smoothing lengths become 0 there, not known, with a warning. So are
    units assumed that the file does not name: Gadget's usual ones.

    Parameters
    ----------
    path : str or Path
        The file, whose content says of which format it is; of a snapshot in several files any one of them, or their
        common name (``snap.hdf5`` for ``snap.0.hdf5``, ``snap.1.hdf5``, ...; ``snap`` for ``snap.0``, ...).
    whole : bool
        Read all rows on a rank that asks, whatever the others do.
    expanding : bool, optional
        True: space expands, and Gadget's velocities a dx/dt / sqrt(a) become the momenta p = a^2 dx/dt that a
        `Simulation` with a cosmology has. If not given, as ``ComovingIntegrationOn`` says, or else if ``Omega0`` and
        ``HubbleParam`` are above 0 and ``Time`` is 1 / (1 + ``Redshift``). False, or a file without a time, takes the
        values as they are, with a warning if the file is cosmological.

    Raises
    ------
    ValueError
        With one sentence, if a file is missing, truncated or not a snapshot, if a dataset is missing or does not fit
        the others, or if a value that every run reads is not finite.
    """
    with reading(Path(path)):
        paths = snapshot_files(Path(path))
    contents = [_contents(part) for part in paths]
    sizes = np.array([content.sizes for content in contents])
    with open_snapshot(paths[0]) as file, about(paths[0]):
        header, parameters, units = attributes(file, "Header"), attributes(file, "Parameters"), read_units(file)
        found = {**header, **parameters}
        comoving = _expands(paths[0], found, expanding)
        time = scale_factor_of(found) if comoving else number(header, "Time")
        cosmology = cosmology_of(found, units or GADGET) if comoving else None
    _check_total(paths[0], header, sizes)
    if units is None:
        warnings.warn(
            f"'{paths[0]}' does not name its units of length, mass and velocity: assumed are Gadget's, {GADGET}",
            stacklevel=3,
        )
    _note_left_out(paths[0], contents)
    total = int(sizes.sum())
    own = slice(0, total) if whole else own_share(total)
    particles = ParticleSet(own.stop - own.start)
    particles.add_field(*TYPE_FIELD)
    for content in contents:
        for name, declaration in content.fields.items():
            if name not in particles.field_names:
                particles.add_field(name, *declaration)
    _set_box(paths[0], header, particles)
    pieces = list(_pieces(paths, sizes, own))
    for part, kind, here, there in pieces:
        _read_type(part, kind, particles, here, there)
    if not all(content.ids_given for content in contents):
        particles.id = np.arange(own.start, own.stop, dtype=np.uint64)
    else:
        refuse_shared_ids(paths[0], particles.id, whole=whole)
    for part, _, here, _ in pieces:
        refuse_not_finite(part, particles, here)
    forget_lengths(paths[0], particles, whole=whole)
    if comoving:
        particles.velocity *= momentum_factor(time)
    left_out = _names(header, LEFT_OUT)
    if "velocity" in left_out:
        particles.velocity = np.nan
    fraction = number(header, FRACTION) if FRACTION in header else 1.0
    only = _names(header, ONLY_TYPES)
    units_in_use = replace(units or GADGET, comoving=comoving)
    return Snapshot(particles, time, units_in_use, paths[0], fraction, only, left_out, units is None, cosmology)


def _names(header: dict[str, Any], attribute: str) -> tuple[str, ...]:
    return tuple(str(header[attribute]).split(", ")) if attribute in header else ()


def _pieces(paths: list[Path], sizes: NDArray[np.int64], own: slice) -> Iterator[tuple[Path, int, slice, slice]]:
    """Yield where own rows of the snapshot are: a file, a type, rows of the own ones, and of those in the file."""
    first = 0
    for kind in range(TYPES):
        for part, size in zip(paths, sizes[:, kind].tolist(), strict=True):
            begin, end = max(own.start, first), min(own.stop, first + size)
            if begin < end:
                here, there = (slice(begin - start, end - start) for start in (own.start, first))
                yield part, kind, here, there
            first += size


@dataclass(frozen=True)
class _Contents:
    """Contents of a file: the particles of each type, fields that not every set has, whether all have ids, the rest."""

    sizes: list[int]
    fields: dict[str, tuple[int, str, str]]
    ids_given: bool
    left_out: set[str]


def _contents(path: Path) -> _Contents:
    """From the file's datasets, which must agree with its header."""
    with open_snapshot(path) as file:
        stated = attributes(file, "Header")
        with about(path):
            expected = counts(stated, "NumPart_ThisFile")
        sizes: list[int] = []
        fields: dict[str, tuple[int, str, str]] = {}
        ids_given = True
        left_out: set[str] = set()
        for kind in range(TYPES):
            group = file.get(f"PartType{kind}")
            positions = None if group is None else group.get("Coordinates")
            size = 0 if positions is None else len(positions)
            if "NumPart_ThisFile" in stated and size != expected[kind]:
                raise InputError(
                    f"'{path}' has coordinates of {size} particles of type {kind}, but its header says {expected[kind]}"
                )
            sizes.append(size)
            if size > 0:
                ids_given &= "ParticleIDs" in group
                own = _own_fields(group)
                fields.update(own)
                left_out |= set(group) - set(DATASETS.values()) - set(own)
    return _Contents(sizes, fields, ids_given, left_out)


def _own_fields(group: h5py.Group) -> dict[str, tuple[int, str, str]]:
    """Fields that not every set has: those of gas, and what Trellis wrote; components, unit and meaning of each."""
    fields = {name: GAS_FIELDS[name] for name in GAS_FIELDS if DATASETS[name] in group}
    known = {DATASETS[name]: name for name in GAS_FIELDS}
    for name, dataset in group.items():
        if (name in known or name not in DATASETS.values()) and "meaning" in dataset.attrs:
            components = 3 if dataset.ndim == 2 else 1
            fields[known.get(name, name)] = (components, dataset.attrs["unit"], dataset.attrs["meaning"])
    return fields


def _check_total(path: Path, header: dict[str, Any], sizes: NDArray[np.int64]) -> None:
    with about(path):
        total = counts(header, "NumPart_Total") + (counts(header, "NumPart_Total_HighWord") << 32)
    if sizes.sum() == 0:
        raise InputError(f"'{path}' has no particles: there are no coordinates in PartType0 to PartType5")
    if total.sum() not in (0, sizes.sum()):
        raise InputError(f"'{path}' has {sizes.sum()} particles in all its files, but its header says {total.sum()}")


def _expands(path: Path, found: dict[str, Any], wanted: bool | None) -> bool:
    """Return whether space expands: as `wanted`, or if the file has a scale factor; warn if it has one in vain."""
    said = is_cosmological(found)
    expands = said and max(number(found, "Time"), number(found, "Redshift")) > 0 if wanted is None else wanted
    if said and not expands:
        warnings.warn(
            f"'{path}' is cosmological (Omega0 = {number(found, 'Omega0'):g}, HubbleParam ="
            f" {number(found, 'HubbleParam'):g}): comoving values are taken as they are, and space will not expand",
            stacklevel=4,
        )
    return expands


def _note_left_out(path: Path, contents: Sequence[_Contents]) -> None:
    names = sorted({name for content in contents for name in content.left_out})
    if names:
        warnings.warn(
            f"'{path}' has columns that Trellis has no use for and leaves out: {', '.join(names)}", stacklevel=4
        )


def _set_box(path: Path, header: dict[str, Any], particles: ParticleSet) -> None:
    try:
        particles.box = read_box(header)
    except ValueError as error:
        raise InputError(f"'{path}': {error}") from None


def _read_type(path: Path, kind: int, particles: ParticleSet, here: slice, there: slice) -> None:
    """Read rows of one type of one file, there, into rows of the columns, here."""
    with open_snapshot(path) as file:
        group = file[f"PartType{kind}"]
        table = np.ravel(attributes(file, "Header").get("MassTable", np.zeros(TYPES)))
        if "Masses" not in group:
            if len(table) <= kind or not table[kind] > 0:
                raise InputError(f"'{path}' has neither PartType{kind}/Masses nor a mass of type {kind} in MassTable")
            particles.mass[here] = table[kind]
        names = {**{name: field for field, name in DATASETS.items()}, **{name: name for name in _own_fields(group)}}
        for name, field in names.items():
            if name in group:
                column = particles.column(field)
                fit = (len(group["Coordinates"]), *column.shape[1:])
                if group[name].shape != fit:
                    raise InputError(
                        f"'{path}': PartType{kind}/{name} has the shape {group[name].shape}, but must have {fit}"
                    )
                rows = read_rows(path, f"PartType{kind}/{name}", group[name], there)
                if field == "id":
                    check_ids(path, f"PartType{kind}/{name}", rows)
                column[here] = rows
        particles.column("type")[here] = kind

"""Reading Gadget's snapshots, HDF5 and binary, other people's included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis._core import Cosmology
from trellis.arguments import checked_arguments
from trellis.errors import InputError, about, reading
from trellis.io.checked_columns import read_rows
from trellis.io.gadget_contents import check_one_snapshot, check_total, contents_of, note_contents
from trellis.io.gadget_cosmology import cosmology_of, momentum_factor
from trellis.io.gadget_files import open_snapshot, snapshot_files
from trellis.io.gadget_layout import COMOVING, FRACTION, LEFT_OUT, ONLY_TYPES, TYPE_FIELD, TYPES, attributes, number
from trellis.io.ids import check_ids, refuse_shared_ids
from trellis.io.layouts.codes import AGREEMENT, SCALE_FACTOR, found_in, layout_of
from trellis.io.layouts.columns import columns_of, factor
from trellis.io.layouts.headers import box_of, is_cosmological, scale_factor_of, units_of_attributes
from trellis.io.not_finite import forget_lengths, refuse_not_finite
from trellis.io.rank_groups import own_share
from trellis.io.same_files import check_same_files
from trellis.notes import warn
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
    """Read a snapshot in Gadget's HDF5 layout, binary format 1 or 2, or that of codes with a layout much like it.

    The layouts are in `trellis.io.layouts.codes` and docs/snapshots.md. All columns are in float64.

    Of several ranks, which all call this, each reads its share of the rows, in their order. Files of one name that are
    not the same for all ranks are refused, by their sizes and checksums.

    Header fields may be missing or zero; a ``BoxSize`` above zero makes a periodic box. Masses come from ``Masses`` or
    the header's ``MassTable``, which must not disagree; missing velocities are zero, with a warning, but nan, not
    known, where the header says that they were left out; missing ids count from 0. Columns that Trellis wrote come
    back; those of other codes that it has no use for do not, and are named in a warning, as are types of particles that
    it does not have. Ids that several particles have are refused. In expanding space values that a code stores without
    h, or by other powers of the scale factor, are converted to Gadget's. Values that are not finite are kept in columns
    that not every run reads; smoothing lengths become 0 there, not known, with a warning. So are units assumed that the
    file does not name: Gadget's usual ones.

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
    if not whole:
        check_same_files(paths)
    contents = [contents_of(part) for part in paths]
    check_one_snapshot(paths, contents)
    sizes = np.array([content.sizes for content in contents])
    with open_snapshot(paths[0]) as file, about(paths[0]):
        header, found, layout = attributes(file, "Header"), found_in(file), layout_of(file)
        units = units_of_attributes(found)
        comoving = _expands(paths[0], found, expanding)
        time = scale_factor_of(found) if comoving else number(found, "Time")
        cosmology = cosmology_of(found, units or GADGET) if comoving else None
    check_total(paths[0], header, contents)
    if units is None:
        warn(f"'{paths[0]}' does not name its units of length, mass and velocity: assumed are Gadget's, {GADGET}")
    left_out = _names(header, LEFT_OUT)
    note_contents(paths[0], contents, said=left_out)
    powers = _Powers(time, number(found, "HubbleParam") or 1.0) if comoving else _Powers()
    total = int(sizes.sum())
    own = slice(0, total) if whole else own_share(total)
    particles = ParticleSet(own.stop - own.start)
    particles.add_field(*TYPE_FIELD)
    for content in contents:
        for name, declaration in content.fields.items():
            if name not in particles.field_names:
                particles.add_field(name, *declaration)
    side = factor(paths[0], "BoxSize", "position", {}, layout, powers.a, powers.h)
    _set_box(paths[0], found, particles, side)
    pieces = list(_pieces(paths, sizes, own))
    for part, kind, here, there in pieces:
        _read_type(part, kind, particles, here, there, powers)
    if any(content.without["id"] for content in contents):
        particles.id = np.arange(own.start, own.stop, dtype=np.uint64)
    else:
        refuse_shared_ids(paths[0], particles.id, whole=whole)
    for part, _, here, _ in pieces:
        refuse_not_finite(part, particles, here)
    forget_lengths(paths[0], particles, whole=whole)
    if comoving:
        particles.velocity *= momentum_factor(time)
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


def _expands(path: Path, found: dict[str, Any], wanted: bool | None) -> bool:
    """Return whether space expands: as `wanted`, or if the file has a scale factor; warn if it has one in vain."""
    said = is_cosmological(found)
    time, redshift = number(found, "Time"), number(found, "Redshift")
    expands = said and max(time, redshift, number(found, SCALE_FACTOR)) > 0 if wanted is None else wanted
    if said and not expands:
        warn(
            f"'{path}' is cosmological (Omega0 = {number(found, 'Omega0'):g}, HubbleParam ="
            f" {number(found, 'HubbleParam'):g}): comoving values are taken as they are, and space will not expand"
        )
    elif not expands and (lack := _lack_of_cosmology(found)):
        warn(f"'{path}' {lack}: space will not expand")
    if expands and number(found, "OmegaNeutrino") > 0:
        warn(
            f"'{path}' has massive neutrinos (Omega_nu = {number(found, 'OmegaNeutrino'):g}), which Trellis has not:"
            " space expands without them"
        )
    return expands


def _set_box(path: Path, found: dict[str, Any], particles: ParticleSet, factor: float) -> None:
    try:
        particles.box = box_of(found, factor)
    except ValueError as error:
        raise InputError(f"'{path}': {error}") from None


@dataclass(frozen=True)
class _Powers:
    """The scale factor and h by which columns are converted to Gadget's powers of them: 1 where space is static."""

    a: float = 1.0
    h: float = 1.0


def _read_type(path: Path, kind: int, particles: ParticleSet, here: slice, there: slice, powers: _Powers) -> None:
    """Read rows of one type of one file, there, into rows of the columns, here."""
    with open_snapshot(path) as file:
        group, layout = file[f"PartType{kind}"], layout_of(file)
        columns = columns_of(f"'{path}': PartType{kind}", group, layout)
        size = len(group["Coordinates"])
        for field, dataset in columns.items():
            name, column = f"PartType{kind}/{dataset}", particles.column(field)
            fit = (size, *column.shape[1:])
            if group[dataset].shape != fit:
                raise InputError(f"'{path}': {name} has the shape {group[dataset].shape}, but must have {fit}")
            rows = read_rows(path, name, group[dataset], there)
            if field == "id":
                check_ids(path, name, rows)
            by = factor(path, name, field, group[dataset].attrs, layout, powers.a, powers.h)
            column[here] = rows if by == 1 else rows * by
        table = np.ravel(attributes(file, "Header").get("MassTable", np.zeros(TYPES)))
        given = float(table[kind]) if len(table) > kind else 0.0
        given *= factor(path, "MassTable", "mass", {}, layout, powers.a, powers.h)
        _set_mass(path, f"PartType{kind}/{columns.get('mass', 'Masses')}", particles.mass[here], given, columns)
        particles.column("type")[here] = kind


def _set_mass(path: Path, name: str, mass: NDArray[np.float64], given: float, columns: dict[str, str]) -> None:
    """Set masses that the header gives; raise a ValueError if it gives none, or another than the column."""
    if "mass" not in columns:
        if not given > 0:
            raise InputError(f"'{path}' has neither {name} nor a mass of type {name[8]} in MassTable")
        mass[:] = given
    elif given > 0:
        other = np.flatnonzero(np.abs(mass - given) > AGREEMENT * given)
        if len(other) > 0:
            raise InputError(
                f"'{path}': {name} has the mass {mass[other[0]]:g}, but the header's MassTable has {given:g} for type"
                f" {name[8]}: it must have 0 where masses are in the column"
            )


def _lack_of_cosmology(found: dict[str, Any]) -> str:
    """Return what keeps a file with a cosmology from being cosmological; empty if it has none, or says that it is."""
    time, redshift, matter = (number(found, name) for name in ("Time", "Redshift", "Omega0"))
    if COMOVING in found or matter <= 0:
        return ""
    if redshift > 0:
        known = number(found, "HubbleParam") > 0
        lack = f"its time {time:g} is not the scale factor" if known else "no HubbleParam"
        return f"has the redshift {redshift:g}, but {lack}"
    lacking = "Redshift" not in found and 0 < time < 1
    return f"has Omega0 = {matter:g}, but no redshift beside its time {time:g}" if lacking else ""

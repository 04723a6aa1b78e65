"""Reading Gadget-style HDF5 snapshots, other people's included."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from trellis.errors import InputError
from trellis.io.gadget_layout import DATASETS, TYPE_FIELD, TYPES, attributes, counts, number, read_units
from trellis.io.hdf5 import open_hdf5
from trellis.particles import ParticleSet
from trellis.units import Units


@dataclass(frozen=True)
class Snapshot:
    """What a snapshot file holds.

    Attributes
    ----------
    particles : ParticleSet
        The particles of all types, type after type; the field ``type`` has Gadget's number of it.
    time : float
        Time of the snapshot.
    units : Units
        The file's units; ``units.G`` is the gravitational constant to integrate it with.
    path : Path
        The file, or the first of several.
    """

    particles: ParticleSet
    time: float
    units: Units
    path: Path


def read_snapshot(path: str | Path) -> Snapshot:
    """Read a Gadget-style HDF5 snapshot, in float64 whatever the file has.

    Header fields may be missing or zero. Masses come from ``Masses`` or the header's ``MassTable``; missing velocities
    are zero, and missing ids count from 0. Columns that Trellis wrote come back, those of other codes that it has no
    use for do not.

    Parameters
    ----------
    path : str or Path
        The file; of a snapshot in several files any one of them, or their common name (``snap.hdf5`` for
        ``snap.0.hdf5``, ``snap.1.hdf5``, ...).

    Raises
    ------
    ValueError
        With one sentence, if a file is missing, truncated or not a snapshot, if a dataset is missing or does not fit
        the others, or if a value is not finite.
    """
    paths = _files(Path(path))
    sizes = np.array([_sizes(part) for part in paths])
    with open_hdf5(paths[0]) as file:
        header, units = attributes(file, "Header"), read_units(file)
    _check_total(paths[0], header, sizes)
    _note_cosmology(paths[0], header)
    particles = ParticleSet(int(sizes.sum()))
    particles.add_field(*TYPE_FIELD)
    row = 0
    ids_given = True
    for kind in range(TYPES):
        for part, size in zip(paths, sizes[:, kind], strict=True):
            if size > 0:
                ids_given &= _read_type(part, kind, particles, slice(row, row + int(size)))
            row += int(size)
    if not ids_given:
        particles.id = np.arange(particles.size, dtype=np.uint64)
    _check_finite(paths[0], particles)
    return Snapshot(particles, number(header, "Time"), units, paths[0])


def _files(path: Path) -> list[Path]:
    """All files of the snapshot that `path` is one of."""
    numbered = re.fullmatch(r"(.+)\.\d+(\.h(?:df)?5)", path.name)
    if not path.exists() and not numbered:
        first = path.with_name(f"{path.stem}.0{path.suffix}")
        if first.exists():
            return _files(first)
    with open_hdf5(path) as file:
        count = int(number(attributes(file, "Header"), "NumFilesPerSnapshot"))
    if count <= 1:
        return [path]
    if not numbered:
        raise InputError(f"'{path}' is one of {count} files, but is not named like one of them, as in name.0.hdf5")
    paths = [path.with_name(f"{numbered[1]}.{k}{numbered[2]}") for k in range(count)]
    missing = next((part for part in paths if not part.exists()), None)
    if missing is not None:
        raise InputError(f"'{path}' is one of {count} files, but there is no file '{missing}'")
    return paths


def _sizes(path: Path) -> list[int]:
    """Particles of each type in a file, from its datasets, which must agree with its header."""
    with open_hdf5(path) as file:
        stated = attributes(file, "Header")
        expected = counts(stated, "NumPart_ThisFile")
        sizes = []
        for kind in range(TYPES):
            group = file.get(f"PartType{kind}")
            places = None if group is None else group.get("Coordinates")
            size = 0 if places is None else len(places)
            if "NumPart_ThisFile" in stated and size != expected[kind]:
                raise InputError(
                    f"'{path}' has coordinates of {size} particles of type {kind}, but its header says {expected[kind]}"
                )
            sizes.append(size)
    return sizes


def _check_total(path: Path, header: dict[str, Any], sizes: np.ndarray[Any, Any]) -> None:
    total = counts(header, "NumPart_Total") + (counts(header, "NumPart_Total_HighWord") << 32)
    if sizes.sum() == 0:
        raise InputError(f"'{path}' has no particles: there are no coordinates in PartType0 to PartType5")
    if total.sum() not in (0, sizes.sum()):
        raise InputError(f"'{path}' has {sizes.sum()} particles in all its files, but its header says {total.sum()}")


def _note_cosmology(path: Path, header: dict[str, Any]) -> None:
    if number(header, "Omega0") > 0:
        warnings.warn(
            f"'{path}' is cosmological (Omega0 = {number(header, 'Omega0'):g}, HubbleParam ="
            f" {number(header, 'HubbleParam'):g}): comoving values are taken as they are, and space will not expand",
            stacklevel=3,
        )
    if number(header, "BoxSize") > 0:
        warnings.warn(
            f"'{path}' has a periodic box of {number(header, 'BoxSize'):g}: boundaries are taken as open", stacklevel=3
        )


def _read_type(path: Path, kind: int, particles: ParticleSet, rows: slice) -> bool:
    """Read one type of one file into rows of the columns; say whether it has ids."""
    with open_hdf5(path) as file:
        group = file[f"PartType{kind}"]
        table = np.ravel(attributes(file, "Header").get("MassTable", np.zeros(TYPES)))
        if "Masses" not in group:
            if len(table) <= kind or not table[kind] > 0:
                raise InputError(f"'{path}' has neither PartType{kind}/Masses nor a mass of type {kind} in MassTable")
            particles.mass[rows] = table[kind]
        for field, name in DATASETS.items():
            if name in group:
                _read_column(path, group[name], particles.column(field)[rows])
        for name, dataset in group.items():
            if name not in DATASETS.values() and "meaning" in dataset.attrs:
                if name not in particles.field_names:
                    components = 3 if dataset.ndim == 2 else 1
                    particles.add_field(name, components, dataset.attrs["unit"], dataset.attrs["meaning"])
                _read_column(path, dataset, particles.column(name)[rows])
        particles.column("type")[rows] = kind
        return "ParticleIDs" in group


def _read_column(path: Path, dataset: h5py.Dataset, column: np.ndarray[Any, Any]) -> None:
    if dataset.shape != column.shape:
        raise InputError(f"'{path}': {dataset.name[1:]} has the shape {dataset.shape}, but must have {column.shape}")
    column[...] = dataset[...]


def _check_finite(path: Path, particles: ParticleSet) -> None:
    try:
        for name in particles.field_names:
            if name != "id":
                particles.check_finite(name)
    except InputError as error:
        raise InputError(f"'{path}': {error}") from None

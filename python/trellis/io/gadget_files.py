"""The files of a snapshot: which they are, and each opened as groups of datasets, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from trellis.errors import InputError, about, reading
from trellis.io.gadget_binary import format_of, read_groups
from trellis.io.gadget_layout import attributes, number
from trellis.io.hdf5 import open_hdf5
from trellis.io.layouts.headers import units_in
from trellis.io.layouts.phantom import groups_of_phantom, is_phantom
from trellis.units import GADGET, Units


@contextmanager
def open_snapshot(path: Path) -> Iterator[Any]:
    """Open a file of a snapshot: an HDF5 file, or a stand-in with the same groups for Gadget's binary and Phantom's.

    Raises
    ------
    ValueError
        With one sentence, if the file is missing, truncated, damaged or of another format.
    """
    with reading(path):
        form = format_of(path) if path.is_file() else None
        if form is not None:
            yield read_groups(path, form)
            return
        if path.is_file() and not h5py.is_hdf5(path):
            raise InputError(
                f"'{path}' is no snapshot: neither an HDF5 file nor a binary one of Gadget's format 1 or 2"
            )
    with open_hdf5(path) as file:
        yield groups_of_phantom(path, file) if is_phantom(file) else file


def snapshot_files(path: Path) -> list[Path]:
    """Return all files of the snapshot of which `path` is one, or the common name."""
    if not path.exists():
        for first in (path.with_name(f"{path.stem}.0{path.suffix}"), path.with_name(f"{path.name}.0")):
            if first.exists():
                return snapshot_files(first)
    with open_snapshot(path) as file, about(path):
        count = int(number(attributes(file, "Header"), "NumFilesPerSnapshot"))
    if count <= 1:
        return [path]
    numbered = re.fullmatch(r"(.+)\.\d+(\.[A-Za-z]\w*)?", path.name)
    if numbered is None:
        raise InputError(
            f"'{path}' is one of {count} files, but is not named like one of them, as in name.0.hdf5 or name.0"
        )
    paths = [path.with_name(f"{numbered[1]}.{k}{numbered[2] or ''}") for k in range(count)]
    missing = next((part for part in paths if not part.exists()), None)
    if missing is not None:
        raise InputError(f"'{path}' is one of {count} files, but there is no file '{missing}'")
    return paths


def units_of(path: Path) -> Units:
    """Return the units of a snapshot, as `read_snapshot` does: Gadget's if it names none."""
    with reading(path):
        first = snapshot_files(path)[0]
    with open_snapshot(first) as file, about(first):
        return units_in(file) or GADGET

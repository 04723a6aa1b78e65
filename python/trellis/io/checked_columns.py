"""Columns of HDF5 files: in chunks of rows that carry checksums, so that what a disk has changed is found and named."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import DTypeLike, NDArray

from trellis.errors import InputError

CHUNK = 1 << 15
"""Most rows of a chunk; fewer of rows longer than a vector. One of vectors has 768 KiB: it stays in HDF5's cache, of
1 MiB, while ranks write parts of it, and a rank that reads its share reads little more."""


def new_column(
    file: h5py.File, name: str, shape: tuple[int, ...], dtype: DTypeLike, filters: Mapping[str, Any] | None = None
) -> h5py.Dataset:
    """Make a dataset, with filters of h5py and HDF5's Fletcher32 checksum of each chunk; an empty one has none."""
    if 0 in shape:
        return file.create_dataset(name, shape, dtype)
    most = max(1, 3 * CHUNK // max(3, math.prod(shape[1:])))
    chunks = -(-shape[0] // most)
    rows = -(-shape[0] // chunks)  # the same in all, so that the last has few that are not used
    return file.create_dataset(name, shape, dtype, chunks=(rows, *shape[1:]), fletcher32=True, **(filters or {}))


def read_rows(path: Path, name: str, dataset: Any, rows: slice) -> NDArray[Any]:
    """Read rows of a column of numbers, with checksums or without.

    Parameters
    ----------
    path, name : Path, str
        Name of the file and the column in messages.
    dataset : h5py.Dataset
        The column.
    rows : slice
        The rows to read.

    Raises
    ------
    ValueError
        If a checksum is wrong, or these are no numbers.
    """
    if dataset.dtype.kind not in "iuf":
        kind = "text" if dataset.dtype.kind in "OSU" else f"of the type {dataset.dtype}"
        raise InputError(f"'{path}': {name} is {kind}, but must be numbers")
    return read_checked(path, name, dataset, rows)


def read_checked(path: Path, name: str, dataset: Any, rows: slice = slice(None)) -> NDArray[Any]:
    """Read rows of a column of whatever type; a ValueError if a checksum is wrong."""
    try:
        return np.asarray(dataset[rows])
    except OSError as error:
        if not (getattr(dataset, "fletcher32", False) and "filter" in str(error)):
            raise
        raise InputError(f"'{path}' is damaged: the checksum of '{name}' is wrong") from None

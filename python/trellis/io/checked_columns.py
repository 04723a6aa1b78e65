"""Columns of HDF5 files: in chunks of rows that carry checksums, so that what a disk has changed is found and named."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
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
    dtype = _number_type(dataset)
    if dtype is None:
        given = _dtype_of(dataset)
        kind = "text" if given is not None and given.kind in "OSU" else f"of the type {given}"
        raise InputError(f"'{path}': {name} is {kind}, but must be numbers")
    return read_checked(path, name, dataset if dtype == _dtype_of(dataset) else _Converted(dataset, dtype), rows)


@dataclass(frozen=True)
class _Converted:
    """A dataset of a type that NumPy does not have, whose numbers HDF5 converts."""

    dataset: Any
    dtype: np.dtype[Any]

    @property
    def fletcher32(self) -> bool:
        """True if the chunks have checksums."""
        return bool(self.dataset.fletcher32)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        first, last, _ = rows.indices(len(self.dataset))
        shape = (last - first, *self.dataset.shape[1:])
        values = np.empty(shape, self.dtype)
        there = self.dataset.id.get_space()
        there.select_hyperslab((first, *(0 for _ in shape[1:])), shape)
        self.dataset.id.read(h5py.h5s.create_simple(shape), there, values, h5py.h5t.py_create(self.dtype))
        return values


def _dtype_of(dataset: Any) -> np.dtype[Any] | None:
    """Return the type of a value, None if NumPy has no such type."""
    try:
        found: np.dtype[Any] = dataset.dtype
    except TypeError:
        return None
    return found


def _number_type(dataset: Any) -> np.dtype[Any] | None:
    """Return the type to read numbers as: HDF5 converts those of 48 bits, say, which NumPy does not have."""
    given = _dtype_of(dataset)
    if given is not None:
        return given if given.kind in "iuf" else None
    stored = dataset.id.get_type()
    if stored.get_class() == h5py.h5t.FLOAT:
        return np.dtype(np.float64)
    if stored.get_class() == h5py.h5t.INTEGER:
        return np.dtype(np.uint64 if stored.get_sign() == h5py.h5t.SGN_NONE else np.int64)
    return None


def read_checked(path: Path, name: str, dataset: Any, rows: slice = slice(None)) -> NDArray[Any]:
    """Read rows of a column of whatever type; a ValueError if a checksum is wrong."""
    try:
        return np.asarray(dataset[rows])
    except OSError as error:
        if not (getattr(dataset, "fletcher32", False) and "filter" in str(error)):
            raise
        raise InputError(f"'{path}' is damaged: the checksum of '{name}' is wrong") from None

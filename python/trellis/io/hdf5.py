"""HDF5 files: opened with a sentence for whatever is wrong, and written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import h5py

from trellis.errors import InputError, reading
from trellis.io.atomic import replacing, write_all


@contextmanager
def open_hdf5(path: Path) -> Iterator[h5py.File]:
    """Open an HDF5 file to read it.

    Raises
    ------
    ValueError
        With one sentence, if the file is missing, truncated, damaged or of another format; also for what fails later,
        while it is read.
    """
    with reading(path):
        if path.is_dir():
            raise InputError(f"'{path}' is a folder, but must be an HDF5 file")
        if path.exists() and not h5py.is_hdf5(path):
            raise InputError(f"'{path}' is not an HDF5 file")
        try:
            with h5py.File(path, "r") as file:
                yield file
        except InputError:
            raise
        except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:  # a group, say, as a dataset
            raise InputError(f"'{path}' is damaged: {error.args[0]}") from None
        except OSError as error:
            if "truncated" in str(error):
                raise InputError(f"'{path}' is truncated: its end is missing") from None
            raise


@contextmanager
def new_hdf5(path: Path, *, checked: bool = False) -> Iterator[h5py.File]:
    """Open a new HDF5 file that replaces `path` as in `replacing`.

    A checked one has checksums of all that is not in columns as well: HDF5's format of version 1.10, which other
    programs may not read.
    """
    with replacing(path) as file:
        ink = _Ink(file)
        with h5py.File(ink, "w", libver=("v110", "v110") if checked else None) as hdf5:
            yield hdf5
        if ink.failure is not None:
            raise ink.failure


class _Ink:
    """A file for h5py that keeps the first failure to write instead of raising it.

    HDF5 does not get over a failed write: it fails once more when it closes the file, and when the process ends. So it
    receives no error, and the failure is raised when it is done.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.failure: OSError | None = None
        self.read = file.read
        self.readinto = file.readinto  # type: ignore[attr-defined]
        self.seek = file.seek
        self.tell = file.tell
        self.flush = file.flush

    def write(self, data: memoryview) -> int:
        try:
            if self.failure is None:
                write_all(self.file, data)
        except OSError as error:
            self.failure = error
        return len(data)

    def truncate(self, size: int) -> int:
        try:
            if self.failure is None:
                self.file.truncate(size)
        except OSError as error:
            self.failure = error
        return size

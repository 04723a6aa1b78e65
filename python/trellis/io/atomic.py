"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from trellis.errors import InputError, writing


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the name `path`, and the place of what had it, once it is completely on the disk.

    Raises
    ------
    ValueError
        If it cannot be made there, or what is there is no file.
    RuntimeError
        If it cannot be written to the end, as on a full disk. What was at `path` is still there.
    """
    if "\0" in str(path) or not path.name:
        raise InputError(f"cannot write {str(path)!r}: this is no name of a file")
    part = path.with_name(f".{path.name}.part")
    with writing(path):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise InputError(f"cannot write '{path}': it is a device or a pipe, whose place no file takes")
        try:
            with part.open("w+b", buffering=0) as file:
                yield file
                os.fsync(file.fileno())
            part.replace(path)
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    with replacing(path) as file:
        write_all(file, text.encode())


def write_all(file: BinaryIO, data: bytes | memoryview) -> None:
    """Write all of `data`: one call may write a part only, as for large data or on a disk that fills up."""
    rest = memoryview(data)
    while len(rest) > 0:
        rest = rest[file.write(rest) :]

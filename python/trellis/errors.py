"""The two errors of Trellis, each with one sentence as its message."""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from trellis._core import InputError, RunError

__all__ = ["UNFIT", "InputError", "RunError", "about", "did_you_mean", "reading", "reason", "writing"]

UNFIT = (
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ELOOP,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENAMETOOLONG,
)
"""Errors that are those of a path, and not of a disk or what is on it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the closest known one, or all of them."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else f"known are {', '.join(names)}"


def reason(error: OSError) -> str:
    """Return what failed, in words."""
    # HDF5 reports some failures without an errno, in several lines.
    return os.strerror(error.errno).lower() if error.errno else str(error).splitlines()[0]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write `path` into a RunError, or an InputError if it cannot even be made there."""
    try:
        yield
    except OSError as error:
        kind = InputError if error.errno in UNFIT else RunError
        raise kind(f"cannot write '{path}': {reason(error)}") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn a failure to read `path` into an InputError."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'") from None
    except OSError as error:
        raise InputError(f"cannot read '{path}': {reason(error)}") from error


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Have an InputError's sentence begin with the file that it is about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"'{path}': {error}") from None

"""Files of numbers: tuples of particles, and tables of a potential."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError, reading

MOST = 2**63 - 1


def read_tuples(path: Path, members: int) -> NDArray[np.int64]:
    """Read tuples of ids from a text file, one on each line, with comments behind #, or from a .npy file.

    Parameters
    ----------
    path : Path
        The file.
    members : int
        The number of particles in a tuple.

    Raises
    ------
    ValueError
        If there is no such file, or none or something else in it.
    """

    def is_row(words: list[str]) -> bool:
        return all(word.isascii() and word.isdecimal() and int(word) <= MOST for word in words)

    return _read(path, members, np.int64, "iu", f"{members} ids", is_row)


def read_table(path: Path) -> NDArray[np.float64]:
    """Read distances and energies, two numbers on each line, as `read_tuples` reads ids."""

    def is_row(words: list[str]) -> bool:
        try:
            return all(np.isfinite(float(word)) for word in words)
        except ValueError:
            return False

    return _read(path, 2, np.float64, "iuf", "a distance and an energy", is_row)


def checksum_of(numbers: NDArray[Any]) -> str:
    """Return by what numbers of a file are known again, in whatever format they are written."""
    return hashlib.sha256(numbers.tobytes()).hexdigest()[:16]


def check_noted(noted: str | None, numbers: NDArray[Any], path: Path) -> str:
    """Return the checksum of a file's numbers; a ValueError, the end of a sentence, if a run has noted another one."""
    found = checksum_of(numbers)
    if noted not in (None, found):
        raise ValueError(f"is {noted!r}, but the numbers in '{path}' are others, whose checksum is {found!r}")
    return found


def _read(
    path: Path, width: int, kind: Any, kinds: str, wanted: str, is_row: Callable[[list[str]], bool]
) -> NDArray[Any]:
    """Read rows of numbers; kinds: NumPy's letters for their types in a .npy file, wanted: a row in words."""
    with reading(path):
        rows = _of_array(path, width, kinds, wanted) if path.suffix == ".npy" else _of_text(path, width, wanted, is_row)
    if not len(rows):
        raise InputError(f"'{path}' is empty, but must have {wanted} on each line")
    return np.ascontiguousarray(rows, dtype=kind)


def _of_array(path: Path, width: int, kinds: str, wanted: str) -> NDArray[Any]:
    try:
        given: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise InputError(f"'{path}' is no file of NumPy, but must have an array with {wanted} in each row") from None
    if given.ndim != 2 or given.shape[1] != width or given.dtype.kind not in kinds:
        raise InputError(
            f"'{path}' has an array of {given.dtype} of shape {given.shape}, but must have {wanted} in each row"
        )
    fits = np.isfinite(given) if "f" in kinds else (given >= 0) & (given <= MOST)
    wrong = np.flatnonzero(~fits.all(axis=1))
    if len(wrong):
        raise InputError(f"'{path}': row {wrong[0]} is {given[wrong[0]].tolist()}, but must be {wanted}")
    return given


def _of_text(path: Path, width: int, wanted: str, is_row: Callable[[list[str]], bool]) -> NDArray[Any]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"'{path}' is not a text file, but must have {wanted} on each line") from None
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != width or not is_row(words):
            raise InputError(f"'{path}': line {number} is '{' '.join(words)}', but must be {wanted}")
        rows.append([int(word) if word.isdecimal() else float(word) for word in words])
    return np.array(rows).reshape(-1, width)

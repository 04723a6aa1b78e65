"""Files of tuples of particles."""

from __future__ import annotations

from pathlib import Path

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
    with reading(path):
        ids = _of_array(path, members) if path.suffix == ".npy" else _of_text(path, members)
    if not len(ids):
        raise InputError(f"'{path}' is empty, but must have {members} ids on each line")
    return ids


def _of_array(path: Path, members: int) -> NDArray[np.int64]:
    try:
        given = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise InputError(f"'{path}' is no file of NumPy, but must have an array of ids") from None
    if given.ndim != 2 or given.shape[1] != members or given.dtype.kind not in "iu":
        raise InputError(
            f"'{path}' has an array of {given.dtype} of shape {given.shape}, but must have whole numbers of shape"
            f" (n, {members})"
        )
    wrong = np.flatnonzero(((given < 0) | (given > MOST)).any(axis=1))
    if len(wrong):
        raise InputError(f"'{path}': row {wrong[0]} is {given[wrong[0]].tolist()}, but must be {members} ids")
    return np.ascontiguousarray(given, dtype=np.int64)


def _of_text(path: Path, members: int) -> NDArray[np.int64]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"'{path}' is not a text file, but must have {members} ids on each line") from None
    rows = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != members or not all(word.isascii() and word.isdecimal() for word in words):
            raise InputError(f"'{path}': line {number} is '{' '.join(words)}', but must be {members} ids")
        row = [int(word) for word in words]
        if max(row) > MOST:
            raise InputError(f"'{path}': line {number} has {max(row)}, which is no id: allowed is at most {MOST}")
        rows.append(row)
    return np.array(rows, dtype=np.int64).reshape(-1, members)

"""Errors of what is found from a series of rows, by leaving out one block of them after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError

Floats = NDArray[np.float64]

BLOCKS = 20
"""The error of an error is 1 / sqrt(2 (BLOCKS - 1)) of it, 16 %; more blocks would have to be shorter."""


def check_rows(what: str, rows: int) -> None:
    """Raise a ValueError if there are fewer than two rows for each block."""
    if rows < 2 * BLOCKS:
        raise InputError(f"{what} of {rows} moments: for an error there must be at least {2 * BLOCKS}")


def blocks(rows: int) -> list[slice]:
    """Return `BLOCKS` blocks of rows, which differ by one at most."""
    ends = [k * rows // BLOCKS for k in range(BLOCKS + 1)]
    return [slice(*each) for each in itertools.pairwise(ends)]


def replicates(of: Callable[[NDArray[Any]], Any], rows: NDArray[Any]) -> Floats:
    """Return what is found without each of `BLOCKS` equal blocks of rows, one replicate a row.

    Blocks that are long compared with the autocorrelation time are nearly independent, whatever columns have to do with
    each other (Künsch 1989).
    """
    return np.stack([of(np.delete(rows, block, axis=0)) for block in blocks(len(rows))])


def error(found: Floats) -> Floats:
    """Return the standard error of what was found, from its replicates."""
    return np.asarray(np.sqrt((BLOCKS - 1) * np.var(found, axis=0)))

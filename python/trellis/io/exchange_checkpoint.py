"""Checkpoints of a replica exchange: all that it goes on from, bit for bit, in one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.io.checked_columns import new_column, read_rows
from trellis.io.hdf5 import new_hdf5, open_hdf5

FORMAT = b"trellis exchange checkpoint 5"
COUNTS = ("exchanges", "files", "first_file")


@dataclass(frozen=True)
class ExchangeCheckpoint:
    """The state of a replica exchange.

    Attributes
    ----------
    states : dict
        Parameters that differ between the states, by name: arrays of shape (states,).
    exchanges : int
        Exchanges whose history is written.
    files : int
        Files that have it.
    first_file : int
        The number of the first with the present states.
    state : dict
        Result of `ReplicaExchange.state`.
    """

    states: Mapping[str, NDArray[np.float64]]
    exchanges: int
    files: int
    first_file: int
    state: dict[str, bytes]


def write_exchange_checkpoint(path: Path, checkpoint: ExchangeCheckpoint) -> None:
    """Write it; it appears whole or not at all. A RuntimeError if it cannot be written to the end."""
    with new_hdf5(path, checked=True) as file:
        file.attrs["format"] = np.bytes_(FORMAT)
        for name in COUNTS:
            file.attrs[name] = getattr(checkpoint, name)
        columns: dict[str, NDArray[Any]] = {f"states/{name}": values for name, values in checkpoint.states.items()}
        for name, value in checkpoint.state.items():
            columns[f"state/{name}"] = np.frombuffer(value, np.uint8)
        for name, values in columns.items():
            new_column(file, name, values.shape, values.dtype)[...] = values


def read_exchange_checkpoint(path: Path) -> ExchangeCheckpoint:
    """Read what `write_exchange_checkpoint` has written; a ValueError for anything else, or if it is damaged."""
    with open_hdf5(path) as file:
        if file.attrs.get("format") != np.bytes_(FORMAT):
            raise InputError(f"'{path}' is no checkpoint of a replica exchange of this version of Trellis")
        states, columns = (
            {name: read_rows(path, name, column, slice(None)) for name, column in file[part].items()}
            for part in ("states", "state")
        )
        return ExchangeCheckpoint(
            states,
            int(file.attrs["exchanges"]),
            int(file.attrs["files"]),
            int(file.attrs["first_file"]),
            {name: values.astype(np.uint8).tobytes() for name, values in columns.items()},
        )

"""The energy log: a line of CSV for each logged step."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError, reading, writing
from trellis.io.atomic import write_all, write_text
from trellis.simulation import Simulation

COLUMNS = (
    "step",
    "time",
    "kinetic",
    "potential",
    "total",
    "relative_error",
    "virial_ratio",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "angular_momentum_x",
    "angular_momentum_y",
    "angular_momentum_z",
)


class EnergyLog:
    """Writes the log.

    Parameters
    ----------
    path : Path
        The file.
    keep_until : int
        Last step whose line is kept of a file that is there; -1 keeps none.
    """

    def __init__(self, path: Path, *, keep_until: int = -1) -> None:
        self._path = path
        lines = [",".join(COLUMNS)]
        if keep_until >= 0 and path.exists():
            with reading(path):
                # the line that was being written when the run was killed has no end
                complete = path.read_text().rpartition("\n")[0].split("\n")[1:]
            lines += [line for line in complete if int(line.partition(",")[0]) <= keep_until]
        write_text(path, "\n".join(lines) + "\n")
        with writing(path):
            self._file = path.open("ab", buffering=0)

    def record(self, simulation: Simulation) -> None:
        """Add a line about the present state."""
        kinetic, potential = simulation.kinetic_energy, simulation.potential_energy
        values = [
            simulation.time,
            kinetic,
            potential,
            kinetic + potential,
            simulation.energy_error,
            simulation.virial_ratio,
            *simulation.momentum,
            *simulation.angular_momentum,
        ]
        line = ",".join([str(simulation.step_count), *(repr(float(value)) for value in values)])
        with writing(self._path):
            write_all(self._file, f"{line}\n".encode())

    def sync(self) -> None:
        """Make sure that what was recorded is on the disk."""
        with writing(self._path):
            os.fsync(self._file.fileno())

    def __enter__(self) -> EnergyLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def read_energy_log(path: str | Path) -> dict[str, NDArray[np.float64]]:
    """Read an energy log.

    Parameters
    ----------
    path : str or Path
        The file, ``energy.csv`` in the output folder.

    Returns
    -------
    dict
        A column for each name in its first line: ``step``, ``time``, ``kinetic``, ``potential``, ``total``,
        ``relative_error``, ``virial_ratio``, ``momentum_x`` and so on.

    Raises
    ------
    ValueError
        If there is no such file, or it is not an energy log.
    """
    with reading(Path(path)), Path(path).open(newline="") as file:
        rows = list(csv.reader(file))
    try:
        table = np.array(rows[1:], dtype=np.float64).reshape(-1, len(rows[0]))
    except (ValueError, IndexError):
        raise InputError(f"'{path}' is not an energy log") from None
    return dict(zip(rows[0], table.T, strict=True))

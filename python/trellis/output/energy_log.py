"""The energy log: a line of CSV for each logged step."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError, reading, writing
from trellis.io.atomic import write_all, write_text
from trellis.parallel import world
from trellis.simulation import Simulation
from trellis.simulation.energies import Energies

COLUMNS = (
    "step",
    "time",
    "kinetic",
    "potential",
    "external",
    "internal",
    "bath",
    "expansion",
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


HEADING = ",".join(COLUMNS)


class EnergyLog:
    """Writes the log, on the first rank; all ranks make the same calls.

    Parameters
    ----------
    path : Path
        The file.
    keep_until : int
        Last step whose line is kept of a file that is there, with a warning if it is not; -1 keeps none.
    """

    def __init__(self, path: Path, *, keep_until: int = -1) -> None:
        self._path = path
        world.on_first(lambda: self._begin(keep_until))
        self._file: BinaryIO | None = None
        if world.rank() == 0:
            with writing(path):
                self._file = path.open("ab", buffering=0)

    def _begin(self, keep_until: int) -> None:
        lines = [HEADING]
        if keep_until >= 0:
            written, values = _read(self._path) if self._path.exists() else ([], np.empty((0, len(COLUMNS))))
            steps = values[:, 0].tolist()
            lines += [line for line, step in zip(written, steps, strict=True) if step <= keep_until]
            if keep_until not in steps:
                after = f"after step {max(steps):.0f} and " if steps else ""
                warnings.warn(
                    f"'{self._path}' lacks the lines {after}up to step {keep_until}: they are lost, the run goes on",
                    stacklevel=2,
                )
        write_text(self._path, "\n".join(lines) + "\n")

    def record(self, simulation: Simulation) -> Energies:
        """Add a line about the present state; return its energies."""
        energies = simulation.energies()
        values = [
            simulation.time,
            energies.kinetic,
            energies.potential,
            energies.external,
            energies.internal,
            energies.bath,
            energies.expansion,
            energies.total,
            energies.error,
            energies.virial_ratio,
            *simulation.momentum(),
            *simulation.angular_momentum(),
        ]
        line = ",".join([str(simulation.step_count), *(repr(float(value)) for value in values)])
        if self._file is not None:
            with writing(self._path):
                write_all(self._file, f"{line}\n".encode())
        return energies

    def sync(self) -> None:
        """Make sure that what was recorded is on the disk."""
        if self._file is not None:
            with writing(self._path):
                os.fsync(self._file.fileno())

    def __enter__(self) -> EnergyLog:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
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
        A column for each name in its first line: ``step``, ``time``, ``kinetic``, ``potential``, ``external``,
        ``internal``, ``bath``, ``expansion``, ``total``, ``relative_error``, ``virial_ratio``, ``momentum_x`` and so
        on.

    Raises
    ------
    ValueError
        If there is no such file, or it is not an energy log.
    """
    return dict(zip(COLUMNS, _read(Path(path))[1].T, strict=True))


def _read(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Lines of a log without its heading, and their values."""
    with reading(path):
        content = path.read_bytes()
    # a line that was being written when the run was killed has no end
    heading, *lines = content.decode(errors="replace").rpartition("\n")[0].split("\n")
    try:
        values = np.array([line.split(",") for line in lines], dtype=np.float64).reshape(-1, len(COLUMNS))
    except ValueError:
        heading = ""
    if heading != HEADING:
        raise InputError(f"'{path}' is not an energy log")
    return lines, values

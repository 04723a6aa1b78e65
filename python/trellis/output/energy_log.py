"""The energy log: a line of CSV for each logged step."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from trellis._core import LennardJones
from trellis.errors import InputError, reading, writing
from trellis.io.atomic import write_all, write_text
from trellis.parallel import world
from trellis.simulation import Simulation
from trellis.simulation.diagnostics import why_no_pressure
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

OF_MOLECULES = ("temperature", "pressure")
"""Further columns: the first, both or none."""

PARTS = ("kinetic", "potential", "external", "internal")
"""Columns whose sum is the total."""

ROUNDING = 1e-12
"""Relative difference allowed between the total and its parts."""


def columns_of(simulation: Simulation) -> tuple[str, ...]:
    """Return the columns of a simulation's log: of molecules, the temperature, and the pressure where it is known."""
    if not any(isinstance(force, LennardJones) for force in simulation.forces):
        return COLUMNS
    return COLUMNS + (OF_MOLECULES[:1] if why_no_pressure(simulation) else OF_MOLECULES)


class EnergyLog:
    """Writes the log, on the first rank; all ranks make the same calls.

    Parameters
    ----------
    path : Path
        The file.
    columns : tuple of str
        The columns: see `columns_of`.
    keep_until : int
        Last step whose line is kept of a file that is there, with a warning if it is not; -1 keeps none.
    """

    def __init__(self, path: Path, columns: tuple[str, ...] = COLUMNS, *, keep_until: int = -1) -> None:
        self._path, self._columns = path, columns
        world.on_first(lambda: self._begin(keep_until))
        self._file: BinaryIO | None = None
        if world.rank() == 0:
            with writing(path):
                self._file = path.open("ab", buffering=0)

    def _begin(self, keep_until: int) -> None:
        lines = [",".join(self._columns)]
        if keep_until >= 0:
            written = _lines(self._path)[1] if self._path.exists() else []
            whole = [line for line in written if line.problem is None]
            for line in written:
                if line.problem is not None:
                    warnings.warn(
                        f"'{self._path}' is damaged: {line.problem}; the line is left out, the run goes on",
                        stacklevel=2,
                    )
            steps = [line.values[0] for line in whole]
            lines += [line.text for line in whole if line.values[0] <= keep_until]
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
        if "temperature" in self._columns:
            values.append(simulation.temperature())
        if "pressure" in self._columns:
            values.append(simulation.pressure())
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
        on; of molecules ``temperature`` and, in a periodic box, ``pressure``.

    Raises
    ------
    ValueError
        If there is no such file, or it is not an energy log.
    """
    columns, lines = _lines(Path(path))
    problem = next((line.problem for line in lines if line.problem is not None), None)
    if problem is not None:
        raise InputError(f"'{path}' is damaged: {problem}")
    values = np.array([line.values for line in lines], dtype=np.float64).reshape(-1, len(columns))
    return dict(zip(columns, values.T, strict=True))


@dataclass(frozen=True)
class _Line:
    """A line of the log, its values, and what is wrong with it."""

    text: str
    values: list[float]
    problem: str | None


def _lines(path: Path) -> tuple[list[str], list[_Line]]:
    """Return the columns of a log and its lines, without the heading; a ValueError if it is no log."""
    with reading(path):
        content = path.read_bytes()
    # a line that was being written when the run was killed has no end
    heading, *texts = content.decode(errors="replace").rpartition("\n")[0].split("\n")
    if heading not in (HEADING, f"{HEADING},temperature", f"{HEADING},temperature,pressure"):
        raise InputError(f"'{path}' is not an energy log: its first line is not the names of the columns")
    lines: list[_Line] = []
    last = -1.0
    for number, text in enumerate(texts, start=2):
        try:
            values = [float(each) for each in text.split(",")]
        except ValueError:
            values = []
        problem = _problem(values, last, heading.count(",") + 1)
        lines.append(_Line(text, values, None if problem is None else f"line {number}, '{text[:60]}', {problem}"))
        last = last if problem is not None else values[0]
    return heading.split(","), lines


def _problem(values: list[float], last: float, columns: int) -> str | None:
    """Return what is wrong with the values of a line of the log; `last` is the step of the line before."""
    if len(values) != columns:
        return f"is not {columns} numbers"
    if not values[0].is_integer() or values[0] < last:
        return f"has the step {values[0]:g} after {last:.0f}"
    given, parts = values[COLUMNS.index("total")], [values[COLUMNS.index(name)] for name in PARTS]
    if np.isfinite([given, *parts]).all() and abs(sum(parts) - given) > ROUNDING * sum(map(abs, parts)):
        return f"has the total {given:g}, but its energies add up to {sum(parts):g}"
    return None

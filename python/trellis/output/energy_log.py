"""The energy log: a line of CSV for each logged step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trellis.output.csv_log import CsvLine, CsvLog, check_whole, csv_lines
from trellis.simulation import Simulation
from trellis.simulation.diagnostics import of_molecules, why_no_pressure
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

OF_BAROSTAT = ("volume",)
"""The last column, if there is a barostat."""

PARTS = ("kinetic", "potential", "external", "internal")
"""Columns whose sum is the total."""

ROUNDING = 1e-12
"""Relative difference allowed between the total and its parts."""


def columns_of(simulation: Simulation) -> tuple[str, ...]:
    """Return the columns of a simulation's log: of molecules, the temperature, and the pressure where it is known.

    With a barostat there is the volume, too.
    """
    columns: tuple[str, ...] = COLUMNS
    if of_molecules(simulation):
        columns += OF_MOLECULES[:1] if why_no_pressure(simulation) else OF_MOLECULES
    return columns + (() if simulation.barostat is None else OF_BAROSTAT)


class EnergyLog(CsvLog):
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
        self._columns = columns
        super().__init__(path, columns, lambda path: _lines(path)[1], keep_until=keep_until)

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
        if "volume" in self._columns:
            low, high = simulation.particles.box
            values.append((high - low).prod())
        self.write([simulation.step_count, *map(float, values)])
        return energies


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
        on; of molecules, charges and whatever has a thermostat ``temperature`` and, where it is known, ``pressure``;
        with a barostat ``volume``.

    Raises
    ------
    ValueError
        If there is no such file, or it is not an energy log.
    """
    columns, lines = _lines(Path(path))
    check_whole(path, lines)
    values = np.array([line.values for line in lines], dtype=np.float64).reshape(-1, len(columns))
    return dict(zip(columns, values.T, strict=True))


def _lines(path: Path) -> tuple[list[str], list[CsvLine]]:
    """Return the columns of a log and its lines, without the heading; a ValueError if it is no log."""
    kinds = [COLUMNS + OF_MOLECULES[:known] + held for known in range(3) for held in ((), OF_BAROSTAT)]
    return csv_lines(path, tuple(map(",".join, kinds)), "an energy log", _problem)


def _problem(values: list[float]) -> str | None:
    """Return what is wrong with the energies of a line of the log."""
    given, parts = values[COLUMNS.index("total")], [values[COLUMNS.index(name)] for name in PARTS]
    if np.isfinite([given, *parts]).all() and abs(sum(parts) - given) > ROUNDING * sum(map(abs, parts)):
        return f"has the total {given:g}, but its energies add up to {sum(parts):g}"
    return None

"""The log of rungs: a line of CSV for each longest step of a run with individual time steps."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.output.csv_log import CsvLine, CsvLog, check_whole, csv_lines
from trellis.parallel.sites import site_firsts
from trellis.simulation import Simulation

DEEPEST = 24
COLUMNS = ("step", "begin", "end", "updates", "level_updates", *(f"rung_{rung}" for rung in range(DEEPEST + 1)))
FIRST_RUNG = COLUMNS.index("rung_0")


class RungLog(CsvLog):
    """Writes the log, on the first rank; all ranks make the same calls.

    Between sites the counts of all ranks travel with the messages of the next step.

    Parameters
    ----------
    path : Path
        The file.
    simulation : Simulation
        The simulation, whose steps are individual.
    keep_until : int
        Last step whose line is kept of a file that is there, with a warning if it is not; -1 keeps none.
    """

    def __init__(self, path: Path, simulation: Simulation, *, keep_until: int = -1) -> None:
        super().__init__(path, COLUMNS, _lines, keep_until=keep_until, first=1)
        self._simulation, self._time = simulation, simulation.time
        self._gather = _core.DeferredGather()
        self._under_way: list[float] = []  # the step whose counts are gathered: its number, begin and end

    def record(self) -> None:
        """Add a line about the last longest step; over several sites `sync`, or the next call, writes it."""
        self._complete()
        now = self._simulation
        use = cast("dict[str, Any]", now.rung_use)
        counts = [use["updates"], use["level_updates"], *use["particles"]]
        self._gather.post(array("d", counts + [0] * (DEEPEST + 3 - len(counts))).tobytes())
        self._under_way, self._time = [now.step_count, self._time, now.time], now.time
        if len(site_firsts()) == 1:
            self._complete()

    def sync(self) -> None:
        """Write what is under way, and make sure that what was recorded is on the disk."""
        self._complete()
        super().sync()

    def _complete(self) -> None:
        if self._under_way:
            of_ranks = np.array([np.frombuffer(each) for each in self._gather.collect()])
            self.write([*self._under_way, *map(int, of_ranks.sum(axis=0))])
            self._under_way = []


def read_rung_log(path: str | Path) -> dict[str, NDArray[np.float64]]:
    """Read a log of rungs.

    Parameters
    ----------
    path : str or Path
        The file, ``rungs.csv`` in the output folder.

    Returns
    -------
    dict
        A column for each name in its first line: ``step``, its ``begin`` and ``end`` in time, ``updates`` (steps of all
        particles together), ``level_updates`` (forces computed on a particle, of all levels together), and
        the particles of each rung when it began, ``rung_0`` to ``rung_24``.

    Raises
    ------
    ValueError
        If there is no such file, or it is not a log of rungs.
    """
    lines = _lines(Path(path))
    check_whole(path, lines)
    values = np.array([line.values for line in lines], dtype=np.float64).reshape(-1, len(COLUMNS))
    return dict(zip(COLUMNS, values.T, strict=True))


def _lines(path: Path) -> list[CsvLine]:
    return csv_lines(path, (",".join(COLUMNS),), "a log of rungs", _problem)[1]


def _problem(values: list[float]) -> str | None:
    """Return what is wrong with the counts of a line of the log."""
    counts, updates = values[FIRST_RUNG:], values[COLUMNS.index("updates")]
    if not all(count >= 0 and count.is_integer() for count in counts):
        return "has a number of particles that is not 0, 1, ..."
    if updates < sum(counts):
        return f"has {updates:g} updates of {sum(counts):g} particles"
    return None

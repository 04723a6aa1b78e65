"""A log of a run in CSV: a line of numbers for a step, of which the first one is its number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trellis.errors import InputError, reading, writing
from trellis.io.atomic import write_all, write_text
from trellis.notes import warn
from trellis.parallel import world

if TYPE_CHECKING:
    from typing_extensions import Self

Check = Callable[[list[float]], str | None]
"""Returns what is wrong with the values of a line; None if nothing is."""


class CsvLog:
    """Writes a log, on the first rank; all ranks make the same calls.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of str
        The columns, of which the first is the step.
    read : callable
        Reads the lines of the file; ValueError if it is no such log.
    keep_until : int
        Last step whose line is kept of a file that is there, with a warning if it is not; -1 keeps none.
    first : int
        First step that has a line.
    """

    def __init__(
        self,
        path: Path,
        columns: Sequence[str],
        read: Callable[[Path], list[CsvLine]],
        *,
        keep_until: int = -1,
        first: int = 0,
    ) -> None:
        self._path = path
        kept = keep_until if keep_until >= first else -1
        world.on_first(lambda: self._begin(",".join(columns), read, kept))
        self._file: BinaryIO | None = None
        if world.rank() == 0:
            with writing(path):
                self._file = path.open("ab", buffering=0)

    def _begin(self, heading: str, read: Callable[[Path], list[CsvLine]], keep_until: int) -> None:
        lines = [heading]
        if keep_until >= 0:
            written = read(self._path) if self._path.exists() else []
            whole = [line for line in written if line.problem is None]
            for line in written:
                if line.problem is not None:
                    warn(f"'{self._path}' is damaged: {line.problem}; the line is left out, the run goes on")
            steps = [line.values[0] for line in whole]
            lines += [line.text for line in whole if line.values[0] <= keep_until]
            if keep_until not in steps:
                after = f"after step {max(steps):.0f} and " if steps else ""
                warn(f"'{self._path}' lacks the lines {after}up to step {keep_until}: they are lost, the run goes on")
        write_text(self._path, "\n".join(lines) + "\n")

    def write(self, values: Iterable[float]) -> None:
        """Add a line."""
        line = ",".join(map(repr, values))
        if self._file is not None:
            with writing(self._path):
                write_all(self._file, f"{line}\n".encode())

    def sync(self) -> None:
        """Make sure that what was recorded is on the disk."""
        if self._file is not None:
            with writing(self._path):
                os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


@dataclass(frozen=True)
class CsvLine:
    """A line of a log, its values, and what is wrong with it."""

    text: str
    values: list[float]
    problem: str | None


def csv_lines(path: Path, headings: Iterable[str], what: str, check: Check) -> tuple[list[str], list[CsvLine]]:
    """Return the columns of a log and its lines, without the heading.

    Parameters
    ----------
    path : Path
        The file.
    headings : iterable of str
        First lines that it may have.
    what : str
        The kind of log, for the sentence about a file that is another.
    check : callable
        Says what is wrong with the values of a line, beside their number and the order of steps.

    Raises
    ------
    ValueError
        If the first line is not one of the headings.
    """
    with reading(path):
        content = path.read_bytes()
    # a line that was being written when the run was killed has no end
    heading, *texts = content.decode(errors="replace").rpartition("\n")[0].split("\n")
    if heading not in headings:
        raise InputError(f"'{path}' is not {what}: its first line is not the names of the columns")
    lines: list[CsvLine] = []
    last = -1.0
    for number, text in enumerate(texts, start=2):
        try:
            values = [float(each) for each in text.split(",")]
        except ValueError:
            values = []
        problem = _problem(values, last, heading.count(",") + 1) or check(values)
        lines.append(CsvLine(text, values, None if problem is None else f"line {number}, '{text[:60]}', {problem}"))
        last = last if problem is not None else values[0]
    return heading.split(","), lines


def _problem(values: list[float], last: float, columns: int) -> str | None:
    """Return what is wrong with the number of values, or with the step; `last` is the step of the line before."""
    if len(values) != columns:
        return f"is not {columns} numbers"
    if not values[0].is_integer() or values[0] < last:
        return f"has the step {values[0]:g} after {last:.0f}"
    return None


def check_whole(path: str | Path, lines: Iterable[CsvLine]) -> None:
    """Raise a ValueError for the first line with which something is wrong."""
    problem = next((line.problem for line in lines if line.problem is not None), None)
    if problem is not None:
        raise InputError(f"'{path}' is damaged: {problem}")

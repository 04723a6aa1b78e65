"""The snapshots of a run, which may still be going on, and the progress of drawing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from trellis.arguments import shown
from trellis.errors import InputError
from trellis.io.gadget_files import open_snapshot
from trellis.io.gadget_layout import attributes, number
from trellis.output.folder import OutputFolder
from trellis.paths import from_home


def run_in(folder: str | Path) -> tuple[OutputFolder, list[Path]]:
    """Return the output folder of a run, and its complete snapshots in order of time.

    Raises
    ------
    ValueError
        If there is no run in the folder.
    """
    run = OutputFolder(from_home(folder))
    files = run.snapshots()
    if files and not _complete(files[-1]):
        files.pop()  # the run is writing it
    if not files:
        raise InputError(f"there is no run to draw in '{folder}'")
    return run, files


def files_in(sources: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the snapshots of sources, each a snapshot or the output folder of a run with all of its snapshots.

    Raises
    ------
    ValueError
        If a source is no path, sources are missing, or a folder has no run.
    """
    given = map(from_home, listed(sources))
    return [file for each in given for file in (run_in(each)[1] if each.is_dir() else [each])]


def run_of(sources: str | Path | Sequence[str | Path]) -> OutputFolder | None:
    """Return the output folder that is drawn, if it is one alone."""
    given = listed(sources)
    folder = from_home(given[0]) if len(given) == 1 else None
    return OutputFolder(folder) if folder is not None and folder.is_dir() else None


def listed(sources: str | Path | Sequence[str | Path]) -> list[str | Path]:
    """Return sources as a list, one alone as well.

    Raises
    ------
    ValueError
        If a source is no path, or sources are missing.
    """
    given: list[Any]
    try:
        given = [sources] if isinstance(sources, str | Path) else list(sources)
    except TypeError:
        given = [sources]
    wrong = [each for each in given if not isinstance(each, str | Path)]
    if wrong:
        raise InputError(f"{shown(wrong[0])} is no source: allowed are snapshots, and output folders of runs")
    if not given:
        raise InputError("there is nothing to draw: allowed are snapshots, and output folders of runs")
    return given


@contextmanager
def snapshots_done(what: str, total: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Show a bar of `total` snapshots; the function that is returned is called for each of them."""
    columns = (TextColumn(what), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), disable=not shown) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _complete(first: Path) -> bool:
    """Return whether all files of a snapshot are there."""
    with open_snapshot(first) as file:
        count = int(number(attributes(file, "Header"), "NumFilesPerSnapshot"))
    name = first.name.removesuffix(".0.hdf5")
    return all(first.with_name(f"{name}.{part}.hdf5").exists() for part in range(count)) if count > 1 else True

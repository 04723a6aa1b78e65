"""The snapshots of a run, which may still be going on."""

from __future__ import annotations

from pathlib import Path

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


def _complete(first: Path) -> bool:
    """Return whether all files of a snapshot are there."""
    with open_snapshot(first) as file:
        count = int(number(attributes(file, "Header"), "NumFilesPerSnapshot"))
    name = first.name.removesuffix(".0.hdf5")
    return all(first.with_name(f"{name}.{part}.hdf5").exists() for part in range(count)) if count > 1 else True

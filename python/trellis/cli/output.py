"""The file that a command writes, which takes the place of another one only if that is wanted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from trellis.errors import InputError, writing
from trellis.paths import from_home

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")]


def output_file(path: Path, *, overwrite: bool, inputs: Iterable[Path] = ()) -> Path:
    """Return the path of a file that may be written, with ``~`` expanded.

    Parameters
    ----------
    path : Path
        The path as it was typed.
    overwrite : bool
        Replace a file that is there.
    inputs : iterable of Path
        Files that the command reads, which it never replaces.

    Raises
    ------
    ValueError
        If it may not be written.
    """
    path = from_home(path)
    with writing(path):
        if path.is_dir():
            raise InputError(f"'{path}' is a folder, but must be a file to write")
        if not path.exists():
            return path
        if any(each.exists() and path.samefile(each) for each in inputs):
            raise InputError(f"'{path}' is read by this command, and stays as it is: choose another file with --output")
    if not overwrite:
        raise InputError(f"'{path}' is there already: replace it with --overwrite, or choose another with --output")
    return path

"""``trellis plot``."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from trellis import plot as pictures
from trellis import world
from trellis.cli.output import Overwrite, output_file
from trellis.home import from_home
from trellis.run.folder import OutputFolder


def plot(
    sources: Annotated[list[Path], typer.Argument(help="Snapshots, or the output folder of a run.")],
    exact: Annotated[
        bool,
        typer.Option("--exact", help="The last snapshot of a run of a standard problem beside its exact solution."),
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG file to write.")] = Path("trellis.png"),
    overwrite: Overwrite = False,
) -> None:
    """Draw snapshots (surface density), a whole run, or a run beside an exact solution."""
    if world.rank() > 0:
        return
    sources = [from_home(source) for source in sources]
    output = output_file(output, overwrite=overwrite, inputs=list(_files(sources)))
    if exact:
        pictures.problem(sources[0], output)
    elif len(sources) == 1 and sources[0].is_dir():
        pictures.overview(sources[0], output)
    else:
        pictures.snapshots(sources, output)
    typer.echo(f"'{output}' written")


def _files(sources: Sequence[Path]) -> Iterator[Path]:
    """Files that are drawn: of a run all but its own picture, of a snapshot in several files all of them."""
    for source in sources:
        if source.is_dir():
            run = OutputFolder(source)
            yield from (path for path in run.written() if path != run.overview)
        else:
            yield source
            name = re.sub(r"\.\d+$", "", source.stem)
            yield from source.parent.glob(f"{glob.escape(name)}.[0-9]*{source.suffix}")

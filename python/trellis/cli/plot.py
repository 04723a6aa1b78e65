"""``trellis plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trellis import plot as pictures
from trellis import world


def plot(
    sources: Annotated[list[Path], typer.Argument(help="Snapshots, or the output folder of a run.")],
    exact: Annotated[
        bool,
        typer.Option("--exact", help="The last snapshot of a run of a standard problem beside its exact solution."),
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG file to write.")] = Path("trellis.png"),
) -> None:
    """Draw snapshots (surface density), a whole run, or a run beside an exact solution."""
    if world.rank() > 0:
        return
    if exact:
        pictures.problem(sources[0], output)
    elif len(sources) == 1 and sources[0].is_dir():
        pictures.overview(sources[0], output)
    else:
        pictures.snapshots(sources, output)
    typer.echo(f"'{output}' written")

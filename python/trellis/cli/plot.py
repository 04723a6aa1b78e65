"""``trellis plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trellis import plot as pictures
from trellis import world


def plot(
    sources: Annotated[list[Path], typer.Argument(help="Snapshots, or the output folder of a run.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG file to write.")] = Path("trellis.png"),
) -> None:
    """Draw snapshots (surface density), or a whole run."""
    if world.rank() > 0:
        return
    if len(sources) == 1 and sources[0].is_dir():
        pictures.overview(sources[0], output)
    else:
        pictures.snapshots(sources, output)
    typer.echo(f"'{output}' written")

"""``trellis ic``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from trellis import ic as models
from trellis.cli.options import with_options
from trellis.config import MODELS
from trellis.io import write_snapshot

ic = typer.Typer(help="Make initial conditions (G = 1, mass 1, energy -1/4).", no_args_is_help=True)


def _command(name: str) -> None:
    make = getattr(models, name.replace("-", "_"))

    def write(
        *,
        values: dict[str, Any],
        output: Annotated[Path, typer.Option("--output", "-o", help="HDF5 file to write (Gadget's format).")],
    ) -> None:
        particles = make(**values)
        write_snapshot(output, particles, fields=("position", "velocity", "mass", "id"))
        typer.echo(f"{values['particles']:,} particles in '{output}'")

    ic.command(name)(with_options(MODELS[name], write))


for _name in MODELS:
    _command(_name)

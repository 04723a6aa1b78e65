"""``trellis ic``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from trellis import ic as models
from trellis import world
from trellis.cli.options import with_options
from trellis.config import MODELS
from trellis.io import write_snapshot

MADE_BY_FORCES = ("acceleration", "potential")

ic = typer.Typer(help="Make initial conditions.", no_args_is_help=True)


def _command(name: str) -> None:
    make = getattr(models, name.replace("-", "_"))

    def write(
        *,
        values: dict[str, Any],
        output: Annotated[Path, typer.Option("--output", "-o", help="HDF5 file to write (Gadget's format).")],
    ) -> None:
        particles = make(**values)
        own = [name for name in particles.public_fields if name not in MADE_BY_FORCES]
        write_snapshot(output, particles, fields=own)
        typer.echo(f"{sum(world.gather(len(particles))):,} particles in '{output}'")

    ic.command(name)(with_options(MODELS[name], write))


for _name in MODELS:
    _command(_name)

"""``trellis ic``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from trellis import ic as models
from trellis import world
from trellis.cli.options import with_options
from trellis.cli.output import Overwrite, output_file
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
        overwrite: Overwrite = False,
    ) -> None:
        path = world.on_first(lambda: output_file(output, overwrite=overwrite))
        particles = make(**values)
        own = [name for name in particles.public_fields if name not in MADE_BY_FORCES]
        write_snapshot(path, particles, columns=own)
        typer.echo(f"{sum(world.gather(len(particles))):,} particles in '{path}'")

    ic.command(name)(with_options(MODELS[name], write))


for _name in MODELS:
    _command(_name)

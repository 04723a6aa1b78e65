"""``trellis ic``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import trellis.ic as models
from trellis.cli.options import with_options
from trellis.cli.output import Overwrite, output_file
from trellis.config import MODELS, CosmologyModel, checked
from trellis.config.cosmology import CosmologyParameters
from trellis.config.parameters import parameter
from trellis.io import write_snapshot
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.units import GADGET

MADE_BY_FORCES = ("acceleration", "potential")

ic = typer.Typer(help="Make initial conditions.", no_args_is_help=True)


Output = Annotated[Path, typer.Option("--output", "-o", help="HDF5 file to write (Gadget's format).")]


class _MatterInSpace(CosmologyModel, CosmologyParameters):
    """Matter of an expanding space, in kpc/h, 1e10 solar masses/h and km/s."""

    omega_m: float = parameter(..., "density of matter today, baryons among it, over the critical density")


def _command(name: str) -> None:
    make = getattr(models, name.replace("-", "_"))

    def write(*, values: dict[str, Any], output: Output, overwrite: Overwrite = False) -> None:
        path = world.on_first(lambda: output_file(output, overwrite=overwrite))
        _write(path, make(**values))

    ic.command(name)(with_options(MODELS[name], write))


def _matter_in_space(*, values: dict[str, Any], output: Output, overwrite: Overwrite = False) -> None:
    path = world.on_first(lambda: output_file(output, overwrite=overwrite))
    of_model = {name: values.pop(name) for name in CosmologyModel.model_fields if name != "model"}
    space = checked(CosmologyParameters, values).cosmology(GADGET)
    particles = models.cosmology(space, **of_model)
    _write(path, particles, time=1 / (1 + of_model["redshift"]), units=GADGET, cosmology=space)


def _write(path: Path, particles: ParticleSet, **moment: Any) -> None:
    own = [name for name in particles.public_fields if name not in MADE_BY_FORCES]
    write_snapshot(path, particles, columns=own, **moment)
    typer.echo(f"{sum(world.gather(len(particles))):,} particles in '{path}'")


for _name in MODELS:
    if _name != "cosmology":
        _command(_name)
ic.command("cosmology")(with_options(_MatterInSpace, _matter_in_space, without=("model", "steps")))

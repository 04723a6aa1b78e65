"""``trellis check``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.filesize import decimal

from trellis.cli.messages import YEAR, span_of
from trellis.cli.plans import device_line, folder_line, force_line
from trellis.cli.replicas import check_replicas
from trellis.config import load
from trellis.notes import warn
from trellis.parallel import world
from trellis.run.forecast import Forecast, forecast
from trellis.run.simulation_run import SimulationRun


def check(
    file: Annotated[Path, typer.Argument(help="Parameter file (TOML), as for `trellis run`.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="section.key=value", help="Change a parameter of the file; may be repeated."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Look at the rest of the run in the output folder instead.")
    ] = False,
) -> None:
    """Say what a run would do and take, from a few steps in memory; its output folder is left alone."""
    world.check_launch()
    console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    parameters = load(file, changes or ())
    if parameters.replica_exchange is not None:
        check_replicas(console, parameters, resume=resume)
        return
    run = SimulationRun(parameters, resume=resume, overwrite=not resume)
    for label, text in _what(run):
        console.print(f"{label:<10} {text}")
    if run.finished():
        console.print(f"It is complete: it has reached {run.simulation.moment}.")
        return
    found = forecast(run)
    for label, text in _how_much(run, found):
        console.print(f"{label:<10} {text}")
    for note in [*run.notes(), *_notes(found)]:
        warn(note)


def _what(run: SimulationRun) -> Iterator[tuple[str, str]]:
    simulation = run.simulation
    yield "particles", f"{simulation.particle_count():,}, {run.units_said}"
    forces: tuple[Any, ...] = simulation.forces
    for force in forces:
        yield "force", force_line(force)
    if (device := device_line(run.file)) is not None:
        yield "device", device
    parameters = run.file.run
    yield ("time" if run.cosmology is None else "a"), f"from {simulation.time:g} to {parameters.until:g}"
    yield "folder", folder_line(run.folder, f"step {simulation.step_count}" if simulation.step_count > 0 else None)


def _how_much(run: SimulationRun, found: Forecast) -> Iterator[tuple[str, str]]:
    if run.file.cosmology is not None and run.file.cosmology.steps is not None:
        yield "steps", f"{found.steps:,} of {found.timestep:.3g} in ln a"
    elif run.file.steps is not None:
        unit = " in ln a" if run.file.cosmology is not None else ""
        in_box = bool(np.isfinite(run.simulation.particles.box).any())
        more = " or more" if unit and in_box else ""  # as halos form
        yield "steps", f"{found.steps:,}{more} of {found.timestep:.3g}{unit}, divided for each particle"
    elif run.file.run.timestep is None:
        yield "steps", _chosen_steps(found)
    else:
        yield "steps", f"{found.steps:,} of {found.timestep:g}"
    in_all = span_of(found.seconds)
    if found.most is not None and found.most > found.steps:
        in_all += f" to {span_of(found.most_seconds)}"
    yield "seconds", f"{found.step_seconds:.3g} a step ({found.tried} tried), {in_all} in all"
    on_ranks = f", on {world.ranks()} ranks together" if world.ranks() > 1 else ""
    yield "memory", f"{decimal(found.memory)} at most{on_ranks}"
    output = found.output
    yield (
        "output",
        f"{decimal(output.total)}: {output.snapshots} snapshots of {decimal(output.snapshot)}, checkpoints of"
        f" {decimal(output.checkpoint)}, an energy log of {decimal(output.log)}; {decimal(output.free)} are free",
    )


def _chosen_steps(found: Forecast) -> str:
    if found.most is None:
        return f"{found.steps:,} or more: forces allow {found.timestep:.3g} now, and less where matter gathers"
    if found.most <= found.steps:
        return f"about {found.steps:,} of {found.timestep:.3g} in ln a"
    return (
        f"{found.steps:,} to about {found.most:,}: forces allow {found.timestep:.3g} in ln a now, and less in the halos"
        " that are expected"
    )


def _notes(found: Forecast) -> Iterator[str]:
    if found.seconds > YEAR:
        yield f"the run takes {found.seconds / YEAR:.2g} years: {found.steps:,} steps of {found.timestep:.3g}"
    if found.output.total > found.output.free:
        yield f"the output needs {decimal(found.output.total)}, but {decimal(found.output.free)} are free"

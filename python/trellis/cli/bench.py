"""``trellis bench``."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import trellis.ic as ic
from trellis._core import Gravity
from trellis.errors import InputError, did_you_mean
from trellis.simulation import Simulation

MODELS = ("plummer", "sphere", "hernquist", "two-galaxies", "evrard", "noh")  # in open space, as gravity needs it
SAMPLE = 1000  # particles whose forces are checked
SOFTENING = 1e-3
TIMESTEP = 1e-3


def bench(
    particles: Annotated[int, typer.Option(min=1, help="Number of particles N.")] = 1 << 18,
    model: Annotated[
        str, typer.Option(help="Initial conditions: " + ", ".join(MODELS), autocompletion=lambda: MODELS)
    ] = "sphere",
    accuracy: Annotated[list[float] | None, typer.Option(help="Wanted force error; may be repeated.")] = None,
    theta: Annotated[list[float] | None, typer.Option(help="Opening angle; may be repeated.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps to average over.")] = 5,
) -> None:
    """Time a step, phase by phase, under the names of Iwasawa et al. (2020), Table 2."""
    if model not in MODELS:
        raise InputError(f"'--model' is '{model}': {did_you_mean(model, MODELS)}")
    gravity = {f"theta {value:g}": Gravity(theta=value, softening=SOFTENING) for value in theta or ()}
    for value in accuracy or (() if theta else (1e-3, 1e-4)):
        gravity[f"accuracy {value:g}"] = Gravity(accuracy=value, softening=SOFTENING)
    columns = {}
    for heading, force in gravity.items():
        columns[heading] = _measure(
            Simulation(getattr(ic, model.replace("-", "_"))(particles), [force], TIMESTEP), steps
        )
    table = Table(title=f"{model}, N = {particles:,}: seconds a step", title_justify="left")
    table.add_column("")
    for heading in columns:
        table.add_column(heading, justify="right")
    for row in next(iter(columns.values())):
        table.add_row(row, *(values[row] for values in columns.values()))
    Console().print(table)


def _measure(simulation: Simulation, steps: int) -> dict[str, str]:
    """Values of one column of the table."""
    error = simulation.force_error(min(SAMPLE, simulation.particle_count()))["rms"]
    seconds: dict[str, float] = {}
    interactions = 0
    start = time.perf_counter()
    for _ in range(steps):
        simulation.step()
        interactions += simulation.interactions
        for name, spent in simulation.phases.items():
            seconds[name] = seconds.get(name, 0.0) + spent
    total = time.perf_counter() - start
    values = {name: f"{spent / steps:.4f}" for name, spent in seconds.items()}
    values["Total"] = f"{total / steps:.4f}"
    values["Interactions/s"] = f"{interactions / total:.3g}"
    values["RMS force error"] = f"{error:.1e}"
    return values

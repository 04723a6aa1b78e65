"""``trellis run``."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from trellis._core import info
from trellis.cli.messages import say
from trellis.cli.plans import device_line
from trellis.cli.replicas import check_options, run_replicas
from trellis.cli.sites import join_ring, of_all_sites, say_wide_traffic
from trellis.config import load
from trellis.output.folder import flat
from trellis.parallel import world
from trellis.parallel.ending import end_together
from trellis.parallel.sites import leave_sites, site_firsts
from trellis.run.energy_alarm import ALARM
from trellis.run.same_settings import check_same_settings
from trellis.run.simulation_run import SimulationRun
from trellis.run.time_limit import TimeLimit
from trellis.simulation import Simulation


def run(
    file: Annotated[Path, typer.Argument(help="Parameter file (TOML); `trellis parameters` lists what it may hold.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="section.key=value", help="Change a parameter of the file; may be repeated."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run in the output folder from its last checkpoint.")
    ] = False,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--change",
            metavar="section.key=value",
            help="Change a parameter of the run that is continued; may be repeated.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run in the output folder.")] = False,
    check_forces: Annotated[
        int, typer.Option(min=0, metavar="K", help="Compare K random particles with direct summation, first and last.")
    ] = 0,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Stop before 7m, 2h, hh:mm:ss or d-hh:mm:ss, with a checkpoint, code 75."),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="HOST[:PORT]", help="Which one of sites.ring this is, in a run over several sites."),
    ] = None,
    wait: Annotated[
        str, typer.Option(metavar="TIME", help="How long to wait for the other sites: 90s, 30m, 2h.")
    ] = "10m",
) -> None:
    """Run a simulation: snapshots, an energy log, checkpoints and a picture."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # as long as there is nothing to write a checkpoint of
    limit = TimeLimit(time_limit)
    console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    _check_options(change, resume=resume, overwrite=overwrite)
    world.check_launch()
    parameters = load(file, changes or ())
    join_ring(parameters.sites, site, wait)
    settings = of_all_sites({**flat(parameters.content()), "--time-limit": time_limit})
    typed = {"--resume": resume, "--change": change, "--overwrite": overwrite, "--check-forces": check_forces}
    check_same_settings({**settings, **typed, "version": info()["version"]})
    how: dict[str, Any] = {"resume": resume, "overwrite": overwrite, "limit": limit, "changes": change or ()}
    if parameters.replica_exchange is None:
        _run_simulation(console, SimulationRun(parameters, **how), check_forces)
    else:
        check_options(check_forces)
        run_replicas(console, parameters, **how)


def _check_options(change: list[str] | None, *, resume: bool, overwrite: bool) -> None:
    if resume and overwrite:
        raise typer.BadParameter("a run is either continued or replaced", param_hint="'--resume' / '--overwrite'")
    if change and not resume:
        raise typer.BadParameter("a run is changed where it goes on, with --resume", param_hint="'--change'")


def _run_simulation(console: Console, begun: SimulationRun, check_forces: int) -> None:
    """Run a simulation to its end, or to where it is stopped, and say how it went."""
    if begun.finished():
        begun.complete()
        console.print(f"The run in '{begun.folder.path}' is complete: it reached {begun.simulation.moment}.")
    else:
        _advance(console, begun, check_forces)
    if begun.alarm.mark is not None:
        say("error", f"the run is marked, since {begun.alarm.mark}.")
        _leave(ALARM)
    leave_sites()


def _advance(console: Console, begun: SimulationRun, check_forces: int) -> None:
    simulation = begun.simulation
    _say_beginning(console, begun)
    if check_forces > 0:
        _print_force_error(console, simulation, check_forces)
    _say_limits(console, begun)
    start, first_step = time.perf_counter(), simulation.step_count
    stop = begun.run(progress=True)
    seconds = time.perf_counter() - start
    console.print(
        f"{simulation.step_count - first_step} steps in {seconds:.1f} s, {simulation.moment},"
        f" energy error {simulation.energies().error:.1e}"
    )
    _say_list_use(console, simulation)
    say_wide_traffic(console, simulation.step_count - first_step)
    if stop is not None:
        if stop.exit_code == ALARM:
            say("error", stop.sentence)
        else:
            console.print(stop.sentence)
        _leave(stop.exit_code)
    if check_forces > 0:
        _print_force_error(console, simulation, check_forces)
    _say_where_output_is(console, begun)


def _say_beginning(console: Console, begun: SimulationRun) -> None:
    simulation = begun.simulation
    how = "Continuing" if simulation.step_count > 0 else "Running"
    on_ranks = f" on {world.ranks()} ranks" if world.ranks() > 1 else ""
    if len(site_firsts()) > 1:
        on_ranks += f" of {len(site_firsts())} sites"
    if (device := device_line(begun.file)) is not None:
        on_ranks += f", on {device}"
    units = f"{begun.units_said}{', assumed' if begun.units_assumed else ''}"
    console.print(f"{how} {simulation.particle_count():,} particles{on_ranks}, {units}, from {simulation.moment}")


def _say_limits(console: Console, begun: SimulationRun) -> None:
    limit = begun.session.limit
    if limit.name:
        console.print(f"It stops with a checkpoint before {limit.name}, {_hours(limit.seconds)} from now")
    if begun.alarm.off:
        console.print(f"energy_alarm is off, since the energy is not conserved: {begun.alarm.off}")


def _say_list_use(console: Console, simulation: Simulation) -> None:
    for use in simulation.list_use:
        if use.get("reuses", 0) > 0:  # forces of short range do not count them
            console.print(
                f"lists made {use['constructions']} times ({use['early']} of them early), reused {use['reuses']} times"
                + (f", pruned {use['prunings']} times" if use.get("prunings", 0) > 0 else "")
                + (f", {use['asked']} times as a device had made them" if use.get("asked", 0) > 0 else "")
            )


def _say_where_output_is(console: Console, begun: SimulationRun) -> None:
    folder = begun.folder
    if begun.at_sites:
        console.print(
            f"Each site has its particles' snapshots in its folder '{folder.path}{os.sep}': copy them to one."
        )
    else:
        picture = f"; look at '{folder.overview}'" if folder.overview.exists() else ""
        console.print(f"Everything is in '{folder.path}{os.sep}'{picture}.")


def _leave(exit_code: int) -> NoReturn:
    end_together()
    raise typer.Exit(exit_code)


def _hours(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{left:02}"


def _print_force_error(console: Console, simulation: Simulation, count: int) -> None:
    count = min(count, simulation.particle_count())
    table = Table(title=f"Relative force error of {count} particles at {simulation.moment}", title_justify="left")
    errors = simulation.force_error(count)
    for name in errors:
        table.add_column(name.replace("_", " "), justify="right")
    table.add_row(*(f"{value:.2e}" for value in errors.values()))
    console.print(table)

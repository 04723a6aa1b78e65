"""``trellis model``: predict the seconds of a step, on this machine and on others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from trellis.cli.model_table import print_table
from trellis.cli.output import Overwrite, output_file
from trellis.errors import InputError
from trellis.io.atomic import write_text
from trellis.model import BUILT_IN, find_system
from trellis.model.calibrate import calibrate as measure
from trellis.model.calibrate import to_toml
from trellis.model.calibrate_device import calibrate_device, check_device
from trellis.model.prediction import predict as predicted
from trellis.model.remote import BUILT_IN as REMOTE_BUILT_IN
from trellis.model.remote import find_remote_machine, seconds_of
from trellis.model.remote.cases import FORCE_CASES, GAS_CASES, ROWS
from trellis.model.replicas import BUILT_IN as REPLICA_BUILT_IN
from trellis.model.replicas import Exchange, find_replica_machine
from trellis.model.replicas.parts import FORMS
from trellis.model.sites import BUILT_IN as SITE_BUILT_IN
from trellis.model.sites import Run, find_site_machine, memory_of
from trellis.model.sites.parts import FORMS as SITE_FORMS
from trellis.parallel import world

model = typer.Typer(help="Predict what a step costs, here and on other machines.", no_args_is_help=True)
SIZES = [1 << k for k in range(16, 21)]
SYSTEM = "System file (TOML), or one of " + ", ".join(BUILT_IN)
MEASURED = "Machine file (TOML), as of a measured network, or one of "
REMOTE_SYSTEM = MEASURED + ", ".join(REMOTE_BUILT_IN)
REPLICA_SYSTEM = MEASURED + ", ".join(REPLICA_BUILT_IN)
SITE_SYSTEM = "Machine file (TOML), or one of " + ", ".join(SITE_BUILT_IN)
SITES = [1, 2, 3, 4, 8, 16]
DEVICES = [1, 64, 256, 1024, 4096]


@model.command()
def predict(
    particles: Annotated[int, typer.Option(min=8, help="Number of particles N, of all ranks.")] = 1 << 22,
    theta: Annotated[float, typer.Option(min=0.01, max=4, help="Opening angle.")] = 0.5,
    group: Annotated[float | None, typer.Option(min=1, help="Mean group size n_i; else the fastest.")] = None,
    reuse: Annotated[int, typer.Option(min=1, help="Steps for which lists are kept.")] = 16,
    system: Annotated[str, typer.Option(help=SYSTEM)] = "titan-v",
    ranks: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    method: Annotated[str | None, typer.Option(help="C1, G1, G2 or G3; else all of them.")] = None,
) -> None:
    """Print the seconds of a step, in the rows of Table 2."""
    machine = find_system(system)
    table = predicted(machine, particles, theta, group, reuse, ranks, method)
    title = f"{machine.name}, N = {particles:,}, theta = {theta:g}, lists kept for {reuse} steps: seconds a step"
    note = "below each method n_i; new: the step makes its lists, kept: it reuses them"
    wide = {name: f"{name}\nn_i = {group:g}" for name, group in table.groups.items()}
    narrow = {name: f"{_short(name)}\n{group:.4g}" for name, group in table.groups.items()}
    print_table(title, table.columns, table.rows, wide=wide, narrow=narrow, note=note)


@model.command()
def remote(
    particles: Annotated[int, typer.Option(min=1, help="Number of particles N.")] = 10_000,
    neighbours: Annotated[float, typer.Option(min=0, help="Mean number of neighbours of a particle.")] = 40,
    system: Annotated[str, typer.Option(help=REMOTE_SYSTEM)] = "classic",
) -> None:
    """Print the seconds of a force, and of a step of a gas, with GRAPE on another machine (Nakasato et al. 1997)."""
    machine = find_remote_machine(system)
    for what, cases in {"a force": FORCE_CASES, "a step of a gas": GAS_CASES}.items():
        columns = {name: seconds_of(case, particles, neighbours, machine) for name, case in cases.items()}
        title = f"{machine.name}, N = {particles:,}, {neighbours:g} neighbours: seconds of {what}"
        print_table(title, columns, ROWS)


@model.command()
def replicas(
    replicas: Annotated[int, typer.Option(min=1, help="Number of replicas.")] = Exchange.replicas,
    energies: Annotated[int, typer.Option(min=1, help="Energies of a replica that come back.")] = Exchange.energies,
    devices: Annotated[list[int] | None, typer.Option(min=1, help="Number of devices n; to repeat.")] = None,
    system: Annotated[str, typer.Option(help=REPLICA_SYSTEM)] = "tsubame-256",
) -> None:
    """Print the seconds of an exchange of replicas by one client and many devices (Oikawa et al.)."""
    machine = find_replica_machine(system)
    exchange = Exchange(replicas, energies)
    counts = sorted(set(devices or DEVICES))
    for what, (parts, rows) in FORMS.items():
        columns = {f"n = {n:,}": parts(n, exchange, machine) for n in counts}
        title = f"{machine.name}, {replicas:,} replicas, energies of each: {energies:,}; seconds of {what}"
        print_table(title, columns, rows)


@model.command()
def sites(
    particles: Annotated[float, typer.Option(min=8, help="Number of particles N, of all sites.")] = 2048**3,
    mesh: Annotated[int, typer.Option(min=0, help="Cells of the mesh along an edge; 0 for none.")] = 256,
    theta: Annotated[float, typer.Option(min=0.01, max=4, help="Opening angle.")] = 0.5,
    processes: Annotated[int, typer.Option(min=1, help="Number of processes, of all sites.")] = 2048,
    sites: Annotated[list[int] | None, typer.Option(min=1, help="Number of sites; to repeat.")] = None,
    system: Annotated[str, typer.Option(help=SITE_SYSTEM)] = "global-grid",
) -> None:
    """Print the seconds of a step over several supercomputers, the paper's and ours (Groen et al. 2011)."""
    machine = find_site_machine(system)
    counts = sorted(set(sites or SITES))
    if counts[-1] > processes:
        raise InputError(f"'--sites' is {counts[-1]}, but there are only {processes} processes")
    for what, (parts, rows) in SITE_FORMS.items():
        columns = {f"s = {s}": parts(Run(particles, mesh**3, theta, processes, s), machine) for s in counts}
        title = f"{machine.name}, N = {particles:,.0f}, mesh {mesh}^3, theta = {theta:g}, {processes:,} processes; "
        print_table(title + f"seconds of {what}", columns, rows)


@model.command()
def memory(
    particles: Annotated[float, typer.Option(min=1, help="Number of particles N.")] = 2048**3,
    mesh: Annotated[int, typer.Option(min=0, help="Cells of the mesh along an edge.")] = 0,
) -> None:
    """Print the memory that a run of SUSHI takes, in GB of 1e9 bytes (Groen et al. 2011)."""
    size = memory_of(particles, mesh**3)
    typer.echo(f"N = {particles:,.0f}, mesh {mesh}^3: {size / 1e9:,.4g} GB")


@model.command()
def calibrate(
    particles: Annotated[list[int] | None, typer.Option(min=1000, help="Number of particles; to repeat.")] = None,
    theta: Annotated[float, typer.Option(min=0.01, max=4, help="Opening angle.")] = 0.5,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each kind at each size; the median counts.")] = 5,
    group: Annotated[int | None, typer.Option(min=1, help="Largest group n_grp; else that of forces.")] = None,
    device: Annotated[str, typer.Option(help="Measure methods G2 and G3 on it as well: cpu, cuda:0, ...")] = "host",
    output: Annotated[Path, typer.Option("--output", "-o", help="System file to write.")] = Path("system.toml"),
    overwrite: Overwrite = False,
) -> None:
    """Measure this machine and the CPU path of Trellis on it, and a device."""
    sizes = sorted(set(particles or SIZES))
    if len(sizes) < 2:
        raise InputError("'--particles' gives one size, but the growth of lists needs at least two")
    check_device(device)
    path = world.on_first(lambda: output_file(output, overwrite=overwrite))
    found = measure(sizes, theta, steps, group, report=typer.echo)
    if device != "host":
        accelerator, on_device = calibrate_device(found.host.B_host, sizes, theta, steps, group, device, typer.echo)
        found = replace(found, optional_accelerator=accelerator, device=on_device)
    write_text(path, to_toml(found))
    rates = {"B_host": found.host.B_host}
    if found.device is not None:
        rates |= found.accelerator.model_dump()
    units = (f"{name} = {rate / 1e9:.4g} G{'flop' if name == 'F_GPU' else 'B'}/s" for name, rate in rates.items())
    typer.echo(f"'{path}' written: {', '.join(units)}")


def _short(name: str) -> str:
    return name.replace(" (construction)", "\nnew").replace(" (reusing)", "\nkept")

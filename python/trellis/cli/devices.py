"""``trellis devices``: what a server lends, what it takes to reach a device, and whether its results are right."""

from __future__ import annotations

import platform
import sys
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from trellis import _core
from trellis.cli.output import Overwrite, output_file
from trellis.device_check import Checked, check_device
from trellis.errors import InputError
from trellis.io.atomic import write_text
from trellis.model.remote.measure import SMALL, exchanges_with, measure_network, to_toml

WIDE = 200  # columns of what is no terminal
LARGE = 1 << 22  # bytes of a message whose time is that of its bytes


def devices(
    address: Annotated[
        str, typer.Argument(help="A server: trellis://HOST, ssh://HOST or unix:PATH; else the name of a device.")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Compare what a device computes with the host and with direct sums.")
    ] = False,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure latency and bandwidth of a device, for `trellis model remote`.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for what is measured. By default network.toml.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Show the devices that a server lends, their users, round trip and bandwidth."""
    if check and measure:
        raise typer.BadParameter("allowed is one of them", param_hint="'--check' / '--measure'")
    if measure:
        _measure(address, output_file(output or Path("network.toml"), overwrite=overwrite))
    elif output is not None or overwrite:
        raise typer.BadParameter(
            "a file is written of what is measured, with --measure", param_hint="'--output' / '--overwrite'"
        )
    elif check:
        _check(address)
    else:
        _show(address)


def _check(device: str) -> None:
    about = _core.devices().get(device)
    found: list[Checked] = []
    for checked in check_device(device):
        if not found:  # the device exists
            typer.echo(f"{device}: {about}" if about else device)
            typer.echo(f"Trellis {_core.info()['version']}, {platform.platform(terse=True)}")
        found.append(checked)
        verdict = "passed" if checked.passed else "FAILED"
        error = checked.why or f"error {checked.error:.1e}, allowed {checked.allowed:.0e}"
        typer.echo(f"{verdict}  {checked.what}: {error}")
    failed = sum(not checked.passed for checked in found)
    if failed > 0:
        typer.echo(f"{device} failed {failed} of {len(found)} checks: do not rely on its results")
        raise typer.Exit(1)
    typer.echo(f"{device} passed all {len(found)} checks")


def _show(address: str) -> None:
    whole = (Column(name, no_wrap=True) for name in ("round trip", "up", "down"))
    table = Table(Column("device", no_wrap=True), "", "memory left", "in use by", *whole, box=None)
    for lent in _core.devices_of(address):
        name = f"{address.rstrip('/')}/{lent.name}"
        left = f"{lent.left / 2**30:.1f} of {lent.memory / 2**30:.1f} GiB"
        cells = (name, lent.description, left, lent.users or "-", *_reached(name))
        table.add_row(*map(Text, cells))
    Console(width=None if sys.stdout.isatty() else WIDE).print(table)


def _reached(device: str) -> tuple[str, str, str]:
    """Return round trip and bandwidth up and down; dashes if others have all of the device's memory."""
    seconds = exchanges_with(device)
    try:
        trip, up, down = seconds(up=SMALL), seconds(up=LARGE), seconds(down=LARGE)
    except InputError:
        return "-", "-", "-"
    return f"{1e6 * trip:.0f} µs", f"{LARGE / up / 1e9:.2f} GB/s", f"{LARGE / down / 1e9:.2f} GB/s"


def _measure(device: str, path: Path) -> None:
    network = measure_network(exchanges_with(device), report=typer.echo)
    write_text(path, to_toml(network, f"{device}, measured {date.today()}"))
    table = Table("", "latency", "bandwidth", box=None)
    for name, transfer in {"upload": network.upload, "download": network.download}.items():
        table.add_row(name, f"{1e6 * transfer.latency:.1f} µs", f"{transfer.bandwidth / 1e9:.3g} GB/s")
    table.add_row("launch", f"{1e6 * network.launch.latency:.1f} µs")
    Console().print(table)
    several = ", ".join(f"{count}: {1e6 * spent / count:.1f}" for count, spent in network.devices.items())
    typer.echo(f"µs a device, by the number of devices in one exchange: {several}")
    typer.echo(f"'{path}' written")

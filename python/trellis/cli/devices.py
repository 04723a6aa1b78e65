"""``trellis devices``: what a server lends, and what it takes to reach a device."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from trellis import _core
from trellis.cli.output import Overwrite, output_file
from trellis.io.atomic import write_text
from trellis.model.remote.measure import exchanges_with, measure_network, to_toml

SMALL, LARGE, REPEATS = 8, 1 << 22, 7


def devices(
    address: Annotated[
        str, typer.Argument(help="A server: trellis://HOST, ssh://HOST or unix:PATH; with --measure a device.")
    ],
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure latency and bandwidth of a device, for `trellis model remote`.")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for what is measured.")] = Path("network.toml"),
    overwrite: Overwrite = False,
) -> None:
    """Show the devices that a server lends, who is on them, round trip and bandwidth."""
    if measure:
        _measure(address, output_file(output, overwrite=overwrite))
    else:
        _show(address)


def _show(address: str) -> None:
    table = Table("device", "", "memory left", "in use by", "round trip", "up", "down", box=None)
    for lent in _core.devices_of(address):
        name = f"{address.rstrip('/')}/{lent.name}"
        trip, up, down = (
            median(exchange.seconds() for _ in range(repeats))
            for exchange, repeats in (
                (_core.Exchange([name], up=SMALL), 50),
                (_core.Exchange([name], up=LARGE), REPEATS),
                (_core.Exchange([name], down=LARGE), REPEATS),
            )
        )
        table.add_row(
            name,
            lent.description,
            f"{lent.left / 2**30:.1f} of {lent.memory / 2**30:.1f} GiB",
            lent.users or "nobody",
            f"{1e6 * trip:.0f} µs",
            *(f"{LARGE / seconds / 1e9:.2f} GB/s" for seconds in (up, down)),
        )
    Console().print(table)


def _measure(device: str, path: Path) -> None:
    network = measure_network(exchanges_with(device), report=typer.echo)
    write_text(path, to_toml(network, f"{device}, measured {date.today()}"))
    table = Table("", "latency", "bandwidth", box=None)
    for name, transfer in {"upload": network.upload, "download": network.download}.items():
        table.add_row(name, f"{1e6 * transfer.latency:.1f} µs", f"{transfer.bandwidth / 1e9:.3g} GB/s")
    table.add_row("launch", f"{1e6 * network.launch.latency:.1f} µs")
    Console().print(table)
    several = ", ".join(f"{count}: {1e6 * spent / count:.1f}" for count, spent in network.devices.items())
    typer.echo(f"µs a device, an exchange with so many at once: {several}")
    typer.echo(f"'{path}' written")

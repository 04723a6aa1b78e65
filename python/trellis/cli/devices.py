"""``trellis devices``: what a server lends."""

from __future__ import annotations

from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from trellis import _core

SMALL, LARGE, REPEATS = 8, 1 << 22, 7


def devices(
    address: Annotated[str, typer.Argument(help="A server: trellis://HOST, ssh://HOST or unix:PATH.")],
) -> None:
    """Show the devices that a server lends, who is on them, round trip and bandwidth."""
    table = Table("device", "", "memory left", "in use by", "round trip", "up", "down", box=None)
    for lent in _core.devices_of(address):
        name = f"{address.rstrip('/')}/{lent.name}"
        trip = median(up for up, _ in _core.time_copies(name, SMALL, 50))
        copies = _core.time_copies(name, LARGE, REPEATS)
        rates = [LARGE / median(times) for times in zip(*copies, strict=True)]
        table.add_row(
            name,
            lent.description,
            f"{lent.left / 2**30:.1f} of {lent.memory / 2**30:.1f} GiB",
            lent.users or "nobody",
            f"{1e6 * trip:.0f} µs",
            *(f"{rate / 1e9:.2f} GB/s" for rate in rates),
        )
    Console().print(table)

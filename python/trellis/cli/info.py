"""``trellis info`` and ``trellis parameters``."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

import typer
from rich.console import Console
from rich.table import Table

import trellis.config as config
from trellis import _core


def info() -> None:
    """Say what this machine and this installation can do."""
    table = Table(show_header=False, box=None)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rows: dict[str, object] = {
        **_core.info(),
        "devices": "\n".join(f"{name}: {about}" for name, about in _core.devices().items()),
        "memory": f"{memory:.1f} GiB",
        "machine": platform.machine(),
        "system": platform.platform(terse=True),
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "h5py", "matplotlib")},
    }
    for name, value in rows.items():
        table.add_row(name, str(value))
    Console().print(table)


def parameters() -> None:
    """List all parameters of a parameter file, as docs/parameters.md does."""
    typer.echo(config.document(), nl=False)

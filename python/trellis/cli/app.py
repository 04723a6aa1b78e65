"""The command line: its commands, and how they fail."""

from __future__ import annotations

import sys
import warnings

import typer
from rich.console import Console

from trellis.cli.bench import bench
from trellis.cli.ic import ic
from trellis.cli.info import info, parameters
from trellis.cli.model import model
from trellis.cli.plot import plot
from trellis.cli.run import run
from trellis.errors import InputError, RunError

app = typer.Typer(
    help="Trellis: a framework for particle simulations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.add_typer(ic, name="ic")
app.command()(plot)
app.command()(info)
app.command()(bench)
app.add_typer(model, name="model")
app.command()(parameters)


def main() -> None:
    """Run the command line: exit code 2 for input that cannot be used, 1 for a run that failed."""
    errors = Console(stderr=True, soft_wrap=True)
    warnings.showwarning = lambda message, *_: errors.print(f"[yellow]note:[/] {message}", highlight=False)
    try:
        app()
    except (InputError, RunError) as error:
        errors.print("[red]error:[/]", end=" ")
        errors.print(str(error), markup=False, highlight=False)
        sys.exit(2 if isinstance(error, InputError) else 1)
    except MemoryError:
        errors.print("[red]error:[/] not enough memory for so many particles")
        sys.exit(1)

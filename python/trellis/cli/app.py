"""The command line: its commands, and how they fail."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

from trellis import world
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
    """Run the command line: exit code 2 for input that cannot be used, 1 for a run that failed.

    Of several ranks the first one speaks; a failure of any ends them all.
    """
    if world.rank() > 0:
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    errors = Console(stderr=True, soft_wrap=True)
    warnings.showwarning = lambda message, *_: errors.print(f"[yellow]note:[/] {message}", highlight=False)
    try:
        app()
    except (InputError, RunError) as error:
        _fail(errors, str(error), 2 if isinstance(error, InputError) else 1)
    except MemoryError:
        _fail(errors, "not enough memory for so many particles", 1)
    except SystemExit as leaving:
        if leaving.code:
            world.wait_for_first()
        raise


def _fail(errors: Console, why: str, code: int) -> NoReturn:
    if world.ranks() > 1:
        world.end_run(why, code)
    errors.print("[red]error:[/]", end=" ")
    errors.print(why, markup=False, highlight=False)
    sys.exit(code)

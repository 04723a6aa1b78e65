"""The command line: its commands, and how they fail."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from trellis import _core
from trellis.cli.bench import bench
from trellis.cli.check import check
from trellis.cli.devices import devices
from trellis.cli.forward import forward
from trellis.cli.ic import ic
from trellis.cli.info import info, parameters
from trellis.cli.keys import keys
from trellis.cli.messages import say
from trellis.cli.model import model
from trellis.cli.plot import movie, plot, view
from trellis.cli.run import run
from trellis.cli.serve import serve
from trellis.cli.site_links import sites
from trellis.errors import UNFIT, InputError, RunError, reason
from trellis.interrupts import raise_interrupts
from trellis.parallel import world
from trellis.parallel.ending import end_run, wait_for_first

INTERRUPTED = 128 + signal.SIGINT  # typer's exit code after Ctrl-C

app = typer.Typer(
    help="Trellis: a framework for particle simulations.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(check)
app.add_typer(ic, name="ic")
app.command()(plot)
app.command()(movie)
app.command()(view)
app.command()(info)
app.command()(bench)
app.add_typer(model, name="model")
app.command()(parameters)
app.command()(serve)
app.add_typer(keys, name="keys")
app.add_typer(sites, name="sites")
app.command()(devices)
app.command()(forward)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"trellis {_core.info()['version']}")
        raise typer.Exit


@app.callback()
def _before_commands(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    _check_threads()


def _check_threads() -> None:
    """Raise a ValueError if more threads are asked for than OpenMP is allowed to start."""
    most = os.environ["OMP_THREAD_LIMIT"]
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if asked.isdecimal() and most.isdecimal() and int(asked) > int(most):
        raise InputError(f"OMP_NUM_THREADS is {asked}, but must be at most {most} (OMP_THREAD_LIMIT)")


def main() -> None:
    """Run the command line: exit code 2 for input that cannot be used, 1 for a run that failed.

    Of several ranks the first one speaks; a failure of any ends them all.
    """
    raise_interrupts()
    if world.rank() > 0:
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    warnings.showwarning = lambda message, *_: say("note", str(message))
    try:
        app(prog_name="trellis")
    except (InputError, RunError) as error:
        _fail(str(error), 2 if isinstance(error, InputError) else 1)
    except OSError as error:  # on the first look at a path, as at one that is too long
        where = f"cannot use '{error.filename}': " if error.filename else ""
        _fail(f"{where}{reason(error)}", 2 if error.errno in UNFIT else 1)
    except MemoryError:
        _fail("not enough memory for these particles", 1)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED and _core.site_names():
            end_run("it was interrupted by Ctrl-C", INTERRUPTED)
        if leaving.code:
            wait_for_first()
        raise


def _fail(why: str, code: int) -> NoReturn:
    if world.ranks() > 1:
        end_run(why, code)
    say("error", why)
    sys.exit(code)

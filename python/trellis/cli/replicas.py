"""``trellis run`` of a file with a section [replica_exchange]."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import typer
from rich.console import Console

import trellis.analysis as analysis
from trellis.config import RunFile
from trellis.errors import InputError
from trellis.run.replica_run import ReplicaExchangeRun
from trellis.run.time_limit import TimeLimit

LINES = 10.0  # seconds between lines where the output is not a terminal


def run_replicas(
    console: Console, file: RunFile, *, resume: bool, overwrite: bool, limit: TimeLimit, changes: Sequence[str]
) -> None:
    """Run a replica exchange to its end, or to where it is stopped, and say how it went."""
    begun = ReplicaExchangeRun(file, resume=resume, overwrite=overwrite, limit=limit, changes=changes)
    folder = begun.folder
    if begun.finished():
        begun.complete()
        console.print(f"The run in '{folder.path}' is complete: it made {begun.exchanges} exchanges.")
        return
    how = "Continuing" if begun.exchanges > 0 else "Running"
    console.print(
        f"{how} {begun.ensemble.systems} systems of {len(begun.ensemble.particles(0))} particles, {begun.states},"
        f" to exchange {begun.total} from {begun.exchanges}"
        f"{f'; {begun.joining} of them join now' if begun.joining else ''}"
    )
    began = time.perf_counter()
    last = [began]

    def show(line: str) -> None:
        now = time.perf_counter()
        if now - last[0] >= LINES or console.is_terminal:
            console.print(line, end="\r" if console.is_terminal else "\n")
            last[0] = now

    stop = begun.run(show)
    console.print(f"{begun.exchanges} exchanges, {time.perf_counter() - began:.1f} s")
    if stop is not None:
        console.print(stop.sentence)
        raise typer.Exit(stop.exit_code)
    console.print(str(analysis.acceptance(begun.history())))
    console.print(f"Everything is in '{folder.path}{os.sep}'; look at '{folder.overview}'.")


def check_options(check_forces: int) -> None:
    """Raise a ValueError for options of `trellis run` that a replica exchange does not know."""
    if check_forces > 0:
        raise InputError("--check-forces does not go with [replica_exchange]")

"""``trellis run`` and ``trellis check`` of a file with a section [replica_exchange]."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.filesize import decimal

import trellis.analysis as analysis
from trellis.cli.messages import span_of
from trellis.cli.plans import device_line, folder_line, force_line
from trellis.config import RunFile
from trellis.errors import InputError
from trellis.notes import warn
from trellis.run.replica_forecast import ExchangeForecast, forecast_exchange
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
    on_device = "" if (device := device_line(file)) is None else f" on {device},"
    console.print(
        f"{how} {begun.ensemble.systems} systems of {len(begun.ensemble.particles(0))} particles,{on_device}"
        f" {begun.states}, to exchange {begun.total} from {begun.exchanges}"
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


def check_replicas(console: Console, file: RunFile, *, resume: bool) -> None:
    """Say what a replica exchange would do and take."""
    run = ReplicaExchangeRun(file, resume=resume, overwrite=not resume)
    for label, text in _what(run, resume=resume):
        console.print(f"{label:<10} {text}")
    if run.finished():
        console.print(f"It is complete: it has made {run.exchanges} exchanges.")
        return
    found = forecast_exchange(run)
    for label, text in _how_much(run, found):
        console.print(f"{label:<10} {text}")
    if found.output > found.free:
        warn(f"the output needs {decimal(found.output)}, but {decimal(found.free)} are free")


def _what(run: ReplicaExchangeRun, *, resume: bool) -> Iterator[tuple[str, str]]:
    yield "systems", f"{run.ensemble.systems} of {len(run.ensemble.particles(0))} particles, {run.states}"
    interactions: list[Any] = run.ensemble.interactions
    for force in interactions[:1]:
        yield "force", force_line(force)
    if (device := device_line(run.file)) is not None:
        yield "device", device
    yield "folder", folder_line(run.folder, f"exchange {run.exchanges}" if resume else None)


def _how_much(run: ReplicaExchangeRun, found: ExchangeForecast) -> Iterator[tuple[str, str]]:
    before = f", after {found.equilibration:,} of equilibration" if found.equilibration else ""
    yield "exchanges", f"{found.exchanges:,} of {run.parameters.exchange_every:,} steps{before}"
    yield "seconds", f"{found.exchange_seconds:.3g} an exchange ({found.tried} tried), {span_of(found.seconds)} in all"
    yield "memory", f"{decimal(found.memory)} at most"
    yield (
        "output",
        f"{decimal(found.output)}: a history of {decimal(found.history)}, checkpoints of {decimal(found.checkpoint)};"
        f" {decimal(found.free)} are free",
    )

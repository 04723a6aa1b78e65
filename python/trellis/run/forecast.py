"""Forecast of the time, memory and output of a run, from a few steps in memory and files that are removed again."""

from __future__ import annotations

import math
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trellis.plot as plot
from trellis.errors import writing
from trellis.io import write_checkpoint
from trellis.output.energy_log import EnergyLog, columns_of
from trellis.output.folder import OutputFolder
from trellis.parallel import world
from trellis.plot.overview import PANELS
from trellis.run.halo_forecast import HaloForecast
from trellis.run.simulation_run import SimulationRun

LEAST, MOST = 3.0, 20.0  # seconds of steps that are tried, if a cycle of lists takes less, and if it takes more
FIRST_SHARE, GROWTH = 0.1, 1.1  # chosen steps: the first over what forces allow, and each over the one before


@dataclass(frozen=True)
class Output:
    """The output of a run.

    Attributes
    ----------
    snapshots : int
        Number of those still to come.
    snapshot, checkpoint, log : int
        Bytes of one snapshot, of one checkpoint, and of all lines of the energy log.
    free : int
        Bytes that are free where they come.
    """

    snapshots: int
    snapshot: int
    checkpoint: int
    log: int
    free: int

    @property
    def total(self) -> int:
        """Bytes of all: while a checkpoint is written, the one before is still there."""
        return self.snapshots * self.snapshot + 2 * self.checkpoint + self.log


@dataclass(frozen=True)
class Forecast:
    """The rest of a run, and what it takes.

    Attributes
    ----------
    steps : int
        Number of steps left; of chosen ones, if the forces go on to allow what they allow now.
    most : int or None
        Number of chosen steps as they shrink in the halos that are expected to form; None where that is not known.
    timestep : float
        Their length; of chosen ones, the length that the forces allow now.
    tried : int
        Number of steps measured.
    step_seconds : float
        Seconds of a step and its line in the log, on average over a cycle of lists.
    seconds, most_seconds : float
        Seconds of the run, with all that it writes: of `steps`, and of `most`.
    memory : int
        Bytes of all ranks at their most.
    output : Output
        The files that it writes.
    """

    steps: int
    most: int | None
    timestep: float
    tried: int
    step_seconds: float
    seconds: float
    most_seconds: float
    memory: int
    output: Output


@world.collective
def forecast(run: SimulationRun) -> Forecast:
    """Try some steps of a run, which is not to be run then, and write once what it writes, in a folder of its own."""
    simulation, parameters = run.simulation, run.file.run
    began, first_step, written = simulation.time, simulation.step_count, run.last_snapshot()
    most = HaloForecast(run.file, simulation, run.cosmology, run.units).steps()
    with scratch_beside(run.folder.path) as place:
        scratch = OutputFolder(place)
        with EnergyLog(scratch.energy_log, columns_of(simulation)) as log:
            forces = _seconds(lambda: log.record(simulation))
            snapshot = _seconds(lambda: run.snapshot(scratch.snapshot(0)))
            checkpoint = _seconds(
                lambda: write_checkpoint(scratch.checkpoint, simulation.state(run.units), files=parameters.files)
            )
            lengths, seconds = _try_steps(run, log)
        steps, timestep = _steps_until(_span(run, began), parameters.timestep, lengths, resumed=first_step > 0)
        most = None if most is None else max(most, steps)
        snapshots = run.last_snapshot_at_end(first_step + steps) - written
        lines = 1 + max(steps, most or 0) // parameters.log_every
        output = world.on_first(lambda: _output(scratch, snapshots, lines))
        picture = _seconds(lambda: world.on_first(lambda: _draw(scratch, snapshots)))
    step = _of_cycle(seconds, forces, _cycle(run))

    def all_seconds(count: int) -> float:
        spent = forces + count * step + snapshots * snapshot + picture
        checkpoints = 2 + (count if parameters.checkpoint_every == 0 else int(spent / parameters.checkpoint_every))
        return spent + checkpoints * checkpoint

    memory = 1024 * sum(world.gather(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
    least, longest = all_seconds(steps), all_seconds(max(steps, most or 0))
    return Forecast(steps, most, timestep, len(lengths), step, least, longest, memory, output)


@contextmanager
def scratch_beside(output: Path) -> Iterator[Path]:
    """Make a folder on the file system on which the output will be, and remove it with all that is in it."""
    there = next(parent for parent in output.absolute().parents if parent.exists())

    def make() -> Path:
        with writing(there):
            return Path(tempfile.mkdtemp(prefix=".trellis-check-", dir=there))

    place = world.on_first(make)
    try:
        yield place
    finally:
        if world.rank() == 0:
            shutil.rmtree(place, ignore_errors=True)


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _try_steps(run: SimulationRun, log: EnergyLog) -> tuple[list[float], list[float]]:
    """Take steps; return their lengths, and the seconds that each took."""
    simulation, cycle = run.simulation, _cycle(run)
    lengths: list[float] = []
    seconds: list[float] = []

    def step() -> None:
        simulation.step()
        if simulation.step_count % run.file.run.log_every == 0:
            log.record(simulation)

    while True:
        seconds.append(_seconds(step))
        lengths.append(_span(run, simulation.time - simulation.timestep, simulation.time))
        spent, whole = sum(seconds), len(seconds) % cycle == 0
        ended = spent > MOST or (spent > LEAST and whole) or simulation.reached(run.file.run.until)
        enough = len(seconds) > 1 and ended
        if world.any_rank(world.rank() == 0 and enough)[0]:
            return lengths, seconds


def _span(run: SimulationRun, begin: float, end: float | None = None) -> float:
    """Return the span between two times, in ln a where space expands; without an end, until that of the run."""
    end = run.file.run.until if end is None else end
    return end - begin if run.cosmology is None else math.log(end / begin)


def _cycle(run: SimulationRun) -> int:
    """Return the number of steps after which all lists have been rebuilt."""
    forces: tuple[Any, ...] = run.simulation.forces
    return max(int(force.settings.get("reuse_steps", 1)) for force in forces)


def _of_cycle(seconds: list[float], first_forces: float, cycle: int) -> float:
    """Return the seconds of a step on average over whole cycles; of less than one, all steps use the first lists."""
    whole = len(seconds) // cycle * cycle
    if whole > 0:
        return sum(seconds[:whole]) / whole
    return (first_forces + (cycle - 1) * sum(seconds) / len(seconds)) / cycle


def _steps_until(span: float, timestep: float | None, lengths: list[float], *, resumed: bool) -> tuple[int, float]:
    """Return how many steps a time takes, and their length; chosen ones grow to what the forces allow now."""
    if timestep is not None:
        return max(0, math.ceil(span / timestep - 1e-3)), timestep
    growing = lengths[-1] > 0.99 * GROWTH * lengths[-2]
    allowed = max(lengths[-1], 0.0 if resumed or not growing else lengths[0] / FIRST_SHARE)
    count, length = len(lengths), lengths[-1]
    span -= sum(lengths)
    while span > 0 and length < allowed:
        length = min(GROWTH * length, allowed)
        span -= length
        count += 1
    return count + max(0, math.ceil(span / allowed)), allowed


def _output(scratch: OutputFolder, snapshots: int, lines: int) -> Output:
    """Return the output of a run with these numbers of snapshots and lines of the log, from the files of a trial."""
    files = {path: path.stat().st_size for path in scratch.written()}
    heading, *tried = scratch.energy_log.read_bytes().splitlines(keepends=True)
    del files[scratch.energy_log]
    snapshot = sum(size for path, size in files.items() if path.name.startswith("snapshot"))
    return Output(
        snapshots=snapshots,
        snapshot=snapshot,
        checkpoint=sum(files.values()) - snapshot,
        log=len(heading) + round(lines * sum(map(len, tried)) / len(tried)),
        free=shutil.disk_usage(scratch.path).free,
    )


def _draw(scratch: OutputFolder, snapshots: int) -> None:
    """Draw the picture of the run's end, with as many snapshots as there will be, all the same one."""
    files = scratch.written()
    for number in range(1, min(snapshots, PANELS)):
        for path in files:
            if path.name.startswith("snapshot"):
                (scratch.path / path.name.replace("0000", f"{number:04d}", 1)).symlink_to(path.name)
    plot.overview(scratch.path, scratch.overview)

"""The live line of a run: step, time, wall time a step, interactions a second, energy error, rungs, time left."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from trellis._core import Cosmology
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.simulation.energies import Energies
from trellis.simulation.progress.site_progress import SiteProgress
from trellis.simulation.progress.time_left import TimeLeft
from trellis.simulation.rungs import WithRungs, rung_use_of_all
from trellis.simulation.stop_times import Clock, RunEnd

REFRESH = 0.2  # seconds between updates of the line
LINES = 10.0  # seconds between lines where the output is not a terminal


class Running(Clock, WithRungs, Protocol):
    """The part of a simulation that the live line needs."""

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now."""

    @property
    def cosmology(self) -> Cosmology | None:
        """The cosmology by which space expands, if it does."""

    @property
    def moment(self) -> str:
        """The time as text."""

    @property
    def interactions(self) -> int:
        """Pairs evaluated in the last step, by all ranks."""

    def energies(self) -> Energies:
        """Return the energies of the particles as they are now, on all ranks."""


class RunProgress:
    """Shows how far a simulation is: a live line on a terminal, a line now and then in a notebook or a file.

    With several ranks, all have one and call the same; the first one shows it.

    Parameters
    ----------
    simulation : Simulation
        The simulation that runs.
    end : RunEnd
        The end of the run.
    """

    def __init__(self, simulation: Running, end: RunEnd) -> None:
        self._simulation = simulation
        self._end = end
        self._console = Console(stderr=True, quiet=world.rank() > 0)
        self._live = self._console.is_terminal and not self._console.is_jupyter
        self._bar = Progress(
            BarColumn(bar_width=16),
            TextColumn("{task.description}"),
            console=self._console,
        )
        total = float(end.last_step or 0) if end.until is None else end.until
        self._task = self._bar.add_task("", total=total)
        self._bar.update(self._task, completed=self._completed())
        self._left = TimeLeft(total, self._completed())
        self._sites = SiteProgress()
        self._first_step = simulation.step_count
        self._shown_at = time.perf_counter()
        self._shown_step = simulation.step_count

    def __enter__(self) -> RunProgress:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and self._simulation.step_count > self._shown_step:
            self.show()
        if self._live:
            self._bar.stop()

    def _completed(self) -> float:
        return self._simulation.step_count if self._end.until is None else self._simulation.time

    def due(self) -> bool:
        """Return whether the time has come to show the state; by the clock of the first rank."""
        waited = time.perf_counter() - self._shown_at
        return world.rank() == 0 and waited > (REFRESH if self._live else LINES)

    def show(self) -> None:
        """Show the state after a step."""
        simulation, now = self._simulation, time.perf_counter()
        steps = simulation.step_count - self._shown_step
        seconds = (now - self._shown_at) / steps
        sites = self._sites.lines(len(simulation.particles), steps)
        self._shown_at, self._shown_step = now, simulation.step_count
        of_steps = f" of {self._end.last_step}" if self._end.last_step is not None else ""
        of_time = f" of {self._end.until:.4g}" if self._end.until is not None else ""
        if self._end.until is not None and simulation.cosmology is not None:
            of_time = f" of {1 / self._end.until - 1:.4g}"
        where = f"step {simulation.step_count}{of_steps}, {simulation.moment}{of_time}"
        how = (
            f"{_duration(seconds)}/step, {simulation.interactions / seconds:.1e} interactions/s,"
            f" dE/E = {simulation.energies().error:.1e}"
        )
        use = rung_use_of_all(simulation)
        if use is not None:
            how += f", rungs {' '.join(map(str, use.in_use()))}, {use.updates / seconds:.1e} updates/s"
        self._left.note(self._completed())
        if self._live:
            self._bar.update(
                self._task, completed=self._completed(), description="\n".join([where, how, str(self._left), *sites])
            )
        else:
            left = "" if self._end.reached() else f", {self._left}"
            self._console.print(f"{where}, {how}{left}", soft_wrap=True, highlight=False)
            for line in sites:
                self._console.print(f"  {line}", soft_wrap=True, highlight=False)
        self._left.warn_if_long(simulation.step_count - self._first_step, simulation.timestep)


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"

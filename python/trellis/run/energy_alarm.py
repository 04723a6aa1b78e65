"""Alarm of a run whose conserved energy changes by too much: the run ends, or is marked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from trellis._core import Force
from trellis.config import RunParameters
from trellis.errors import InputError, reading, writing
from trellis.io.atomic import write_text
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.simulation import Simulation
from trellis.simulation.energies import Energies, why_not_conserved

ALARM = 3  # exit code of a run that the alarm has ended or marked


@dataclass(frozen=True)
class Mark:
    """Where the error of a run's energy was beyond the limit.

    Attributes
    ----------
    step, time : int, float
        After which step, and at which time of the particles.
    error : float
        The size of `Energies.error` then.
    energy_alarm : float
        The limit, as the parameter of this name says.
    """

    step: int
    time: float
    error: float
    energy_alarm: float

    def __str__(self) -> str:
        beyond = f", beyond energy_alarm = {self.energy_alarm:g}" if math.isfinite(self.error) else ""
        return f"the energy error was {self.error:.2g} after step {self.step}, at t = {self.time:g}{beyond}"


class EnergyAlarm:
    """Looks at the energies of a run; of several ranks, which make the same calls, the first writes the mark.

    Parameters
    ----------
    parameters : RunParameters
        With the limit, and what happens beyond it.
    forces : iterable of Force
        Those that act.
    particles : ParticleSet
        Those on which they act, on this rank.
    path : Path
        The file that marks the run.

    Attributes
    ----------
    off : str
        Why the energy is not conserved, as the end of a sentence; empty if it is. Only values that are not finite are
        beyond the limit then.
    mark : Mark or None
        Where the error was beyond the limit first, or where the alarm ended the run.
    ended : bool
        Whether the run is to end.
    """

    def __init__(self, parameters: RunParameters, forces: Iterable[Force], particles: ParticleSet, path: Path) -> None:
        self.off = why_not_conserved(forces, particles)
        self.mark: Mark | None = None
        self.ended = False
        self._limit = math.inf if self.off else parameters.energy_alarm
        self._ends = parameters.on_energy_alarm == "end"
        self._path = path
        self._seen = -1

    def resume(self, step: int) -> None:
        """Keep the mark of a run that goes on from its checkpoint of a step, unless it is from a later one."""
        found = world.on_first(lambda: _read(self._path))
        self.mark = found if found is not None and found.step <= step else None

    def forget_later(self) -> None:
        """Delete a mark that is not kept."""
        if self.mark is None:
            with writing(self._path):
                self._path.unlink(missing_ok=True)

    def look(self, simulation: Simulation, energies: Energies) -> None:
        """Look at the energies after a step."""
        self._seen = simulation.step_count
        error = abs(energies.error)
        if math.isfinite(error) and error <= self._limit:
            return
        self.ended = self._ends or not math.isfinite(error)
        if self.mark is None or self.ended:
            mark = Mark(simulation.step_count, simulation.time, error, self._limit)
            self.mark = mark
            world.on_first(lambda: write_text(self._path, json.dumps(asdict(mark)) + "\n"))
            if not self.ended:
                warn(f"{mark}: the run goes on, marked, and will end with exit code {ALARM}")

    def sentence(self) -> str:
        """Return why the run has ended, and what helps."""
        helps = "shorter steps or a larger softening may help, with --resume and --change"
        if self.mark is not None and math.isfinite(self.mark.error):
            helps += ", and a larger run.energy_alarm allows more"
        return f"the run has ended, since {self.mark} ({helps})"

    def refuses(self, simulation: Simulation) -> bool:
        """Return whether this state must not take the place of an earlier checkpoint."""
        if self._seen != simulation.step_count:
            self.look(simulation, simulation.energies())
        return self.ended


def _read(path: Path) -> Mark | None:
    with reading(path):
        if not path.exists():
            return None
        try:
            return Mark(**json.loads(path.read_bytes()))
        except (TypeError, ValueError):
            raise InputError(f"'{path}' is not the mark of an energy alarm") from None

"""One run of replica exchange from a parameter file: set up or resumed, advanced, written down."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from trellis import plot, world
from trellis.config import RunFile
from trellis.ensemble import Ensemble
from trellis.errors import InputError
from trellis.exchange_history import ExchangeHistory
from trellis.interrupt import Wishes, deferred_signals
from trellis.io.exchange_checkpoint import ExchangeCheckpoint, read_exchange_checkpoint, write_exchange_checkpoint
from trellis.particles import ParticleSet
from trellis.replica_exchange import ReplicaExchange
from trellis.run.folder import OutputFolder
from trellis.run.ingredients import forces_of, start_of, thermostat_of
from trellis.run.lock import RunLock
from trellis.run.stop import Stop, stopped, stopped_by
from trellis.run.time_limit import OUT_OF_TIME, TimeLimit
from trellis.temperatures import count_of_temperatures, geometric_temperatures, tuned_temperatures

# Other devices, or more of them, go on with the same bits if they are of the same kind.
MAY_DIFFER = (
    "run.until", "run.output", "run.checkpoint_every", "run.device", "run.device_memory", "run.grace", "run.redundant",
)  # fmt: skip
TURN = 1.0  # seconds of steps and exchanges between looks at signals and clocks
ROUNDS = 4  # short runs of ladder = auto


class ReplicaJob:
    """A replica exchange as a parameter file describes it.

    Parameters
    ----------
    file : RunFile
        The parameters, with a section [replica_exchange].
    resume : bool
        Continue the run in the output folder from its last checkpoint; from its beginning if it has none yet.
    overwrite : bool
        Replace the run that is in the output folder.
    limit : TimeLimit, optional
        When it has to have ended.

    Raises
    ------
    ValueError
        If the parameters or the output folder cannot be used, or another run is under way there. Nothing has been
        written then.
    """

    def __init__(
        self, file: RunFile, *, resume: bool = False, overwrite: bool = False, limit: TimeLimit | None = None
    ) -> None:
        assert file.replica_exchange is not None
        if world.ranks() > 1:
            raise InputError("[replica_exchange] runs on one rank: several devices share the systems instead")
        self.file, self.parameters = file, file.replica_exchange
        self.folder = OutputFolder(Path(file.run.output))
        self.limit = limit or TimeLimit()
        self._lock = RunLock(self.folder.lock)
        self._lock.check_free()
        if resume:
            self.folder.check_resumable(file, self.folder.kept(), MAY_DIFFER)
        else:
            self.folder.check_new(file, overwrite=overwrite)
        self._found = read_exchange_checkpoint(self.folder.checkpoint) if resume and self._has_checkpoint() else None
        first = temperatures_to_begin(file) if self._found is None else self._found.temperatures
        self.ensemble = ensemble_of(file, first)
        self.exchange = self._exchange_at(first)
        self.exchanges = 0
        if self._found is not None:
            self.exchange.restore(self._found.state)
            self.exchanges = self._found.exchanges
        self._files = 0 if self._found is None else self._found.files
        self._unwritten: list[ExchangeHistory] = []
        self._last_checkpoint = time.monotonic()

    def _has_checkpoint(self) -> bool:
        return self.folder.checkpoint.exists()

    def _exchange_at(self, temperatures: np.ndarray) -> ReplicaExchange:
        given = self.parameters
        return ReplicaExchange(
            self.ensemble, temperatures, exchange_every=given.exchange_every, scheme=given.scheme, seed=given.seed
        )

    @property
    def total(self) -> int:
        """Exchanges of the whole run, after equilibration: those that come until its end."""
        assert self.file.run.timestep is not None
        return max(1, round(self.file.run.until / (self.file.run.timestep * self.parameters.exchange_every)))

    @property
    def degrees_of_freedom(self) -> float:
        """Kinetic ones of a system: random kicks move the centre of mass as well, a chain holds its momentum."""
        held = getattr(self.file.thermostat, "conserved", 0)
        return 3.0 * len(self.ensemble.particles(0)) - held

    def finished(self) -> bool:
        """Return whether the end of the run is reached."""
        return self._found is not None and self.exchanges >= self.total

    def history(self) -> ExchangeHistory:
        """Return what the folder has of the run."""
        return ExchangeHistory.read(self.folder.exchange_files())

    def run(self, show: Callable[[str], None]) -> Stop | None:
        """Advance to the end, or to where a signal or the time limit stops it, with a checkpoint.

        Parameters
        ----------
        show
            Called now and then with a line that says how far the run is.

        Returns
        -------
        Stop or None
            Why it stopped; None if it came to its end.
        """
        signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
        with deferred_signals(*signals) as wishes, self._lock:
            self._begin_folder()
            if self._found is None:
                if not self._equilibrate(wishes, show):
                    return self._stopped(wishes, checkpoint=False)
                self._write_checkpoint()
            self._advance(wishes, show)
            self._write_checkpoint()
            if self.exchanges >= self.total:
                self.draw()
                return None
            return self._stopped(wishes)

    def complete(self) -> None:
        """Make up for what a run that has reached its end was killed before: its picture, and the end of its lock."""
        if self.folder.lock.exists() or not self.folder.overview.exists():
            with self._lock:
                self.folder.forget_temporary()
                self.draw()

    def draw(self) -> None:
        """Draw the whole run into its folder."""
        plot.replica_overview(self.history(), self.degrees_of_freedom, self.folder.overview)

    def _begin_folder(self) -> None:
        self.folder.forget_temporary()
        if self._found is None:
            self.folder.begin(self.file)
            return
        self.folder.keep(self.file)
        for path in self.folder.exchange_files():
            if path not in [self.folder.exchanges(number) for number in range(self._files)]:
                path.unlink()  # of a run that was killed before its checkpoint

    def _to_stop(self, wishes: Wishes) -> bool:
        return wishes.stop or self.limit.near()

    def _stopped(self, wishes: Wishes, *, checkpoint: bool = True) -> Stop:
        if wishes.signal is not None:
            return stopped_by(self.folder.path, wishes.signal, checkpoint=checkpoint)
        return stopped(self.folder.path, f"before {self.limit.name}", OUT_OF_TIME, checkpoint=checkpoint)

    def _equilibrate(self, wishes: Wishes, show: Callable[[str], None]) -> bool:
        """Find the temperatures, if they are to be found, and come to equilibrium; return False if stopped before."""
        given = self.parameters
        tuning = given.temperatures is None and given.ladder == "auto"
        if tuning:
            show(f"finding {len(self.exchange.temperatures)} temperatures, {ROUNDS} x {given.equilibration} exchanges")
        for run in range(ROUNDS * tuning + (given.equilibration > 0)):
            if self._to_stop(wishes):
                return False
            self.limit.ready()
            if run < ROUNDS * tuning:
                tuned_temperatures(self.exchange, given.equilibration, 1)
            else:
                self.exchange.run(given.equilibration)
            self.limit.step_done()
        return True

    def _advance(self, wishes: Wishes, show: Callable[[str], None]) -> None:
        turn = 1
        self.limit.ready()
        while self.exchanges < self.total and not self._to_stop(wishes):
            began = time.monotonic()
            turn = min(turn, self.total - self.exchanges)
            self._unwritten.append(self.exchange.run(turn))
            self.exchanges += turn
            now = time.monotonic()
            self.limit.step_done()
            if wishes.checkpoint or now - self._last_checkpoint >= self.file.run.checkpoint_every:
                wishes.checkpoint = False
                self._write_checkpoint()
            rate = turn / max(now - began, 1e-9)
            show(f"exchange {self.exchanges} of {self.total}, {rate:.3g} a second")
            turn = max(1, min(round(rate * TURN), 4 * turn))
            self.limit.ready()

    def _write_checkpoint(self) -> None:
        began = time.monotonic()
        self._lock.check_held()
        if self._unwritten:
            first, *others = self._unwritten
            first.joined(others).write(self.folder.exchanges(self._files))
            self._files += 1
            self._unwritten = []
        write_exchange_checkpoint(
            self.folder.checkpoint,
            ExchangeCheckpoint(self.exchange.temperatures, self.exchanges, self._files, self.exchange.state()),
        )
        self._last_checkpoint = time.monotonic()
        self.limit.checkpoint_took(self._last_checkpoint - began)


def temperatures_to_begin(file: RunFile) -> np.ndarray:
    """Return the temperatures that a file gives, or those that short runs begin with."""
    given = file.replica_exchange
    assert given is not None
    if given.temperatures is not None:
        return np.array(given.temperatures, dtype=float)
    assert given.lowest is not None
    assert given.highest is not None
    freedom = 3.0 * len(start_of(file).particles) - 3.0
    count = given.states or count_of_temperatures(given.lowest, given.highest, freedom)
    return geometric_temperatures(given.lowest, given.highest, count)


def ensemble_of(file: RunFile, temperatures: np.ndarray) -> Ensemble:
    """Return the systems of a file, one for each temperature; those of a random model have seeds of their own."""
    begun = start_of(file)
    forces = forces_of(file, begun.units, {})
    systems = [begun.particles, *(_next_system(file, begun.particles, k) for k in range(1, len(temperatures)))]
    wall = file.container
    assert file.run.timestep is not None
    return Ensemble(
        systems,
        forces[0] if forces else None,
        timestep=file.run.timestep,
        thermostat=thermostat_of(file),
        container=None if wall is None else (wall.radius, wall.stiffness),
        device=file.run.device if isinstance(file.run.device, str) else list(file.run.device),
        device_memory=file.run.device_memory,
        grace=file.run.grace,
        redundant=file.run.redundant,
    )


def _next_system(file: RunFile, first: ParticleSet, number: int) -> ParticleSet:
    seed = getattr(file.ic, "seed", None)
    if file.ic is None or seed is None:
        return first.copy()
    return start_of(file.with_model(file.ic.model_copy(update={"seed": seed + number}))).particles

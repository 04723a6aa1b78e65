"""Run of replica exchange from a run file: set up or resumed, advanced, written down."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import trellis.plot as plot
from trellis.config import RunFile
from trellis.config.parameters import changeable_in
from trellis.config.run import DEVICE_PARAMETERS
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.ensembles.temperature_ladder import tuned_temperatures
from trellis.errors import InputError
from trellis.io.exchange_checkpoint import ExchangeCheckpoint, read_exchange_checkpoint, write_exchange_checkpoint
from trellis.io.replica_trajectories import ReplicaTrajectories
from trellis.parallel import world
from trellis.run.exchange_alarm import ExchangeAlarm
from trellis.run.replica_ladder import Ladder, ladder_to_begin
from trellis.run.replica_systems import exchange_from, exchange_to_begin
from trellis.run.session import Origin, RunSession
from trellis.run.stop import Stop
from trellis.run.time_limit import TimeLimit

# Other devices, or more of them, go on with the same bits if they are of the same kind.
MAY_DIFFER = (
    "run.until",
    "run.output",
    "run.checkpoint_every",
    *(f"run.{name}" for name in DEVICE_PARAMETERS),
)
TURN = 1.0  # seconds of steps and exchanges between looks at signals and clocks
ADDED = "replica_exchange.added"
ROUNDS = 4  # short runs of ladder = auto


class ReplicaExchangeRun:
    """A run of replica exchange, which a run file describes.

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
    changes : sequence of str
        What ``--change`` gives, section.key=value, if the run is continued.

    Raises
    ------
    ValueError
        If the parameters or the output folder cannot be used, or another run is under way there. Nothing has been
        written then.
    """

    def __init__(
        self,
        file: RunFile,
        *,
        resume: bool = False,
        overwrite: bool = False,
        limit: TimeLimit | None = None,
        changes: Sequence[str] = (),
    ) -> None:
        if world.ranks() > 1:
            raise InputError("[replica_exchange] runs on one rank: several devices share the systems instead")
        self.session = RunSession(file, resume=resume, overwrite=overwrite, limit=limit, may_differ=MAY_DIFFER)
        self.folder = self.session.folder
        is_new = self.session.origin is Origin.INITIAL_CONDITIONS
        self._found = None if is_new else read_exchange_checkpoint(self.folder.checkpoint)
        self.file = self._changed(changes)
        assert self.file.replica_exchange is not None
        self.parameters = self.file.replica_exchange
        self.exchanges, self._files, self._first_file, self.joining = 0, 0, 0, 0
        if self._found is None:
            self._ladder = ladder_to_begin(self.file)
            self.exchange = exchange_to_begin(self.file, self._ladder)
        else:
            self.exchange, self._ladder = exchange_from(self.file, self._found)
            self.joining = len(self._ladder) - len(Ladder(self._found.states))
            self.exchanges, self._files = self._found.exchanges, self._found.files
            self._first_file = self._files if self.joining else self._found.first_file
        self.ensemble = self.exchange.ensemble
        self.alarm = ExchangeAlarm(self.file.run.energy_alarm, str(self.folder.path))
        self._unwritten: list[ExchangeHistory] = []

    def _changed(self, overrides: Sequence[str]) -> RunFile:
        """Return the parameters from here on, and note what is changed by ``--change``."""
        kept = self.session.kept
        assert kept.replica_exchange is not None
        may_change = [f"replica_exchange.{name}" for name in changeable_in(kept.replica_exchange)]
        for override in overrides:
            if override.partition("=")[0].strip() not in may_change:
                raise InputError(
                    f"--change {override}: in a replica exchange, {', '.join(may_change)} alone may be changed"
                )
        file = self.session.change(overrides)
        before, now = kept.replica_exchange, file.replica_exchange
        assert now is not None
        if self._found is None:
            if now.added:
                raise InputError(f"{ADDED} is given, but a run begins without: add states with --resume --change")
            return file
        if not set(before.added) <= set(now.added):
            raise InputError(f"{ADDED} is {list(now.added)}, but states cannot be taken away: {list(before.added)}")
        there = (set(now.added) - set(before.added)) & set(Ladder(self._found.states).temperatures.tolist())
        if there:
            raise InputError(f"{ADDED} has {min(there):g}, but there is a state of this temperature already")
        self.session.note_changes(self._found.exchanges, self._found.exchanges * self.interval_of(file))
        return file

    @staticmethod
    def interval_of(file: RunFile) -> float:
        """Time from exchange to exchange."""
        assert file.run.timestep is not None
        assert file.replica_exchange is not None
        return file.run.timestep * file.replica_exchange.exchange_every

    @property
    def total(self) -> int:
        """Exchanges of the whole run, after equilibration: those that come until its end."""
        return max(1, round(self.file.run.until / self.interval_of(self.file)))

    @property
    def states(self) -> Ladder:
        """The states, at the temperatures that they have now."""
        return self._ladder.at(self.exchange.temperatures)

    @property
    def degrees_of_freedom(self) -> float:
        """Kinetic ones of a system: kicks and collisions move the centre of mass as well, factors do not."""
        thermostat = self.file.thermostat
        moved = thermostat is not None and thermostat.method in ("langevin", "andersen")
        return 3.0 * len(self.ensemble.particles(0)) - (0 if moved else 3)

    @property
    def begins(self) -> bool:
        """Whether the run has no checkpoint yet."""
        return self._found is None

    def finished(self) -> bool:
        """Return whether the end of the run is reached."""
        return self._found is not None and self.exchanges >= self.total

    def history(self) -> ExchangeHistory:
        """Return what the folder has of the run, since its last states were added."""
        return ExchangeHistory.read(self.folder.exchange_files()[self._first_file :])

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
        session = self.session
        with session.running(self._forget_later):
            if self._found is None:
                if not self._equilibrate(show):
                    return self.alarm.stop or session.stop(checkpoint=False)
                self._write_checkpoint()
            with self._trajectories() as trajectories:
                self._advance(show, trajectories)
            if self.alarm.stop is not None:
                return self.alarm.stop
            self._write_checkpoint()
            if self.exchanges >= self.total:
                self.draw()
                return None
            return session.stop()

    def complete(self) -> None:
        """Finish a run that was killed after its last step: draw its picture, and release the lock."""
        self.session.complete(self.draw)

    def draw(self) -> None:
        """Draw the whole run into its folder."""
        plot.replica_overview(self.history(), self.degrees_of_freedom, self.folder.overview)

    def _forget_later(self) -> None:
        """Delete the history that was written after the checkpoint."""
        kept = [self.folder.exchanges(number) for number in range(self._files)]
        for path in self.folder.exchange_files():
            if path not in kept:
                path.unlink()

    def _equilibrate(self, show: Callable[[str], None]) -> bool:
        """Find the temperatures, if they are not given, and come to equilibrium; return False if stopped before."""
        given = self.parameters
        tuning = given.temperatures is None and given.ladder == "auto"
        if tuning:
            show(f"finding {len(self.exchange.temperatures)} temperatures, {ROUNDS} x {given.equilibration} exchanges")
        for run in range(ROUNDS * tuning + (given.equilibration > 0)):
            if self.session.must_stop():
                return False
            self.session.limit.ready()
            if run < ROUNDS * tuning:
                tuned_temperatures(self.exchange, given.equilibration, 1)
            else:
                self.exchange.run(given.equilibration)
            if self.alarm.look(self.exchange.energies, 0):
                return False
            self.session.limit.step_done()
        return True

    @contextmanager
    def _trajectories(self) -> Iterator[ReplicaTrajectories | None]:
        """Open the files of configurations, if there are to be any; what comes after a checkpoint is taken off them."""
        by = self.parameters.trajectories
        if by is None:
            yield None
            return
        folder = self.folder.trajectories(self._first_file)
        with ReplicaTrajectories(folder, self.exchange, by=by, append=self._found is not None) as files:
            yield files

    def _advance(self, show: Callable[[str], None], trajectories: ReplicaTrajectories | None) -> None:
        turn, session = 1, self.session
        session.limit.ready()
        while self.exchanges < self.total and not session.must_stop():
            began = time.monotonic()
            turn = min(turn, self.total - self.exchanges)
            if trajectories is not None:
                every = self.parameters.trajectory_every
                turn = min(turn, every - self.exchanges % every)
            self._unwritten.append(self.exchange.run(turn))
            self.exchanges += turn
            if self.alarm.look(self.exchange.energies, self.exchanges):
                return
            if trajectories is not None and self.exchanges % every == 0:
                trajectories.write()
            now = time.monotonic()
            session.limit.step_done()
            if session.checkpoint_due():
                self._write_checkpoint()
            rate = turn / max(now - began, 1e-9)
            show(f"exchange {self.exchanges} of {self.total}, {rate:.3g} a second")
            turn = max(1, min(round(rate * TURN), 4 * turn))
            session.limit.ready()

    def _write_checkpoint(self) -> None:
        with self.session.checkpoint():
            if self._unwritten:
                first, *others = self._unwritten
                first.joined(others).write(self.folder.exchanges(self._files))
                self._files += 1
                self._unwritten = []
            write_exchange_checkpoint(self.folder.checkpoint, self.checkpoint())

    def checkpoint(self) -> ExchangeCheckpoint:
        """Return the state of the run."""
        counts = (self.exchanges, self._files, self._first_file)
        return ExchangeCheckpoint(self.states.values, *counts, self.exchange.state())

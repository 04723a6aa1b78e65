"""Session of a run in its output folder: lock, checkpoints, changes, time limit, signals, and why it stops."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path

from trellis.config import RunFile
from trellis.errors import InputError, RunError
from trellis.io.checkpoint import checkpoint_version
from trellis.output.folder import MAY_DIFFER, OutputFolder
from trellis.parallel import world
from trellis.parallel.sites import DeferredFlags, is_site_first, on_site_firsts, site_firsts
from trellis.run.changes import Change, as_in_folder, changed, changes_between, write_changes
from trellis.run.lock import RunLock
from trellis.run.site_copies import SiteCopies
from trellis.run.stop import Stop, stopped, stopped_by
from trellis.run.time_limit import OUT_OF_TIME, TimeLimit
from trellis.simulation.signals import SignalState, deferred_signals

FIRST_CHECKPOINT = 2.0
"""Seconds until the first checkpoint of a run over several sites, if it costs little."""

COST = 10.0
"""Seconds between checkpoints, over those that one takes, while they are more frequent than asked for."""

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


class Origin(Enum):
    """The state that a run goes on from."""

    INITIAL_CONDITIONS = auto()
    CHECKPOINT = auto()
    CHANGED_CHECKPOINT = auto()  # with other parameters from there on


class Reason(Enum):
    """The reason why a run stops before its end."""

    NONE = auto()
    SIGNAL = auto()
    TIME_LIMIT = auto()


class RunSession:
    """The part of a run that is the same for whatever it computes: what it may write, and when, and when it stops.

    All ranks make the same calls, and the first one minds the folder; of several sites, the first site has all that is
    written, and the others copies of what a run is resumed from.

    Parameters
    ----------
    file : RunFile
        The parameters as given.
    resume : bool
        Continue the run in the output folder from its last checkpoint; from its beginning if it has none yet.
    overwrite : bool
        Replace the run that is in the output folder.
    limit : TimeLimit, optional
        When the run has to have ended.
    may_differ : sequence of str
        Parameters, by full names, that may differ from those of the run that is continued.

    Attributes
    ----------
    folder : OutputFolder
        The files of the run.
    limit : TimeLimit
        As given, or without end.
    origin : Origin
        What the run goes on from.
    kept : RunFile
        The parameters until there.
    file : RunFile
        The parameters from there on: see `change`.
    changes : list of Change
        What was changed on the way: see `note_changes`.
    lock : RunLock
        Held by this run while it is `running`.
    copies : SiteCopies
        Copies of checkpoints at the other sites.
    signals : SignalState
        What signals have asked for.
    reason : Reason
        Why the run stops before its end.

    Raises
    ------
    ValueError
        If the output folder cannot be used, or another run is under way there. Nothing has been written then.
    """

    def __init__(
        self,
        file: RunFile,
        *,
        resume: bool = False,
        overwrite: bool = False,
        limit: TimeLimit | None = None,
        may_differ: Sequence[str] = MAY_DIFFER,
    ) -> None:
        self.folder = OutputFolder(Path(file.run.output))
        self.limit = limit or TimeLimit()
        self.lock = RunLock(self.folder.lock)
        self.copies = SiteCopies(self.folder)
        self.signals = SignalState()
        self.reason = Reason.NONE
        self._flags = DeferredFlags("RunSession")
        self._overrides: Sequence[str] = ()
        self._began = self._last_checkpoint = time.monotonic()
        self._writing = 0.0  # seconds that a checkpoint took at most
        self._limit_near = ""  # the name of this rank's limit, once it is near

        def look() -> tuple[tuple[int, int] | None, RunFile, list[Change]]:
            if not resume:
                self.folder.check_new(file, overwrite=overwrite)
                return None, file, []
            kept, changes = as_in_folder(file, self.folder, may_differ)
            return checkpoint_version(self.folder.checkpoint), kept, changes

        self._look = look
        on_site_firsts(self.lock.check_free)
        if resume:
            self.copies.agree()
        self._found, self.kept, self.changes = on_site_firsts(look)
        self.file = self.kept
        self.origin = Origin.INITIAL_CONDITIONS if self._found is None else Origin.CHECKPOINT

    def change(self, overrides: Sequence[str]) -> RunFile:
        """Return the parameters from here on, with those changed that ``--change`` gives, section.key=value.

        Raises
        ------
        ValueError
            If one cannot be changed, or there is no checkpoint to go on from with others.
        """
        self._overrides = overrides
        self.file = changed(self.kept, overrides)
        if self.file != self.kept:
            if self.origin is Origin.INITIAL_CONDITIONS:
                raise InputError(
                    f"--change {overrides[0]}: there is no checkpoint in '{self.folder.path}' yet: begin again with"
                    " --overwrite"
                )
            self.origin = Origin.CHANGED_CHECKPOINT
        return self.file

    def note_changes(self, step: int, time: float, snapshot_shift: int = 0) -> None:
        """Add what is changed now, at a checkpoint, to what was changed before."""
        self.changes += changes_between(self.kept, self.file, step, time, snapshot_shift)

    @contextmanager
    def running(self, forget_later: Callable[[], None]) -> Iterator[None]:
        """Hold the folder, and heed signals: SIGINT, SIGTERM and SIGHUP to stop, SIGUSR1 to write a checkpoint.

        Parameters
        ----------
        forget_later : callable
            Deletes what a run that is continued has written after its checkpoint.

        Raises
        ------
        ValueError
            If another run has taken the folder since this session began.
        """

        def begin() -> None:
            if self._look()[0] != self._found:
                raise InputError(
                    f"the run in '{self.folder.path}' has gone on since its checkpoint was read: begin again"
                )
            self.folder.forget_temporary()
            if self.origin is Origin.INITIAL_CONDITIONS:
                self.folder.begin(self.file)
                return
            if self.origin is Origin.CHANGED_CHECKPOINT:
                write_changes(self.folder.changes, self.changes)
            self.folder.keep(self.file)
            forget_later()

        with deferred_signals(*SIGNALS) as self.signals, self.lock:
            self.signals.out_of_time = self._out_of_time
            on_site_firsts(begin)
            with self._saying_how_to_go_on():
                yield

    @contextmanager
    def _saying_how_to_go_on(self) -> Iterator[None]:
        """Add to the sentence about a site that has left the run from which checkpoint the others go on, and how."""
        several = len(site_firsts()) > 1
        try:
            yield
        except RunError as error:
            if not several or not str(error).startswith("the site "):
                raise
            step = self.copies.step()
            last = f"the checkpoint of step {step}" if step >= 0 else "the beginning, since there is no checkpoint yet"
            raise RunError(
                f"{error}; with --resume, on the same sites or on those that are left (sites.ring), the run in"
                f" '{self.folder.path}' goes on from {last}"
            ) from None

    @contextmanager
    def checkpoint(self) -> Iterator[None]:
        """Surround the writing of a checkpoint, which must still be allowed to this run; note how long it takes."""
        began = time.monotonic()
        world.on_first(self.lock.check_held)
        yield
        self._last_checkpoint = time.monotonic()
        self._writing = max(self._writing, self._last_checkpoint - began)
        self.limit.checkpoint_took(self._writing)
        self.copies.send()

    def checkpoint_due(self) -> bool:
        """Return whether this rank asks for a checkpoint: by the clock, by a signal, or to know how long it takes."""
        waited = time.monotonic() - self._last_checkpoint
        due = world.rank() == 0 and waited >= self._checkpoint_every()
        lacks = is_site_first() and self.limit.lacks_checkpoint()
        wanted, self.signals.checkpoint = due or lacks or self.signals.checkpoint, False
        if wanted:
            self._last_checkpoint = time.monotonic()  # of several sites, the others know a step later
        return wanted

    def _checkpoint_every(self) -> float:
        """Return the seconds between checkpoints: fewer at first in a run over several sites, of which one may be lost.

        Then a loss costs at most as long again as the run has taken, and checkpoints a tenth of the time.
        """
        every = self.file.run.checkpoint_every
        if len(site_firsts()) == 1:
            return every
        so_far = self._last_checkpoint - self._began
        return min(every, max(so_far, FIRST_CHECKPOINT, COST * (self._writing + self.copies.seconds())))

    def step_done(self) -> bool:
        """Return whether a checkpoint is to be written after this step; all ranks decide it, and whether to stop."""
        self.limit.step_done()
        self.limit.checkpoint_took(self._writing + self.copies.seconds())
        wanted = self.checkpoint_due()
        steps = min(len(site_firsts()), 2)  # that come before all sites know
        near = is_site_first() and self.limit.near(steps)  # the earliest limit counts
        self._limit_near = self.limit.name if near else ""
        save, stop = self._flags.any(wanted, near)
        if stop:
            self.reason = Reason.TIME_LIMIT
        return save and not stop

    def _out_of_time(self) -> bool:
        """Return whether the limit of this rank leaves no time to finish the step under way."""
        over = self.limit.over()
        if over:
            self._limit_near = self.limit.name
        return over

    def must_stop(self) -> bool:
        """Return whether a signal or the time limit stops a run on one rank before its next step."""
        if self.signals.stop:
            self.reason = Reason.SIGNAL
        elif self.limit.near():
            self.reason, self._limit_near = Reason.TIME_LIMIT, self.limit.name
        return self.reason is not Reason.NONE

    def stop(self, *, checkpoint: bool = True) -> Stop:
        """Return why the run has stopped, with a checkpoint or before its first; all ranks call this."""
        if self.reason is Reason.TIME_LIMIT or self.signals.ran_out:
            before = f"before {self._limit_that_came()}"
            if self.signals.ran_out and not self.limit.has_seen_step():
                before += " and the end of a first step, which needs a longer limit or a shorter steps.longest,"
            return stopped(self.folder.path, before, OUT_OF_TIME, checkpoint=checkpoint)
        came = next(each for each in world.gather(self.signals.signal) if each is not None)
        return stopped_by(self.folder.path, came, checkpoint=checkpoint)

    def _limit_that_came(self) -> str:
        names = world.gather(self._limit_near)
        rank = next(rank for rank, name in enumerate(names) if name)
        firsts, sites = site_firsts(), self.file.sites
        return names[rank] + ("" if sites is None or len(firsts) == 1 else f" at {sites.ring[firsts.index(rank)]}")

    def complete(self, draw: Callable[[], None], *, pictured: bool = True) -> None:
        """Finish a run that was killed after its last step: draw its picture, if it has one, and release the lock.

        Raises
        ------
        ValueError
            If parameters are to be changed, but no step is left.
        """
        folder = self.folder
        if self._overrides:
            raise InputError(
                f"--change {self._overrides[0]}: the run in '{folder.path}' is complete, but goes on with a later"
                " run.until"
            )
        drawn = not pictured or folder.overview.exists()
        resumed = self.origin is not Origin.INITIAL_CONDITIONS
        if resumed and world.on_first(lambda: folder.lock.exists() or not drawn):
            with self.lock:
                on_site_firsts(folder.forget_temporary)
                draw()

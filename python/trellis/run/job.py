"""One run of a parameter file: set up or resumed, advanced, written down."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import trellis.plot as plot
from trellis._core import Cosmology
from trellis.config import RunFile
from trellis.errors import InputError, RunError
from trellis.io import Checkpoint, read_checkpoint, write_checkpoint, write_snapshot
from trellis.io.checkpoint import checkpoint_version
from trellis.io.gadget_write import check_snapshot
from trellis.io.snapshot_content import SnapshotContent
from trellis.output.energy_log import EnergyLog
from trellis.output.folder import OutputFolder
from trellis.parallel import world
from trellis.parallel.sites import DeferredFlags, is_site_first, on_site_firsts, set_site_speeds, site_firsts
from trellis.run.changes import Change, as_in_folder, changed, changes_between, write_changes
from trellis.run.energy_alarm import ALARM, EnergyAlarm
from trellis.run.ingredients import Start, forces_of, start_of, thermostat_of
from trellis.run.lock import RunLock
from trellis.run.site_copies import SiteCopies
from trellis.run.site_speeds import measure_site_speeds
from trellis.run.sites_log import SitesLog
from trellis.run.snapshot_times import SnapshotTimes
from trellis.run.stop import Stop, stopped, stopped_by
from trellis.run.time_limit import OUT_OF_TIME, TimeLimit
from trellis.simulation import Simulation
from trellis.simulation.engine import Engine
from trellis.simulation.expansion import forces_in_space
from trellis.simulation.signals import SignalState, deferred_signals
from trellis.simulation.stop_times import check_ahead


class Job:
    """A run as a parameter file describes it.

    Of several ranks, which make the same calls, the first one minds the folder; of several sites, the first site has
    all that is written, and the others copies of what a run is resumed from.

    Parameters
    ----------
    file : RunFile
        The parameters.
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
        If the parameters, the initial conditions or the output folder cannot be used, or another run is under way
        there. Nothing has been written then.
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
        self._kept = file
        self.folder = OutputFolder(Path(file.run.output))
        self.limit = limit or TimeLimit()
        self._resume, self._overwrite = resume, overwrite
        self._lock = RunLock(self.folder.lock)
        self._wishes = SignalState()
        self._out_of_time = self._limit_near = False
        self._last_checkpoint = time.monotonic()
        self._last_snapshot = -1
        self._writing = 0.0  # seconds that a checkpoint took at most
        on_site_firsts(self._lock.check_free)
        self._copies = SiteCopies(self.folder)
        self._flags = DeferredFlags("Job")
        if resume:
            self._copies.agree()
        self._found, self._kept, self._changes = on_site_firsts(self._check_folder)
        self._continue = self._found is not None
        file = self.file = changed(self._kept, changes)
        self.at_sites = file.sites is not None and file.sites.snapshots == "each" and len(site_firsts()) > 1
        begun = read_checkpoint(self.folder.checkpoint) if self._continue else start_of(file)
        self._measures_speeds = file.sites is not None and file.sites.speeds == "measured"
        if self._measures_speeds and isinstance(begun, Checkpoint):
            set_site_speeds(begun.site_speeds)
        self.units = begun.units
        self.units_assumed = isinstance(begun, Start) and begun.units_assumed
        if file.gravity is not None and file.gravity.G is not None:
            self.units = replace(begun.units, constant=file.gravity.G)
        self._note_changes(begun)
        sizes = begun.sizes[0] if isinstance(begun, Checkpoint) and begun.sizes and not self._other_forces else {}
        forces = forces_of(file, self.units, sizes)
        where: Any = file.run.model_dump(
            include={"device", "device_memory", "spares", "grace", "redundant", "resident", "keep_order"}
        )
        where["thermostat"] = thermostat_of(file)
        where |= self._space(begun)
        if isinstance(begun, Checkpoint):
            if self._other_forces:
                acting = forces_in_space(forces, begun.particles, self.cosmology)
                begun = Engine(acting, file.run.timestep, **where).with_other_forces(begun)
            self.simulation = Simulation.resume(begun, forces, file.run.timestep, **where)
        else:
            when: dict[str, Any] = {"time" if self.cosmology is None else "scale_factor": begun.time}
            self.simulation = Simulation(begun.particles, forces, file.run.timestep, **when, **where)
        check_ahead(self.simulation, file.run.until)
        self._snapshots = SnapshotTimes(file.run, self.simulation.initial_time)
        self._snapshots.note_outside()
        self._check_content()
        self.alarm = EnergyAlarm(file.run, forces, self.folder.energy_alarm)
        if self._continue:
            self.alarm.resume(self.simulation.step_count)

    def _space(self, begun: Checkpoint | Start) -> dict[str, Any]:
        """Return by what space expands, if it does, and the length of steps in ln a."""
        section = self.file.cosmology
        self.units = replace(self.units, comoving=section is not None)
        self.cosmology: Cosmology | None = None
        if section is None:
            return {}
        self.cosmology = section.cosmology(self.units)
        start = begun.initial_time if isinstance(begun, Checkpoint) else begun.time
        log_step = None
        if section.steps is not None and self.file.run.until > start:
            log_step = math.log(self.file.run.until / start) / section.steps
        return {"cosmology": self.cosmology, "log_step": log_step}

    def _check_folder(self) -> tuple[tuple[int, int] | None, RunFile, list[Change]]:
        """Raise a ValueError if the run must not write there.

        Return what checkpoint it goes on from, if any, its parameters until then, and what was changed on the way.
        """
        if not self._resume:
            self.folder.check_new(self._kept, overwrite=self._overwrite)
            return None, self._kept, []
        kept, changes = as_in_folder(self._kept, self.folder)
        return checkpoint_version(self.folder.checkpoint), kept, changes

    def _note_changes(self, begun: Checkpoint | Start) -> None:
        """Add what is changed now to what was changed before, and see what follows from it."""
        self._snapshot_shift = self._changes[-1].snapshot_shift if self._changes else 0
        self._newly_changed = self.file != self._kept
        self._other_forces = False
        if not isinstance(begun, Checkpoint):
            if self._newly_changed:
                raise InputError(f"there is no checkpoint in '{self.folder.path}' yet: begin anew with --overwrite")
            return
        if self._newly_changed:
            timestep = begun.step_allowed if math.isfinite(begun.step_allowed) else 0.0
            timestep *= begun.time if self.file.cosmology is not None else 1.0  # from ln a to a
            before, after = (
                SnapshotTimes(each.run, begun.initial_time).last_due(begun.time, begun.step_count, timestep)
                for each in (self._kept, self.file)
            )
            self._snapshot_shift += before - after
            self._changes += changes_between(self._kept, self.file, begun.step_count, begun.time, self._snapshot_shift)
        # also where a run was killed between the note of a change and its first checkpoint
        self._other_forces = any(each.of_force() and each.step == begun.step_count for each in self._changes)

    def _check_content(self) -> None:
        """Raise a ValueError if snapshots cannot be as the parameters want them."""
        try:
            check_snapshot(self.simulation.particles, SnapshotContent(**self.file.snapshots.model_dump()))
        except InputError as error:
            raise InputError(f"[snapshots]: {error}") from None

    def finished(self) -> bool:
        """Return whether the end of the run is reached."""
        return self.simulation.reached(self.file.run.until)

    def run(self, *, progress: bool = False) -> Stop | None:
        """Advance to the end, or to the end of a step in which a signal, the time limit or the energy alarm stops it.

        SIGINT, SIGTERM and SIGHUP stop it with a checkpoint, and SIGUSR1 has it write one and go on.

        Returns
        -------
        Stop or None
            Why it stopped; None if it came to its end.

        Raises
        ------
        ValueError
            If another run has taken the folder in the meantime, or the energy at the start is not finite. Nothing has
            been written then.
        RuntimeError
            If a file cannot be written to the end. The last checkpoint is still there.
        """
        if not self._continue:
            self._check_start()
            if self._measures_speeds:
                measure_site_speeds(self.simulation)
        signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
        with deferred_signals(*signals) as self._wishes, self._lock:
            if self._continue:
                self._last_snapshot = self._last_due()
            on_site_firsts(self._begin_folder)
            steps, every = self.simulation.step_count, self.file.run.log_every
            last_line = steps - steps % every if self._continue else -1
            self._sites_log = SitesLog(self.folder.sites_log, keep_until=last_line)
            with EnergyLog(self.folder.energy_log, keep_until=last_line) as log:
                self._advance(log, progress=progress)
            self._draw()
        return None if self.finished() and not self.alarm.ended else self._stop()

    def _check_start(self) -> None:
        energies = self.simulation.energies()
        if not math.isfinite(energies.conserved):
            raise InputError(
                f"the energy at the start is {energies.conserved:g} (kinetic {energies.kinetic:g}, potential"
                f" {energies.potential:g}, external {energies.external:g}, internal {energies.internal:g}), but must be"
                " finite: look for particles too near to each other, and values too large or too small for their units"
            )

    def complete(self) -> None:
        """Make up for what a run that has reached its end was killed before: its picture, and the end of its lock."""
        folder = self.folder
        drawn = self.at_sites or folder.overview.exists()
        if self._continue and world.on_first(lambda: folder.lock.exists() or not drawn):
            with self._lock:
                on_site_firsts(folder.forget_temporary)
                self._draw()

    def _draw(self) -> None:
        ended_well = self.finished() and not self.alarm.ended
        # a run that was resumed from a checkpoint alone may have written none
        if ended_well and world.rank() == 0 and not self.at_sites and self.folder.snapshots():
            plot.overview(self.folder.path, self.folder.overview)

    def _advance(self, log: EnergyLog, *, progress: bool) -> None:
        simulation = self.simulation
        if not self._continue:
            self._record(log)
        if not self._continue or self._other_forces:
            self._write_checkpoint(log)
        self.limit.ready()
        try:
            simulation.run(
                until=self.file.run.until,
                progress=progress,
                callbacks=[(1, lambda _: self._end_step(log))],
                stops=self._snapshots.to_meet(),
            )
        except InputError as error:  # was fine at the start: particles have come to nothing finite, say
            raise RunError(
                f"the run failed after step {simulation.step_count}: {error}; the last"
                f" checkpoint is still in '{self.folder.path}', and shorter steps may help"
            ) from None
        self._write_checkpoint(log)
        self._copies.finish()
        if self.alarm.ended:
            self._write_snapshot(self._last_snapshot + 1, whole=True)

    def _stop(self) -> Stop:
        if self.alarm.ended:
            return Stop(
                f"{self.alarm.sentence()}: this state is in '{self.folder.snapshot(self._last_snapshot)}', and the"
                " checkpoint that --resume goes on from is of before",
                ALARM,
            )
        if self._out_of_time:
            return stopped(self.folder.path, f"before {self._limit_that_came()}", OUT_OF_TIME)
        came = next(each for each in world.gather(self._wishes.signal) if each is not None)
        return stopped_by(self.folder.path, came)

    def _limit_that_came(self) -> str:
        names = world.gather(self.limit.name if self._limit_near else "")
        rank = next(rank for rank, name in enumerate(names) if name)
        firsts = site_firsts()
        where = "" if self.file.sites is None or len(firsts) == 1 else f" at {self.file.sites.ring[firsts.index(rank)]}"
        return names[rank] + where

    def _begin_folder(self) -> None:
        if self._check_folder()[0] != self._found:
            raise InputError(f"the run in '{self.folder.path}' has gone on since its checkpoint was read: begin again")
        self.folder.forget_temporary()
        if self._continue:
            if self._newly_changed:
                write_changes(self.folder.changes, self._changes)
            self.folder.keep(self.file)
            self.folder.forget_after(self._last_snapshot + 1)
            self.alarm.forget_later()
        else:
            self.folder.begin(self.file)

    def _end_step(self, log: EnergyLog) -> None:
        """Write what is due after a step; see whether there is time for another."""
        self._record(log)
        self.limit.step_done()
        self.limit.checkpoint_took(self._writing + self._copies.seconds())
        waited = time.monotonic() - self._last_checkpoint
        due = world.rank() == 0 and waited >= self.file.run.checkpoint_every  # by its clock
        lacks = is_site_first() and self.limit.lacks_checkpoint()
        wished, self._wishes.checkpoint = due or lacks or self._wishes.checkpoint, False
        if wished:
            self._last_checkpoint = time.monotonic()  # or asked for, which sites hear of a step later
        steps = min(len(site_firsts()), 2)  # to come before all sites know
        self._limit_near = is_site_first() and self.limit.near(steps)  # the earliest limit counts
        save, stop = self._flags.any(wished, self._limit_near)
        if save and not stop:
            self._write_checkpoint(log)
        self._out_of_time = stop
        self._wishes.agreed = stop or self.alarm.ended
        self.limit.ready()

    def _record(self, log: EnergyLog) -> None:
        simulation, parameters = self.simulation, self.file.run
        if simulation.step_count % parameters.log_every == 0:
            self.alarm.look(simulation, log.record(simulation))
            self._sites_log.record(simulation.step_count)
        number = self._last_due()
        if number > self._last_snapshot:
            self._write_snapshot(number)

    def _write_snapshot(self, number: int, *, whole: bool = False) -> None:
        self._last_snapshot = number
        on_site_firsts(self._lock.check_held)
        self.snapshot(self.folder.snapshot(number), whole=whole)

    def snapshot(self, path: Path, *, whole: bool = False) -> None:
        """Write a snapshot of the particles as they are now, with what [snapshots] asks for or, whole, with all."""
        now, content = self.simulation, {} if whole else self.file.snapshots.model_dump()
        where: Any = {"units": self.units, "cosmology": self.cosmology, "files": self.file.run.files}
        where["at_sites"] = self.at_sites
        write_snapshot(path, now.particles, time=now.time, **where, **content)

    def last_snapshot(self) -> int:
        """Return the number of the last snapshot that has been written; -1 before the first."""
        return self._last_due() if self._continue else -1

    def last_snapshot_at_end(self, step_count: int) -> int:
        """Return the number of the last snapshot of the run, which ends after so many steps."""
        until, timestep = self.file.run.until, self.simulation.timestep
        return self._snapshot_shift + self._snapshots.last_due(until, step_count, timestep)

    def _last_due(self) -> int:
        now = self.simulation
        return self._snapshot_shift + self._snapshots.last_due(now.time, now.step_count, now.timestep)

    def _write_checkpoint(self, log: EnergyLog) -> None:
        if self.alarm.refuses(self.simulation):
            return
        began = time.monotonic()
        world.on_first(self._lock.check_held)
        log.sync()  # on the disk before a checkpoint that relies on it
        self._sites_log.complete()
        write_checkpoint(self.folder.checkpoint, self.simulation.state(self.units), files=self.file.run.files)
        self._last_checkpoint = time.monotonic()
        self._writing = max(self._writing, self._last_checkpoint - began)
        self.limit.checkpoint_took(self._writing)
        self._copies.send()

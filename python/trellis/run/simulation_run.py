"""Run of a simulation from a run file: set up or resumed, advanced, written down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import trellis.plot as plot
from trellis._core import (
    DeviceOptions,
    Force,
    Gravity,
    IndividualSteps,
    Sph,
    Thermostat,
)
from trellis.config import RunFile
from trellis.errors import InputError, RunError
from trellis.io import Checkpoint, read_checkpoint, write_checkpoint, write_snapshot
from trellis.io.gadget_write import check_snapshot
from trellis.io.snapshot_content import SnapshotContent
from trellis.notes import warn
from trellis.output.energy_log import EnergyLog, columns_of
from trellis.output.rung_log import RungLog
from trellis.parallel import world
from trellis.parallel.sites import on_site_firsts, set_site_speeds, site_firsts
from trellis.run.energy_alarm import ALARM, EnergyAlarm
from trellis.run.halo_forecast import HaloForecast
from trellis.run.ingredients import Start, barostat_of, forces_of, start_of, thermostat_of
from trellis.run.session import Origin, Reason, RunSession
from trellis.run.site_speeds import measure_site_speeds
from trellis.run.sites_log import SitesLog
from trellis.run.snapshot_times import SnapshotTimes
from trellis.run.stop import Stop
from trellis.run.time_limit import TimeLimit
from trellis.simulation import Simulation
from trellis.simulation.diagnostics import of_molecules
from trellis.simulation.engine import Engine, step_lengths
from trellis.simulation.expansion import forces_in_space
from trellis.simulation.stop_times import check_ahead


class SimulationRun:
    """A run of a simulation, which a run file describes.

    All ranks make the same calls.

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
        self.session = RunSession(file, resume=resume, overwrite=overwrite, limit=limit)
        self.folder = self.session.folder
        file = self.file = self.session.change(changes)
        begun = start_of(file) if self._is_new() else read_checkpoint(self.folder.checkpoint)
        self.units_assumed = isinstance(begun, Start) and begun.units_assumed
        constant = begun.units.constant if file.gravity is None or file.gravity.G is None else file.gravity.G
        self.units = replace(begun.units, constant=constant, comoving=file.cosmology is not None)
        self.cosmology = None if file.cosmology is None else file.cosmology.cosmology(self.units)
        self._snapshot_shift = self.session.changes[-1].snapshot_shift if self.session.changes else 0
        if isinstance(begun, Checkpoint):
            self._note_changes(begun)
            if self._speeds_are_measured():
                set_site_speeds(begun.site_speeds)
        forces = forces_of(file, begun.particles, self.units, self._sizes(begun))
        thermostat = thermostat_of(file)
        self.simulation = self._simulation(begun, forces, thermostat)
        check_ahead(self.simulation, file.run.until)
        self._last_snapshot = -1
        self._snapshots = SnapshotTimes(file.run, self.simulation.initial_time)
        self._snapshots.note_outside()
        self._check_content()
        self.alarm = EnergyAlarm(file.run, forces, begun.particles, self.folder.energy_alarm)
        if not self._is_new():
            self.alarm.resume(self.simulation.step_count)

    @property
    def at_sites(self) -> bool:
        """Whether each site writes the snapshots of its own particles."""
        sites = self.file.sites
        return sites is not None and sites.snapshots == "each" and len(site_firsts()) > 1

    def _is_new(self) -> bool:
        return self.session.origin is Origin.INITIAL_CONDITIONS

    def _speeds_are_measured(self) -> bool:
        return self.file.sites is not None and self.file.sites.speeds == "measured"

    def _has_other_forces(self, step_count: int) -> bool:
        """Return whether forces have changed at this step; also of a run killed before its first checkpoint since."""
        return any(each.of_force() and each.step == step_count for each in self.session.changes)

    def _sizes(self, begun: Checkpoint | Start) -> dict[str, int]:
        """Return the sizes of groups and leaves that gravity had at the checkpoint, unless its parameters changed."""
        if isinstance(begun, Start) or not begun.sizes or self._has_other_forces(begun.step_count):
            return {}
        return begun.sizes[0]

    def _simulation(self, begun: Checkpoint | Start, forces: list[Force], thermostat: Thermostat | None) -> Simulation:
        """Return the simulation, from its beginning or from a checkpoint."""
        file = self.file
        devices, where = file.run.devices(), file.run.model_dump(include={"resident", "keep_order"})
        barostat = barostat_of(file)
        where |= {"thermostat": thermostat, "barostat": barostat, "cosmology": self.cosmology}
        own, log_step = file.steps, self._log_step(begun)
        timestep = file.run.timestep if own is None else IndividualSteps(**own.model_dump())
        if isinstance(begun, Start):
            when: dict[str, Any] = {"time" if self.cosmology is None else "scale_factor": begun.time}
            return Simulation(begun.particles, forces, timestep, log_step=log_step, **when, **where, **devices)
        if self._has_other_forces(begun.step_count):
            options = DeviceOptions(**devices)
            acting = forces_in_space(forces, begun.particles, self.cosmology, options)
            how = file.run.resident, file.run.keep_order, thermostat, barostat, self.cosmology
            begun = Engine(acting, options, *how, *step_lengths(timestep, log_step)).with_other_forces(begun)
        return Simulation.resume(begun, forces, timestep, log_step=log_step, **where, **devices)

    def _log_step(self, begun: Checkpoint | Start) -> float | None:
        """Return the length of steps in ln a, if their number is given."""
        start = begun.initial_time if isinstance(begun, Checkpoint) else begun.time
        section, until = self.file.cosmology, self.file.run.until
        if section is None or section.steps is None or until <= start:
            return None
        return math.log(until / start) / section.steps

    def _note_changes(self, begun: Checkpoint) -> None:
        """Note what is changed at the checkpoint; snapshots go on from their number, whatever their times are now."""
        if self.session.origin is not Origin.CHANGED_CHECKPOINT:
            return
        timestep = begun.step_allowed if math.isfinite(begun.step_allowed) else 0.0
        timestep *= begun.time if self.file.cosmology is not None else 1.0  # from ln a to a
        before, after = (
            SnapshotTimes(each.run, begun.initial_time).last_due(begun.time, begun.step_count, timestep)
            for each in (self.session.kept, self.file)
        )
        self._snapshot_shift += before - after
        self.session.note_changes(begun.step_count, begun.time, self._snapshot_shift)

    def _check_content(self) -> None:
        """Raise a ValueError if snapshots cannot have what the parameters ask for."""
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
        if self._is_new():
            self._check_start()
            for note in self.notes():
                if world.rank() == 0:
                    warn(note)
            if self._speeds_are_measured():
                measure_site_speeds(self.simulation)
        else:
            self._last_snapshot = self._last_due()
        with self.session.running(self._forget_later):
            steps, every = self.simulation.step_count, self.file.run.log_every
            last_line = -1 if self._is_new() else steps - steps % every
            self._sites_log = SitesLog(self.folder.sites_log, keep_until=last_line)
            with ExitStack() as files:
                own = EnergyLog(self.folder.energy_log, columns_of(self.simulation), keep_until=last_line)
                log = files.enter_context(own)
                self._rung_log = self._begin_rung_log(files)
                self._advance(log, progress=progress)
            self._draw()
        return None if self.finished() and not self.alarm.ended else self._stop()

    def _begin_rung_log(self, files: ExitStack) -> RungLog | None:
        """Return the log of rungs, which `files` closes; None unless steps are individual."""
        if self.file.steps is None:
            return None
        goes_on = not self._is_new() and self.session.kept.steps is not None
        last_line = self.simulation.step_count if goes_on else -1
        return files.enter_context(RungLog(self.folder.rung_log, self.simulation, keep_until=last_line))

    def notes(self) -> list[str]:
        """Return what is to be said before the run; all ranks call this."""
        note = HaloForecast(self.file, self.simulation, self.cosmology, self.units).note_long_steps()
        return [] if note is None else [note]

    @property
    def units_said(self) -> str:
        """The units of the particles in words; of atoms and charges without gravity, reduced ones."""
        attracted = any(isinstance(force, Gravity | Sph) for force in self.simulation.forces)
        bare = not self.units.have_size and not attracted
        return "reduced units" if bare and of_molecules(self.simulation) else str(self.units)

    def _check_start(self) -> None:
        energies = self.simulation.energies()
        if not math.isfinite(energies.conserved):
            raise InputError(
                f"the energy at the start is {energies.conserved:g} (kinetic {energies.kinetic:g}, potential"
                f" {energies.potential:g}, external {energies.external:g}, internal {energies.internal:g}), but must be"
                " finite: look for particles too near to each other, and values too large or too small for their units"
            )

    def complete(self) -> None:
        """Finish a run that was killed after its last step: draw its picture, and release the lock."""
        self.session.complete(self._draw, pictured=not self.at_sites)

    def _draw(self) -> None:
        ended_well = self.finished() and not self.alarm.ended
        # a run that was resumed from a checkpoint alone may have written none
        if ended_well and world.rank() == 0 and not self.at_sites and self.folder.snapshots():
            try:
                plot.overview(self.folder.path, self.folder.overview)
            except InputError as error:  # such as an earlier snapshot that has been damaged since
                warn(f"the run is complete, but its picture cannot be drawn: {error}")

    def _advance(self, log: EnergyLog, *, progress: bool) -> None:
        simulation = self.simulation
        if self._is_new():
            self._record(log)
        if self._is_new() or self._has_other_forces(simulation.step_count):
            self._write_checkpoint(log)
        self.session.limit.ready()
        try:
            simulation.run(
                until=self.file.run.until,
                progress=progress,
                callbacks=[(1, lambda _: self._end_step(log))],
                stops=self._snapshots.step_ends(),
            )
        except InputError as error:  # such as particles that are no longer finite
            raise RunError(
                f"the run failed after step {simulation.step_count}: {error}; the last"
                f" checkpoint is still in '{self.folder.path}', and shorter steps may help"
            ) from None
        self._write_checkpoint(log)
        self.session.copies.finish()
        if self.alarm.ended:
            self._write_snapshot(self._last_snapshot + 1, whole=True)

    def _stop(self) -> Stop:
        if self.alarm.ended:
            return Stop(
                f"{self.alarm.sentence()}: this state is in '{self.folder.snapshot(self._last_snapshot)}', and the"
                " checkpoint that --resume goes on from is of before",
                ALARM,
            )
        return self.session.stop()

    def _forget_later(self) -> None:
        """Delete what was written after the checkpoint."""
        self.folder.forget_after(self._last_snapshot + 1)
        self.alarm.forget_later()

    def _end_step(self, log: EnergyLog) -> None:
        """Write what is due after a step, and end the run there if it has to."""
        if self._rung_log is not None:
            self._rung_log.record()
        self._record(log)
        if self.session.step_done():
            self._write_checkpoint(log)
        self.session.signals.agreed = self.session.reason is Reason.TIME_LIMIT or self.alarm.ended
        self.session.limit.ready()

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
        on_site_firsts(self.session.lock.check_held)
        self.snapshot(self.folder.snapshot(number), whole=whole)

    def snapshot(self, path: Path, *, whole: bool = False) -> None:
        """Write a snapshot of the particles as they are now, with what [snapshots] asks for or, whole, with all."""
        now, content = self.simulation, {} if whole else self.file.snapshots.model_dump()
        where: Any = {"units": self.units, "cosmology": self.cosmology, "files": self.file.run.files}
        where["at_sites"] = self.at_sites
        write_snapshot(path, now.particles, time=now.time, **where, **content)

    def last_snapshot(self) -> int:
        """Return the number of the last snapshot that has been written; -1 before the first."""
        return -1 if self._is_new() else self._last_due()

    def last_snapshot_at_end(self, step_count: int) -> int:
        """Return the number of the last snapshot of the run, which ends after `step_count` steps."""
        until, timestep = self.file.run.until, self.simulation.timestep
        return self._snapshot_shift + self._snapshots.last_due(until, step_count, timestep)

    def _last_due(self) -> int:
        now = self.simulation
        return self._snapshot_shift + self._snapshots.last_due(now.time, now.step_count, now.timestep)

    def _write_checkpoint(self, log: EnergyLog) -> None:
        if self.alarm.refuses(self.simulation):
            return
        with self.session.checkpoint():
            for each in (log, self._rung_log):
                if each is not None:
                    each.sync()  # on the disk before a checkpoint that relies on it
            self._sites_log.complete()
            write_checkpoint(self.folder.checkpoint, self.simulation.state(self.units), files=self.file.run.files)

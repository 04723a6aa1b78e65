"""A simulation: particles, forces and a time step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.io.checkpoint import Checkpoint
from trellis.parallel import world
from trellis.parallel.world import collective
from trellis.particles import ParticleSet
from trellis.particles.joining import append, check_own_ids
from trellis.particles.particle_set import check_no_selection
from trellis.particles.summary import Summary, count_in_space
from trellis.simulation.add_remove import newcomers_for, put_back, rows_that_stay
from trellis.simulation.callbacks import callback_pairs
from trellis.simulation.device_keywords import DeviceKeywords, describes_devices, device_options, takes_devices
from trellis.simulation.diagnostics import Diagnostics
from trellis.simulation.energies import Energies
from trellis.simulation.engine import Core, Engine, MadeWith, force_list, step_lengths
from trellis.simulation.expansion import begin_of, forces_in_space, moment
from trellis.simulation.force_notes import note_start
from trellis.simulation.gas_checks import check_gas
from trellis.simulation.progress.live_line import RunProgress
from trellis.simulation.run_loop import step_to
from trellis.simulation.start_seed import with_seeds
from trellis.simulation.step_checks import note_long_steps
from trellis.simulation.step_statistics import StepStatistics
from trellis.simulation.stop_times import RunEnd, time_reached
from trellis.simulation.summary import simulation_summary
from trellis.simulation.threads import computing, in_turn, new_lock
from trellis.units import NBODY, Units

if TYPE_CHECKING:
    from typing_extensions import Unpack


@describes_devices
class Simulation(MadeWith, StepStatistics, Diagnostics):
    """Particles that move under forces, by leapfrog (kick, drift, kick) with one time step for all.

    Under mpirun the ranks share the particles: these may begin on any of them, each on one, and go to the rank in whose
    part of space they are. All ranks call the same methods, in the same order, and get the same numbers; attributes,
    ``repr`` among them, ask no other rank, and a column of `particles` has this rank's part. A method that some ranks
    call and others do not is a RuntimeError on all, which names the calls.

    Between two steps, and in callbacks, `particles` may be changed in any way: the columns that forces read, and the
    box, are compared at each step and by `energies`, and forces are computed again where they differ (`Energies.error`
    counts what that brings). Threads may share a simulation: a method waits while another thread is in one.

    Parameters
    ----------
    particles : ParticleSet
        The particles, which are moved in place; their rows may be reordered (see `keep_order`), ``id`` stays with each.
        Of several simulations of the same particles, only the last one can go on: give others ``particles.copy()``.
    forces : sequence of Force
        The forces, such as `Gravity`, which are summed.
    timestep : float or IndividualSteps, optional
        Time step. If not given, each is as long as the forces allow when it begins, and at most 1.1 times the one
        before; the first is a tenth of that. A gas has Courant's limit, gravity with a softening that of Gadget. Steps
        of different length are not symplectic: orbits of many periods want a fixed one, and so does a resident
        simulation. With `IndividualSteps` each particle has its own, and a step of the simulation is the longest one.
    time : float
        Time of the particles.
    scale_factor : float, optional
        Instead, in expanding space: there it is the time, here and in all methods, `timestep` the growth of it in the
        last step.
    resident : bool
        Keep the particles on the device (method G4), under `Gravity` in open space or `LennardJones` in any, which is
        the first force, and in open space built-in external fields. It computes forces and integration, of gravity also
        the tree and the lists of order 1; the host makes other lists. `particles` is then brought back when it is
        looked at, rows in the order in which they came; changes of positions and velocities there count until the next
        step, those of masses, softenings and kinds at any time. With `spares` or `redundant`, their state is saved here
        in a hundredth of the time, and the steps since then are repeated if the device fails.
    keep_order : bool, optional
        Leave the rows of `particles` in their order. Without it, rows near in space are brought near in memory at
        times, which makes large sets faster. None: kept below 10,000 particles. On several ranks rows are in no order.
    thermostat : Thermostat, optional
        The thermostat; none by default, and none if resident. `Simulation.thermostat` is it, with the seed in use.
    barostat : Barostat, optional
        The barostat, with a thermostat, in a box that is periodic along all axes. `Simulation.barostat` has its seed.
    cosmology : Cosmology, optional
        Space expands by it, under gravity alone, from `scale_factor` on. Positions are comoving, x = r / a; the column
        ``velocity`` has the canonical momentum p = a^2 dx/dt of a unit of mass, p / a being the peculiar velocity; and
        acceleration, potential and softening are those of comoving lengths, without a. Open space has `MeanDensity`
        among its forces.
    log_step : float, optional
        Length of steps in ln a, in expanding space; somewhat shorter at an end. If not given, each is as long as
        gravity allows, 0.03 at most.
    **devices
        The devices that compute: parameters of `DeviceOptions`, described by ``help(trellis.Simulation)``.

    Raises
    ------
    ValueError
        If an argument is out of its range, or a value in a column is not finite.
    """

    @checked_arguments()
    @takes_devices
    def __init__(
        self,
        particles: ParticleSet,
        forces: Sequence[_core.Force],
        timestep: float | _core.IndividualSteps | None = None,
        *,
        time: float = 0.0,
        scale_factor: float | None = None,
        resident: bool = False,
        keep_order: bool | None = None,
        thermostat: _core.Thermostat | None = None,
        barostat: _core.Barostat | None = None,
        cosmology: _core.Cosmology | None = None,
        log_step: float | None = None,
        **devices: Unpack[DeviceKeywords],
    ) -> None:
        options = device_options("Simulation.__init__", devices)
        acting = forces_in_space(force_list(forces), particles, cosmology, options)
        thermostat, barostat = with_seeds(thermostat, barostat, particles)
        lengths = step_lengths(timestep, log_step)
        engine = Engine(acting, options, resident, keep_order, thermostat, barostat, cosmology, *lengths)
        time = begin_of(cosmology, time, scale_factor)
        self._take(particles, engine, time, None)
        self._core: Core = engine.start(particles, time)

    def _take(self, particles: ParticleSet, engine: Engine, time: float, energy: float | None) -> None:
        world.check_launch()
        check_no_selection(particles)
        for name in ("position", "velocity", "mass"):
            particles.check_finite(name)  # before rows are reordered, so that the message has the row of the caller
        check_own_ids(particles.id)
        self._lock, self._computes = new_lock(), False
        self._particles = particles
        self._moved = False  # on the device, since they were last brought back
        self._engine = engine
        check_gas(particles, self.forces, engine.timestep)
        note_start(particles, self.forces, engine.timestep, engine.thermostat)
        self._initial_time, self._initial_energy = time, energy

    @classmethod
    @checked_arguments()
    @takes_devices
    def resume(
        cls,
        state: Checkpoint,
        forces: Sequence[_core.Force],
        timestep: float | _core.IndividualSteps | None = None,
        *,
        resident: bool = False,
        keep_order: bool | None = None,
        thermostat: _core.Thermostat | None = None,
        barostat: _core.Barostat | None = None,
        cosmology: _core.Cosmology | None = None,
        log_step: float | None = None,
        **devices: Unpack[DeviceKeywords],
    ) -> Simulation:
        """Continue from a checkpoint, bit for bit unless forces, baths, steps, devices or ranks are others."""
        simulation = cls.__new__(cls)
        options = device_options("Simulation.resume", devices)
        acting = forces_in_space(force_list(forces), state.particles, cosmology, options)
        seeds = state.thermostat_seed, state.barostat_seed
        thermostat, barostat = with_seeds(thermostat, barostat, state.particles, seeds)
        lengths = step_lengths(timestep, log_step)
        engine = Engine(acting, options, resident, keep_order, thermostat, barostat, cosmology, *lengths)
        state = engine.taking_over(state)
        simulation._take(state.particles, engine, state.initial_time, state.initial_energy)
        simulation._core = engine.resume(state)
        return simulation

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a Simulation cannot be copied or pickled: make another from copies of particles and forces")

    @in_turn
    @collective
    def state(self, units: Units = NBODY) -> Checkpoint:
        """Return the state for `trellis.io.write_checkpoint`; its particles are these: ``copy.deepcopy`` keeps them."""
        self._begin_complete()
        self._core.save(self._particles)
        self._moved = False
        kept = self._engine.kept_of(self._core)
        assert self._initial_energy is not None
        begun = (self.initial_time, self._initial_energy)
        return Checkpoint(self.particles, self.time, self.step_count, *begun, units, self.sizes, **kept)

    @in_turn
    @collective
    def step(self) -> None:
        """Advance by one time step."""
        self._begin()
        self._step(math.inf)

    def _step(self, end: float) -> None:
        self._take_changes()
        self._moved = True
        with computing(self):
            self._engine.step(self._core, self._particles, end)

    @checked_arguments()
    @in_turn
    @collective
    def run(
        self,
        *,
        until: float | None = None,
        steps: int | None = None,
        exact: bool = True,
        progress: bool = False,
        callbacks: Iterable[tuple[int, Callable[[Simulation], object]]] = (),
        stops: Iterable[float] = (),
    ) -> None:
        """Advance step by step, until a time is reached or by a number of steps.

        Ctrl-C (of mpirun, too) stops at the end of a step, over several sites of the next one, by a KeyboardInterrupt,
        and on one site abandons a longest step of individual steps. The simulation can go on from there.

        Parameters
        ----------
        until : float, optional
            Time to reach.
        steps : int, optional
            Number of steps, instead of a time.
        exact : bool
            End exactly at `until`: the last of steps of a fixed length is shorter, or longer by a thousandth of it at
            most. Without, it is as long as the others and may go beyond. Steps that are chosen end there in any case.
        progress : bool
            Show step, time, wall time a step, interactions a second and energy error.
        callbacks : iterable of (int, callable)
            With ``(k, f)``, ``f(simulation)`` is called after every k-th step.
        stops : iterable of float
            Times on the way at which a step ends as well, if their length is not fixed.

        Raises
        ------
        ValueError
            If not just one of `until` and `steps` is given, or one is out of its range; `until` is not before now.
        KeyboardInterrupt
            After the step at which Ctrl-C has stopped the run.
        """
        calls = callback_pairs(callbacks)
        stop_times = [] if until is None or not (exact or self._engine.timestep is None) else [until]
        end = RunEnd(self, until, steps, [*stop_times, *(stops if self._engine.timestep is None else ())])
        if end.reached():
            return
        self._begin()
        step_to(end, self, self._step, calls, RunProgress(self, end) if progress else None)

    @checked_arguments()
    @in_turn
    @collective
    def add(self, particles: ParticleSet) -> None:
        """Add particles between two steps, or in a callback of `run`; ValueError, and no change, if they do not fit.

        They have ids of their own and the fields of those that are there, but for images, what the forces compute, and
        the energies of a gas if they are not gas by their types. The set that is given stays as it is. On several
        ranks each may give some, or none; not if `resident`.

        Lists and the forces on all particles are computed again. The energy that particles bring is added to
        `Energies.initial`, so that `Energies.error` is what the steps alone have changed. A thermostat starts afresh,
        and so do counts, such as `list_use`.
        """
        newcomers = newcomers_for(self._particles, particles, self._engine, self._core)
        self._go_on_with(lambda: append(self._particles, newcomers))

    @checked_arguments()
    @in_turn
    @collective
    def remove(self, ids: int | Sequence[int] | ArrayLike) -> None:
        """Remove the particles of some ids, as `add` adds some; ValueError if one is not there.

        On several ranks those are removed that any rank gives: each may give its own, or all the same.
        """
        stay = rows_that_stay(self._particles, ids)
        self._go_on_with(lambda: self._particles.replace_rows(stay))

    def _go_on_with(self, change: Callable[[], None]) -> None:
        if self._engine.resident:
            raise _core.InputError("resident is true: the particles that stay on a device are the same to the end")
        state = self.state()
        before, energy = self._particles.copy(), self._energies(0.0).conserved
        try:
            change()
            self._core = self._engine.resume_with_other_particles(self._core, state)
        except BaseException:
            put_back(self._particles, before)
            if isinstance(self._core, _core.Simulation):
                self._core.claim_particles()
            raise
        self._initial_energy = state.initial_energy + self._energies(0.0).conserved - energy

    @checked_arguments()
    def reached(self, until: float) -> bool:
        """Return whether the time has come to `until`, up to a thousandth of a step, since times are rounded."""
        return time_reached(self, until)

    @in_turn
    @collective
    def forces_changed(self) -> None:
        """Compute the forces of the particles as they are now, since what the forces depend on has changed.

        Changes of particles are noticed by the next step, by `energies`, and by whatever else needs forces. This is for
        accelerations and potentials that are read at once, and for a function of `External` that has changed. Over
        several sites all ranks call it after a change of particles.
        """
        self._take_changes()
        self._core.forces_changed()
        self._begin()
        self._moved = True

    def _begin(self) -> None:
        """Have the forces of the particles as they are now."""
        self._take_changes()
        if self._initial_energy is None:
            with computing(self):
                self._core.compute_forces()
            self._moved = True
            self._initial_energy = self._energies(0.0).conserved
            if self._engine.timestep is not None:
                note_long_steps(self._core, self.particles, self.forces, self._engine.timestep)
        else:
            with computing(self):
                self._core.ensure_forces()

    def _take_changes(self) -> None:
        """Send to the device what was changed of particles that stay there."""
        if self._engine.take_changes(self._core, self._particles):
            self._moved = True

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now; their forces are those of the last step or `energies`, 0 before the first."""
        with self._lock:
            if self._moved:
                self._core.download(self._particles)
            self._moved = False
            return self._particles

    @property
    def time(self) -> float:
        """Time of the particles."""
        return self._core.time

    @property
    def moment(self) -> str:
        """The time as text: ``t = 1``, or, in expanding space, ``a = 0.5, z = 1``."""
        return moment(self.time, self.cosmology)

    @property
    def initial_time(self) -> float:
        """Time of the particles at the start."""
        return self._initial_time

    @in_turn
    @collective
    def energies(self) -> Energies:
        """Return the energies of the particles as they are now, on all ranks."""
        self._begin_complete()
        assert self._initial_energy is not None
        return self._energies(self._initial_energy).noted(self.particles)

    def _energies(self, initial: float) -> Energies:
        energies = Energies.of(self.particles, self.forces, self._core.bath_energy, initial)
        return energies if self.cosmology is None else energies.expanding(self.time, self._core.expansion_work)

    def __repr__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        return self._summary().html()

    def _summary(self) -> Summary:
        # without asking ranks or a device: of the particles as they were last brought back
        moment = f"time {self.time:g}" if self.cosmology is None else self.moment
        facts = [("particles", count_in_space(self._particles)), *self._engine.described()]
        return simulation_summary(moment, self.step_count, facts)

"""The C++ core of a simulation: built at a start, from a checkpoint, or again after particles were added or removed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from trellis import _core
from trellis.arguments import shown
from trellis.forces.force_marks import force_marks
from trellis.io.checkpoint import Checkpoint
from trellis.parallel import world
from trellis.parallel.sites import site_speeds
from trellis.particles import ParticleSet
from trellis.particles.views import retire
from trellis.simulation.energies import Energies, forget_isothermal, internal_energy, last_internal_energy
from trellis.simulation.expansion import check_expansion
from trellis.simulation.signals import step_is_abandoned
from trellis.simulation.start_seed import seed_of
from trellis.simulation.summary import chosen_device

SMALL_SET = 10_000  # particles; below, rows keep their order: sorting them would gain nothing

Core = _core.Simulation | _core.ResidentSimulation

_last_core: WeakKeyDictionary[ParticleSet, int] = WeakKeyDictionary()  # the owner of particles that stay on a device
_steps: WeakKeyDictionary[ParticleSet, tuple[int, bool]] = WeakKeyDictionary()  # made so far; is the last one complete?


@dataclass(frozen=True)
class Engine:
    """The arguments of a `Simulation`, from which its C++ core is built."""

    forces: list[_core.Force]
    devices: _core.DeviceOptions
    resident: bool
    keep_order: bool | None
    thermostat: _core.Thermostat | None
    barostat: _core.Barostat | None
    cosmology: _core.Cosmology | None = None
    timestep: float | None = None
    log_step: float | None = None
    individual_steps: _core.IndividualSteps | None = None

    def __post_init__(self) -> None:
        check_expansion(
            self.cosmology,
            timestep=self.timestep,
            log_step=self.log_step,
            resident=self.resident,
            thermostat=self.thermostat,
            barostat=self.barostat,
        )
        if self.barostat is not None:
            check_continuous(self.forces)
        if self.individual_steps is not None and self.log_step is not None:
            raise _core.InputError(f"log_step is {self.log_step}, but timestep is {self.individual_steps}: give one")
        if self.individual_steps is not None and self.resident:
            raise _core.InputError("resident is true, but individual time steps are given: allowed is a fixed timestep")

    def start(self, particles: ParticleSet, time: float) -> Core:
        """Return a core for particles whose forces are not known."""
        if not math.isfinite(time):
            raise _core.InputError(f"time is {time}, but must be a finite number")
        core = self._begun(particles, time=time)
        _steps[particles] = 0, True
        return core

    def resume(self, state: Checkpoint) -> Core:
        """Return a core that continues from a checkpoint, bit for bit.

        Raises
        ------
        ValueError
            If a simulation has moved the particles of the state since.
        """
        made, _ = _steps.get(state.particles, (state.step_count, True))
        if made != state.step_count:
            raise _core.InputError(
                f"the state is that after step {state.step_count}, but its particles are those of a simulation that has"
                f" gone on to step {made}: allowed is a copy from then, copy.deepcopy(simulation.state()), or a"
                " checkpoint that was written"
            )
        self._check_bath(state)
        core = self._resumed(state)
        _steps[state.particles] = state.step_count, True
        return core

    def _check_bath(self, state: Checkpoint) -> None:
        if self.thermostat is None or not state.thermostat:
            return
        members = getattr(self.thermostat, "settings", {}).get("length")  # of a chain; others keep the bath's energy
        kind = type(self.thermostat).__name__
        if state.thermostat_kind not in (None, kind) or len(state.thermostat) != 1 + 2 * (members or 0):
            raise _core.InputError(
                f"{self.thermostat} cannot go on from the state of another thermostat"
                f"{'' if state.thermostat_kind in (None, kind) else f', {state.thermostat_kind}'}: begin a simulation"
                " of its particles, Simulation(state.particles, ..., time=state.time)"
            )

    def _resumed(self, state: Checkpoint, replaced_devices: Sequence[str] = ()) -> Core:
        return self._begun(
            state.particles,
            time=state.time,
            initial_time=state.initial_time,
            step_count=state.step_count,
            restored=True,
            thermostat_state=state.thermostat,
            barostat_state=state.barostat,
            domains=state.domains,
            step_allowed=state.step_allowed,
            expansion_work=state.expansion_work,
            replaced_devices=replaced_devices,
        )

    def kept_of(self, core: Core) -> dict[str, Any]:
        """Return what a checkpoint keeps of a core beside particles, time and energy, by the names there."""
        return {
            "domains": core.domain_state,
            "site_speeds": site_speeds(),
            "step_allowed": core.step_allowed,
            "expansion_work": core.expansion_work,
            "thermostat": core.thermostat_state,
            "thermostat_kind": None if self.thermostat is None else type(self.thermostat).__name__,
            "thermostat_seed": seed_of(self.thermostat),
            "barostat": core.barostat_state,
            "barostat_seed": seed_of(self.barostat),
            "forces": self.force_marks,
        }

    @cached_property
    def force_marks(self) -> list[str]:
        """What a checkpoint keeps of the forces."""
        return force_marks(self.forces)

    def resume_with_other_particles(self, core: Core, state: Checkpoint) -> Core:
        """Return a core that goes on from a state to which particles were added, or from which some were removed.

        A thermostat starts afresh, since its bath is that of a number of particles. Devices that `core` has replaced
        are not used again.
        """
        state, replaced = self._with_computed_forces(replace(state, thermostat=[]), _replaced_devices(core))
        return self._resumed(state, replaced_devices=replaced)

    def taking_over(self, state: Checkpoint) -> Checkpoint:
        """Return the state as this engine goes on with it.

        It has the forces of this engine, if it is known to be that of others. If a thermostat acts no longer, the
        conserved energy is that of the particles from here on, without what its bath has taken.
        """
        if state.forces not in (None, self.force_marks):
            state = self.with_other_forces(state)
        if self.thermostat is None and state.thermostat:
            energy = Energies.of(state.particles, self.forces, 0.0, 0.0).conserved
            state = replace(state, thermostat=[], barostat=[], initial_energy=energy)
        return state

    def with_other_forces(self, state: Checkpoint) -> Checkpoint:
        """Return a state that other forces have led to, with the forces of this engine.

        The potential energy that they add, also in external fields, and what a gas that becomes isothermal or has
        another temperature gains are added to the energy at the start, so that `Energies.error` remains what steps have
        changed.
        """
        before = potential_of_all(state.particles) + last_internal_energy(state.particles)
        state, _ = self._with_computed_forces(state)
        gain = potential_of_all(state.particles) + internal_energy(state.particles, self.forces) - before
        forget_isothermal(state.particles, self.forces)
        return replace(state, initial_energy=state.initial_energy + gain, forces=self.force_marks)

    def _with_computed_forces(
        self, state: Checkpoint, replaced: Sequence[str] = ()
    ) -> tuple[Checkpoint, Sequence[str]]:
        """Return the state with forces computed as at a start: its columns are those of other particles or forces.

        Devices that have failed before are `replaced`; these, and those that failed meanwhile, are the second result.
        """
        begun = self._begun(state.particles, time=state.time, replaced_devices=replaced)
        begun.compute_forces()
        begun.save(state.particles)
        domains = begun.domain_state
        replaced = _replaced_devices(begun)
        del begun  # and with it, what it holds of a device's memory
        return replace(state, domains=domains), replaced

    def attach(self, particles: ParticleSet, core: Core) -> None:
        """Add the columns of the forces to particles that are to join those of a core."""
        of_forces = replace(self, thermostat=None, barostat=None)  # these are of all particles
        of_forces._on_host(particles, time=0.0, replaced_devices=_replaced_devices(core))

    def take_changes(self, core: Core, particles: ParticleSet) -> bool:
        """Send to the device what was changed of particles that stay there; return whether there was anything.

        Raises
        ------
        ValueError
            If the particles are those of another simulation that was made of them later.
        """
        if not self.resident:
            return False
        if _last_core.get(particles) != id(core):
            raise _core.InputError(
                "another simulation was made of the particles of this one, which both would move: give it a copy of"
                " them"
            )
        return core.take_changes(particles)

    def step(self, core: Core, particles: ParticleSet, end: float) -> None:
        """Make a step, which ends at a time at the latest; views of rows that it has replaced become read-only."""
        before, complete = core.step_count, _is_complete(particles)
        try:
            core.step(end)
            complete = True
        except BaseException:
            complete = complete and core.step_count == before
            raise
        finally:
            _steps[particles] = core.step_count, complete or self.resident
        retire(particles)

    def check_complete(self, particles: ParticleSet) -> None:
        """Raise a RuntimeError if an error has ended a step in its middle, and no later one has completed it."""
        if not _is_complete(particles):
            raise _core.RunError(
                f"step {_steps[particles][0]} has ended by an error in its middle, where positions and velocities"
                " belong to different times: step() or run(...) completes it"
            )

    def described(self) -> list[tuple[str, str]]:
        """Return facts for a summary: time step, space, forces, thermostat, barostat, devices."""
        length = "as long as the forces allow" if self.timestep is None else f"{self.timestep:g}"
        if self.log_step is not None:
            length = f"{self.log_step:g} in ln a"
        if self.individual_steps is not None:
            length = repr(self.individual_steps)
        facts = [("time step", length), *(("force", f"{force!r}{self._where(force)}") for force in self.forces)]
        if self.cosmology is not None:
            facts.insert(0, ("space", repr(self.cosmology)))
        held = (("thermostat", self.thermostat), ("barostat", self.barostat))
        facts += [(name, repr(given)) for name, given in held if given is not None]
        if (device := chosen_device(self.devices, self.resident)) is not None:
            facts.append(("device", device))
        return facts

    def _where(self, force: _core.Force) -> str:
        """Return a remark on a force that the host computes beside those of a device."""
        beside = ", ".join(self.devices.names) != "host" and not self.resident
        return ", on the host" if beside and "device" not in getattr(force, "settings", {}) else ""

    def _begun(self, particles: ParticleSet, **begun: Any) -> Core:
        return self._resident(particles, **begun) if self.resident else self._on_host(particles, **begun)

    def _on_host(self, particles: ParticleSet, **begun: Any) -> _core.Simulation:
        kept = _kept_order(particles, self.keep_order)
        core = _core.Simulation(particles, self.forces, self._options(keep_order=kept, **begun))
        retire(particles)
        if self.individual_steps is not None:
            core.abandon_steps_when(step_is_abandoned)
        return core

    def _resident(self, particles: ParticleSet, **begun: Any) -> _core.ResidentSimulation:
        for name, given in (("thermostat", self.thermostat), ("barostat", self.barostat)):
            if given is not None:
                raise _core.InputError(f"{name} is {given}, but particles that stay on a device have none")
        core = _core.ResidentSimulation(particles, self.forces, self._options(**begun))
        _last_core[particles] = id(core)
        return core

    def _options(self, **others: Any) -> _core.SimulationOptions:
        options = _core.SimulationOptions()
        options.timestep, options.log_step = self.timestep, self.log_step
        options.individual_steps = self.individual_steps
        options.thermostat, options.barostat = self.thermostat, self.barostat
        options.cosmology = self.cosmology
        options.devices = self.devices
        for name, value in others.items():
            setattr(options, name, value)
        return options


class MadeWith:
    """Arguments of a `Simulation` that it shows."""

    _engine: Engine
    _particles: ParticleSet

    def __setattr__(self, name: str, value: object) -> None:
        of_trellis = hasattr(type(self), name) or type(self).__module__.startswith("trellis.")
        if of_trellis and not name.startswith("_"):
            raise AttributeError(
                f"'{name}' of a simulation cannot be set: what it is made with stays, and its particles can be changed;"
                " another one of them is Simulation(sim.particles, ..., time=sim.time)"
            )
        super().__setattr__(name, value)  # a class that is derived has others

    def _begin(self) -> None:
        raise NotImplementedError

    def _begin_complete(self) -> None:
        """Have the forces of the particles as they are now, at the end of a step."""
        self._engine.check_complete(self._particles)
        self._begin()

    @property
    def forces(self) -> tuple[_core.Force, ...]:
        """The forces, which stay those that it was made with."""
        return tuple(self._engine.forces)

    @property
    def cosmology(self) -> _core.Cosmology | None:
        """The cosmology by which space expands; None if it does not."""
        return self._engine.cosmology

    @property
    def thermostat(self) -> _core.Thermostat | None:
        """The thermostat; None without one."""
        return self._engine.thermostat

    @property
    def barostat(self) -> _core.Barostat | None:
        """The barostat; None without one."""
        return self._engine.barostat


def step_lengths(
    timestep: float | _core.IndividualSteps | None, log_step: float | None
) -> tuple[float | None, float | None, _core.IndividualSteps | None]:
    """Return the last arguments of an `Engine`, from those of a `Simulation`."""
    if isinstance(timestep, _core.IndividualSteps):
        return None, log_step, timestep
    return timestep, log_step, None


def force_list(forces: object) -> list[_core.Force]:
    """Return the forces as a list; ValueError for anything else."""
    if isinstance(forces, (str, _core.Force)) or not isinstance(forces, Iterable):
        raise _core.InputError(f"forces is {shown(forces)}, but must be a list of forces, such as [Gravity()]")
    given = list(forces)
    for force in given:
        if not isinstance(force, _core.Force):
            raise _core.InputError(
                f"a force is {shown(force)}: allowed are forces, such as Gravity(softening=0.01), LennardJones() or"
                " Sph(), or External(function of position and time); tr.interaction makes an interaction of your own"
                " (docs/interactions_in_python.md)"
            )
    return given


def check_continuous(forces: Iterable[_core.Force]) -> None:
    """Raise a ValueError for energies that jump at the cutoff, which moves of the volume see, but forces do not."""
    if any(getattr(each, "settings", {}).get("truncation") == "plain" for each in forces):
        raise _core.InputError(
            "truncation is 'plain': with a barostat, allowed are 'energy-shifted', 'force-shifted' and 'switched'"
        )


def potential_of_all(particles: ParticleSet) -> float:
    """Return the potential energy of the particles of all ranks, that in external fields included."""
    return _core.potential_energy(particles) + _core.external_energy(particles)


def _replaced_devices(core: Core) -> list[str]:
    """Return the names of devices that have failed; none of particles that stay on one, which no others join."""
    return core.replaced_devices if isinstance(core, _core.Simulation) else []


def _is_complete(particles: ParticleSet) -> bool:
    """Return whether the last step of some particles has come to its end."""
    return _steps.get(particles, (0, True))[1]


def _kept_order(particles: ParticleSet, wanted: bool | None) -> bool:
    if world.ranks() == 1:
        return len(particles) < SMALL_SET if wanted is None else wanted
    if wanted:
        raise _core.InputError(
            f"keep_order is true on {world.ranks()} ranks, where rows go with their particles: find these by id"
        )
    return False

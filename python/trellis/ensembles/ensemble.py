"""Many small systems, which a device advances by itself, many steps a call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments, shown
from trellis.interactions.forces import for_systems
from trellis.particles import ParticleSet
from trellis.particles.given_numbers import real_numbers
from trellis.simulation.device_keywords import DeviceKeywords, describes_devices, device_options, takes_devices
from trellis.simulation.engine import check_continuous, force_list
from trellis.simulation.start_seed import start_seeds

if TYPE_CHECKING:
    from typing_extensions import Unpack

Floats = NDArray[np.float64]


class EnsembleEnergies(NamedTuple):
    """The energies of each system of an `Ensemble`; their sum is conserved, but for the errors of the steps."""

    potential: Floats
    """Potential energy of all pairs, and of the container."""
    kinetic: Floats
    """Kinetic energy of the particles."""
    bath: Floats
    """Energy that the thermostat has taken, less what changes of temperatures and velocities have added."""


@describes_devices
class Ensemble:
    """Many small systems of particles, each moving by itself.

    A device takes many steps a call: a system belongs to one core, which evaluates all its pairs. It equals a
    `Simulation` of its particles within rounding. Its bits depend neither on the systems beside it, nor on how many
    devices of a kind share them, nor on how steps are divided into calls. If one of several devices fails, the others
    take over its systems, with a warning, from the last state that was saved here and with the same random numbers.

    Parameters
    ----------
    systems
        The particles of each system, which are copied. A system may be in open space or in a box of its own, whose
        sides are at least two cutoffs long.
    interaction
        `Gravity` with one softening, of which `G` and `softening` count; `LennardJones` of one kind of atoms, of which
        `epsilon`, `sigma`, the cutoff, the truncation and `exclude` count; one that `pair_potential` or an
        `interaction` has made, of which parameters, cutoff and `exclude` count; or None, for particles that do not act
        on each other. One for all systems, or a list with one for each, of one class; those written in Python read the
        same fields. Forces that act together in a system, such an interaction and forces over given tuples
        (`bond_potential`, `FENE`, ...), are a list in that list: ``[[atoms, bonds]]`` act in all systems,
        ``[[atoms, bonds], [atoms, other_bonds]]`` in each of two, and ``[atoms, other_atoms]`` are the interactions of
        two systems.
    timestep
        Time step of all systems, or of each (time).
    thermostat
        `Langevin`, `Csvr` or `Andersen`, whose random numbers have the seed `seed + 2**32 * k` in system k;
        `NoseHoover` in a periodic box; or None.
    temperature
        k T of the thermostat in each system, instead of its own (energy).
    barostat
        A pressure in a box that is periodic along all axes, whose volume changes; needs a thermostat.
    pressure
        Pressure of each system, instead of the barostat's own (energy / length^3).
    container
        Radius (length) and stiffness (energy / length^2) of a wall about each system's centre of mass: at a distance
        r beyond the radius, a particle has the energy stiffness (r - radius)^2 / 2. One for all systems, or for each.
    **devices
        The devices that compute: parameters of `DeviceOptions`, described by ``help(trellis.Ensemble)``.

    Raises
    ------
    ValueError
        For what cannot be used; it names the system.
    """

    @checked_arguments()
    @takes_devices
    def __init__(
        self,
        systems: Sequence[ParticleSet],
        interaction: _core.Force | Sequence[_core.Force | Sequence[_core.Force]] | None,
        *,
        timestep: ArrayLike,
        thermostat: _core.Thermostat | None = None,
        temperature: ArrayLike | None = None,
        barostat: _core.Barostat | None = None,
        pressure: ArrayLike | None = None,
        container: tuple[float, float] | Sequence[tuple[float, float]] | None = None,
        **devices: Unpack[DeviceKeywords],
    ) -> None:
        options = device_options("Ensemble.__init__", devices)
        self._given = _sets(systems)
        self._thermostat = thermostat
        self._timestep = self._of_each("timestep", timestep)
        self._devices = devices
        self._sampled = True  # whether the last call has several moments
        forces = _forces(interaction)
        kinds = [force for together in forces for force in together]
        if pressure is not None and (self._of_each("pressure", pressure) < 0).any():
            raise _core.InputError(f"pressure is {np.min(pressure):g}, but must be at least 0")
        if barostat is None and pressure is not None:
            raise _core.InputError("pressure is given, but there is no barostat to hold it")
        self.interactions: list[_core.Force] = kinds
        if barostat is not None:
            check_continuous(kinds)
        self._core = _core.Ensemble(
            self._given,
            for_systems(forces),
            self._timestep.tolist(),
            thermostat,
            _containers(container),
            barostat=barostat,
            pressures=[] if pressure is None else self._of_each("pressure", pressure).tolist(),
            seeds=start_seeds(thermostat, self._given),
            barostat_seeds=start_seeds(barostat, self._given),
            devices=options,
        )
        if temperature is not None:
            self.temperature = temperature

    @property
    def systems(self) -> int:
        """The number of systems."""
        return len(self._given)

    @property
    def step_count(self) -> int:
        """The number of steps that each system has taken; if they differ, that of the last."""
        return int(self._core.step_counts.min())

    @property
    def step_counts(self) -> NDArray[np.uint64]:
        """The number of steps that each system has taken, shape (systems,)."""
        return np.asarray(self._core.step_counts)

    @property
    def time(self) -> Floats:
        """The time of each system (time)."""
        return np.asarray(self.step_counts * self._timestep)

    @overload
    def advance(
        self, steps: int, every: int | None = None, *, energies: Literal["all"] = "all"
    ) -> EnsembleEnergies: ...

    @overload
    def advance(
        self, steps: int, every: int | None = None, *, energies: Literal["potential"]
    ) -> NDArray[np.float32]: ...

    @checked_arguments()
    def advance(
        self, steps: int, every: int | None = None, *, energies: Literal["all", "potential"] = "all"
    ) -> EnsembleEnergies | NDArray[np.float32]:
        """Let each system take `steps` steps.

        Parameters
        ----------
        steps
            At least 1.
        every
            Steps from energies to energies, a divisor of `steps`; None: energies at the end alone.
        energies
            ``"all"``: three in double precision. ``"potential"``: the potential energy alone, in single precision, a
            sixth of the bytes that devices send. What rounding changes, 6e-8 of an energy, is far below its
            fluctuations, which are about 1 / sqrt(particles) of it, but may count for a minimum.

        Returns
        -------
        EnsembleEnergies or array
            Arrays of shape (systems,), or (steps / every, systems) if `every` is given; one such array of the potential
            energy.

        Raises
        ------
        ValueError
            For numbers that are not allowed.
        RuntimeError
            If an energy is not finite, or the last device has failed.
        """
        if energies not in ("all", "potential"):
            raise _core.InputError(f"energies is '{energies}': allowed are all, potential")
        between = steps if every is None else every
        for name, count in (("steps", steps), ("every", between)):
            if count != int(count) or count < 1:
                raise _core.InputError(f"{name} is {count}: allowed is 1 or more, a whole number")
        steps, between = int(steps), int(between)
        if energies == "potential":
            sampled = self._core.advance_potentials(steps, between).T
        else:
            sampled = np.moveaxis(self._core.advance(steps, between), -1, 0)
        self._sampled = every is not None
        wanted = sampled if self._sampled else sampled[..., 0, :]
        return wanted if energies == "potential" else EnsembleEnergies(*wanted)

    @property
    def temperature(self) -> Floats:
        """Temperature k T of each system's thermostat (energy); what is set holds from the next steps on."""
        return np.array(self._core.temperatures)

    @temperature.setter
    def temperature(self, temperature: ArrayLike) -> None:
        if self._thermostat is None:
            raise _core.InputError("temperature is given, but there is no thermostat to hold it")
        self._core.set_temperatures(self._of_each("temperature", temperature))

    @property
    def pressure(self) -> Floats:
        """Pressure of each system's barostat (energy / length^3)."""
        self._check_boxes_change("pressure")
        return np.asarray(self._core.pressures)

    @property
    def volume(self) -> Floats:
        """Volumes of the boxes at the moments of the last `advance`: an array of the shape of its energies (length^3).

        ValueError without a barostat.
        """
        self._check_boxes_change("volume")
        sampled = np.asarray(self._core.volumes)
        return sampled if self._sampled else sampled[0]

    @property
    def volume_moves(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Moves of the volume that each system has tried, and those that were accepted: two arrays (systems,)."""
        self._check_boxes_change("volume_moves")
        tried, accepted = self._core.volume_moves
        return np.asarray(tried), np.asarray(accepted)

    def _check_boxes_change(self, what: str) -> None:
        if not self._core.boxes_change:
            raise _core.InputError(f"{what} is asked for, but there is no barostat: boxes stay as they are")

    @checked_arguments()
    def scale_velocities(self, factors: ArrayLike) -> None:
        """Multiply the velocities of each system, before the next steps; the bath's account has the energy.

        Parameters
        ----------
        factors
            One for all systems, or one for each.
        """
        self._core.scale_velocities(self._of_each("factors", factors))

    @checked_arguments()
    def particles(self, system: int) -> ParticleSet:
        """Return a copy of the particles of a system, as they are now, in the box as it is now."""
        if not 0 <= system < self.systems:
            raise _core.InputError(f"there is no system {system}: allowed is 0 to {self.systems - 1}")
        copy = self._given[system].copy()
        self._core.copy(system, copy)
        return copy

    def all_particles(self, *, images: bool = False) -> list[ParticleSet]:
        """Return copies of the particles of all systems, as they are now.

        images: with the column ``image``, which has how often each particle has gone around its box since the start.
        """
        copies = [each.copy() for each in self._given]
        if images:
            for each in copies:
                each.count_images()
        self._core.copy_all(copies)
        return copies

    @property
    def positions(self) -> Floats:
        """Positions of all particles as they are now: an array (systems, particles, 3), in a box wrapped (length).

        ValueError if systems differ in their numbers of particles.
        """
        return self._of_all("positions", "position")

    @property
    def velocities(self) -> Floats:
        """Velocities of all particles as they are now: an array (systems, particles, 3) (length / time).

        ValueError if systems differ in their numbers of particles.
        """
        return self._of_all("velocities", "velocity")

    def _of_all(self, name: str, field: str) -> Floats:
        sizes = {len(each) for each in self._given}
        if len(sizes) > 1:
            raise _core.InputError(
                f"{name} is one array of all systems, but they have {min(sizes)} to {max(sizes)} particles:"
                " all_particles() has each"
            )
        return np.array([getattr(each, field) for each in self.all_particles()])

    @checked_arguments()
    def use_devices(self, device: str | Sequence[str]) -> None:
        """Go on with other devices, as given to the constructor, such as some that have joined."""
        others: DeviceKeywords = {**self._devices, "device": device, "spares": ()}
        self._core.use_devices(_core.DeviceOptions(**others))

    def state(self) -> dict[str, bytes]:
        """Return all that the systems go on from, with the same bits."""
        return self._core.state()

    def restore(self, state: dict[str, bytes]) -> None:
        """Go back to a state of this ensemble, or of one made with the same arguments; ValueError for another."""
        self._core.restore(state)

    def _of_each(self, name: str, given: ArrayLike) -> Floats:
        """Return a value for each system."""
        values = np.asarray(real_numbers(name, given), dtype=float)
        if values.ndim > 1 or values.size not in (1, self.systems):
            raise _core.InputError(
                f"{name} has the shape {values.shape}: allowed is one value, or one for each of {self.systems} systems"
            )
        return np.array(np.broadcast_to(values, self.systems))

    def __repr__(self) -> str:
        particles = sum(len(each) for each in self._given)
        return f"Ensemble({self.systems} systems of {particles} particles, {self.step_count} steps taken)"


def _sets(systems: object) -> list[ParticleSet]:
    if isinstance(systems, ParticleSet) or not isinstance(systems, Iterable):
        raise _core.InputError(f"systems is {shown(systems)}, but must be a list of particle sets, one for each system")
    given = list(systems)
    for each in given:
        if not isinstance(each, ParticleSet):
            raise _core.InputError(f"a system is {shown(each)}, but must be a ParticleSet")
    return given


def _forces(interaction: object) -> list[list[_core.Force]]:
    """Return the forces that act together: in all systems, or in each; none without an interaction."""
    if interaction is None:
        return []
    given = list(interaction) if isinstance(interaction, Iterable) and not _is_one(interaction) else [[interaction]]
    if any(isinstance(each, _core.TuplePotential) for each in given):
        raise _core.InputError(
            "interaction is a list of one for each system, but has a force over tuples by itself: forces that act"
            " together are a list in the list, such as [[LennardJones(cutoff=2.5), bonds]]"
        )
    return [force_list([each] if _is_one(each) else each) for each in given]


def _is_one(interaction: object) -> bool:
    return isinstance(interaction, (str, _core.Force)) or not isinstance(interaction, Iterable)


def _containers(given: tuple[float, float] | Sequence[tuple[float, float]] | None) -> list[tuple[float, float]]:
    """Return radius and stiffness, the same for all systems or one for each."""
    values = np.asarray(real_numbers("container", [] if given is None else given), dtype=float)
    if values.size > 0 and (values.ndim not in (1, 2) or values.shape[-1] != 2):
        raise _core.InputError(
            f"container has the shape {values.shape}: allowed are radius and stiffness, or both for each system"
        )
    return [(radius, stiffness) for radius, stiffness in values.reshape(-1, 2).tolist()]

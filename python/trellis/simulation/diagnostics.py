"""Properties of the particles of a simulation beside energies: momenta, temperature, pressure, neighbours, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.forces import StepLimit
from trellis.interactions import name_of
from trellis.interactions.coulomb_within_cutoff import coulomb_within_cutoff
from trellis.interactions.graphs.virial_rows import ROWS
from trellis.interactions.virial_tensor import tensor_by_pairs
from trellis.parallel import collective, gather
from trellis.particles import ParticleSet
from trellis.particles.known_fields import fixed_rows
from trellis.particles.neighbour_search import Neighbours, neighbours
from trellis.particles.periodic_space import mean_position
from trellis.simulation.engine import Engine, force_list, potential_of_all
from trellis.simulation.threads import in_turn

_MOVE_ALL = (_core.Langevin, _core.Andersen)  # thermostats that move the centre of mass
_AXES = ("xyz", "xy", "xz", "yz", "x", "y", "z")
_NO_VOLUME = "the box is not periodic along all axes: it has no volume"

TensorSum = Callable[[ParticleSet], NDArray[np.float64]]  # over the particles of all ranks


class Moving(Protocol):
    """The part of a simulation that these need."""

    _lock: Any
    _computes: bool
    _engine: Engine

    @property
    def forces(self) -> tuple[_core.Force, ...]:
        """The forces, which stay those that it was made with."""

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now."""

    @property
    def time(self) -> float:
        """Time of the particles."""

    @property
    def thermostat(self) -> _core.Thermostat | None:
        """The thermostat; None without one."""

    def _begin_complete(self) -> None:
        """Compute the forces if they are not known yet; RuntimeError in the middle of a step."""


class Diagnostics:
    """Sums of a `Simulation`; all ranks call these and get the same."""

    @in_turn
    @collective
    def particle_count(self: Moving) -> int:
        """Return the number of particles, on all ranks."""
        return _count(self.particles)

    @in_turn
    @collective
    def pressure(self: Moving) -> float:
        """Return the pressure (2 K + W) / 3 V in a box that is periodic along all axes.

        K is the kinetic energy relative to the centre of mass, or, along the axes of a thermostat that moves it,
        `Langevin` or `Andersen`, all of it, without that of fixed particles; W is the virial of all forces,
        -3 V dU / dV. ValueError where a force does not give its virial: `LennardJones`, and `Coulomb` without a
        softening, do, and an interaction of your own with `Virial` among its results. Without forces it is the
        pressure of an ideal gas.
        """
        if unknown := why_no_pressure(self):
            raise _core.InputError(f"pressure is asked for, but {unknown}")
        self._begin_complete()
        particles = self.particles
        kinetic = _core.kinetic_energy(particles) - _drift_energy(particles, _axes_of_no_heat(self.thermostat))
        acting = any(not isinstance(force, StepLimit) for force in self.forces)
        virial = _core.virial(particles) if acting else 0.0
        low, high = np.asarray(particles.box)
        return float((2.0 * kinetic + virial) / (3.0 * (high - low).prod()))

    @in_turn
    @collective
    def pressure_tensor(self: Moving) -> NDArray[np.float64]:
        """Return the pressure tensor (sum m v_a v_b + W_ab) / V, shape (3, 3), in a box periodic along all axes.

        W_ab is the sum over pairs of r_a f_b, -dU / d(strain). A third of the trace is `pressure`, within the accuracy
        of `Coulomb` if there are charges, and velocities are relative to the centre of mass where they are there. The
        tensor is symmetric, but for rounding, if forces are central or those of bonds, angles and dihedrals.

        A call computes all pairs once more, on the devices of the simulation, in the time of five to ten steps, of
        one if all forces are `Coulomb`; particles and forces stay as they are. What it computes is compiled by
        llvmlite at the first call.

        Raises
        ------
        ValueError
            For a box that is not periodic along all axes, and for a force whose part is not known. Known are those of
            `LennardJones`, of `Coulomb` with or without a softening, of pair potentials and interactions of your own
            within a cutoff, and of forces over given tuples.

        Examples
        --------
        >>> import trellis as tr
        >>> atoms = tr.ic.lennard_jones(500, density=0.8, temperature=1.0)
        >>> sim = tr.Simulation(atoms, [tr.LennardJones(precision="double")], timestep=0.004)
        >>> bool(abs(sim.pressure_tensor().trace() / 3 - sim.pressure()) < 1e-12)
        True
        """
        sums, pairs = _tensors_of(self)
        if not np.isfinite(self.particles.box).all():
            raise _core.InputError(f"a pressure tensor is asked for, but {_NO_VOLUME}")
        self._begin_complete()
        particles = self.particles
        free = ~fixed_rows(particles)
        mass, velocity = particles.mass[free], particles.velocity[free]
        total = _of_all_ranks(np.einsum("i,ia,ib->ab", mass, velocity, velocity))
        momentum, weight = _of_all_ranks(mass @ velocity), float(_of_all_ranks(np.array(mass.sum())))
        momentum = np.where(_axes_of_no_heat(self.thermostat), momentum, 0.0)
        if weight > 0:
            total -= np.outer(momentum, momentum) / weight
        for virial_tensor in sums:
            total += virial_tensor(particles)
        if pairs:
            found = _computed(self, pairs)
            total += _of_all_ranks(np.stack([getattr(found, row).sum(axis=0) for row in ROWS])) / 2
        low, high = np.asarray(particles.box)
        return np.asarray(total / (high - low).prod())

    @checked_arguments()
    @in_turn
    @collective
    def temperature(self: Moving, axes: str | None = None) -> float:
        """Return the temperature 2 K / (3 N - 3) as an energy, k T; of d axes 2 K / d (N - 1), with K along them.

        K is the kinetic energy relative to the centre of mass, whose motion is no heat; of one particle alone it is
        2 K / d. K and N are those of the particles that are not fixed.

        Parameters
        ----------
        axes : str, optional
            The directions that count, such as ``xy`` for particles in a plane, or those across a flow; if not given,
            those of the thermostat, or all.
        """
        chosen = _chosen(axes_of(self.thermostat) if axes is None else axes)
        particles, freedom = self.particles, int(chosen.sum())
        free = ~fixed_rows(particles)
        count = sum(gather(int(free.sum())))
        kinetic = _core.kinetic_energy(particles)
        if not chosen.all():
            squares = particles.mass[free] @ particles.velocity[free] ** 2
            kinetic = 0.5 * float(_of_all_ranks(squares)[chosen].sum())
        if count < 2:
            return 2.0 * kinetic / freedom if count else 0.0
        return 2.0 * (kinetic - _drift_energy(particles, chosen)) / (freedom * (count - 1))

    @in_turn
    @collective
    def momentum(self: Moving) -> NDArray[np.float64]:
        """Return the total momentum, that of fixed particles included, shape (3,)."""
        return _core.momentum(self.particles)

    @in_turn
    @collective
    def angular_momentum(self: Moving) -> NDArray[np.float64]:
        """Return the total angular momentum about the origin, that of fixed particles included, shape (3,)."""
        return _core.angular_momentum(self.particles)

    @in_turn
    @collective
    def centre_of_mass(self: Moving) -> NDArray[np.float64]:
        """Return the centre of mass, shape (3,); zero if there is no mass.

        Along periodic axes it is that of the images nearest to the mean by angles on a circle (Bai & Breen 2008), in
        the box: exact for particles within half a side, wherever the faces are; evenly spread ones have no such centre.
        """
        particles = self.particles
        masses = _of_all_ranks(np.array([particles.mass.sum()]))
        if not np.isfinite(particles.box[0]).any() or not masses[0] > 0:
            return _core.centre_of_mass(particles)
        return mean_position(particles.position, particles.mass, particles.box, _of_all_ranks)

    def neighbours(self: Moving, radius: ArrayLike, search: str = "gather") -> Neighbours:
        """Find the particles within a radius of each particle: see `trellis.neighbours`."""
        return neighbours(self.particles, radius, search)

    @in_turn
    @collective
    def energy_of(self: Moving, force: _core.Force) -> float:
        """Return the potential energy that the particles, as they are now, have by a force that does not act on them.

        It is that of another state, for `analysis.mbar_of_states`, or, by the ``derivative`` of a force by one of its
        parameters, the derivative of an energy. The force makes lists of its own, on the devices of the simulation.

        Parameters
        ----------
        force : Force
            Any force, also one of the simulation's.

        Returns
        -------
        float
            The energy of all particles on all ranks, that in an external field included (energy).

        Raises
        ------
        ValueError
            If it is no force, or the particles lack what it reads.

        Examples
        --------
        >>> import trellis as tr
        >>> sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity()], timestep=0.01)
        >>> sim.energy_of(tr.Gravity(G=2.0)) / sim.energies().potential
        2.0
        """
        return potential_of_all(_computed(self, force_list([force])))

    @checked_arguments()
    @in_turn
    @collective
    def force_error(self: Moving, count: int = 1000, *, seed: int = 0) -> dict[str, float]:
        """Relative error of the accelerations of some particles against direct double-precision summation.

        A force that reads velocities, as friction does, has acted with those that were predicted for the end of the
        step, and is compared with those of now: call `forces_changed` before to measure the sum alone.

        Parameters
        ----------
        count : int
            Number of particles, drawn at random.
        seed : int
            Seed of the draw.

        Returns
        -------
        dict
            The errors' ``rms``, ``median``, ``percentile_99`` and ``maximum``, each relative to the acceleration of its
            particle by the others, without that by external fields (to the whole one where these alone act), and
            ``over_rms``: the root mean square of all errors over that of all these accelerations, which is what the
            accuracy of gravity in a periodic box refers to.
        """
        for name, value in (("count", count), ("seed", seed)):
            if not 0 <= value < 2**63:
                raise _core.InputError(f"{name} is {value}, but must be a whole number, from 0 on and below 2^63")
        self._begin_complete()
        return _core.force_error(self.particles, self.forces, count, seed, self.time)


def of_molecules(simulation: Moving) -> bool:
    """Return if a temperature says something: a thermostat acts, or a force as those between atoms and charges."""
    known = any(isinstance(force, _core.Coulomb) or force.gives_virial for force in simulation.forces)
    return known or simulation.thermostat is not None


def why_no_pressure(simulation: Moving) -> str:
    """Return why a pressure is not known, as the end of a sentence that names the force; empty if it is."""
    for force in simulation.forces:
        if not force.gives_virial:
            name = name_of(force)
            if isinstance(force, _core.Coulomb):
                name += f" with softening = {force.settings['softening']:g}"
            return (
                f"{name} is among the forces, whose virial is not known: allowed are LennardJones, Coulomb without a"
                " softening, and interactions of your own with a virial"
            )
    return "" if np.isfinite(simulation.particles.box).all() else _NO_VOLUME


def _tensors_of(simulation: Moving) -> tuple[list[TensorSum], list[_core.Force]]:
    """Return what sums the virial tensors of tuples and meshes, and the forces whose results are those of all pairs.

    ValueError for a force whose tensor is not known.
    """
    sums: list[TensorSum] = []
    pairs: list[_core.Force] = []
    for force in simulation.forces:
        within = force
        if isinstance(force, _core.TuplePotential):
            sums.append(force.virial_tensor)
            continue
        if isinstance(force, _core.Coulomb):
            sums.append(force.mesh_virial)
            if force.settings["exclude"] is not None:
                sums.append(force.excluded_virial)
            cutoff = force.cutoff_in(simulation.particles, _count(simulation.particles))
            within = coulomb_within_cutoff(force, cutoff)
        if (made := tensor_by_pairs(within)) is not None:
            pairs.append(made)
        elif not isinstance(force, StepLimit):
            raise _core.InputError(
                f"a pressure tensor is asked for, but {name_of(force)} is among the forces, whose part in it is not"
                " known: allowed are LennardJones, Coulomb, pair potentials and interactions of your own within a"
                " cutoff, which have no finish, and forces over given tuples"
            )
    return sums, pairs


def _computed(simulation: Moving, forces: list[_core.Force]) -> ParticleSet:
    """Return a copy of the particles as they are, with results of these forces."""
    engine = Engine(
        forces, simulation._engine.devices,
        resident=False, keep_order=None, thermostat=None, barostat=None, timestep=1.0,
    )  # fmt: skip
    particles = simulation.particles.copy()
    engine.start(particles, simulation.time).compute_forces()
    return particles


def _of_all_ranks(own: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sum(gather(own), axis=0))


def _count(particles: ParticleSet) -> int:
    return sum(gather(len(particles)))


def _chosen(axes: str) -> NDArray[np.bool_]:
    if axes not in _AXES:
        raise _core.InputError(f"axes is '{axes}': allowed are {', '.join(_AXES)}")
    return np.array([axis in axes for axis in "xyz"])


def axes_of(thermostat: _core.Thermostat | None) -> str:
    """Return the directions in which a thermostat acts; all without one."""
    return str(getattr(thermostat, "settings", {}).get("axes", "xyz"))


def _axes_of_no_heat(thermostat: _core.Thermostat | None) -> NDArray[np.bool_]:
    """Return along which axes the motion of all particles together is no heat: no thermostat changes it there."""
    return ~_chosen(axes_of(thermostat)) if isinstance(thermostat, _MOVE_ALL) else np.full(3, True)


def _drift_energy(particles: ParticleSet, axes: NDArray[np.bool_]) -> float:
    """Return the kinetic energy of the motion of all free particles together, along these axes."""
    if not axes.any():
        return 0.0
    if axes.all():
        return _core.drift_energy(particles)
    free = ~fixed_rows(particles)
    momentum = _of_all_ranks(particles.mass[free] @ particles.velocity[free])[axes]
    mass = float(_of_all_ranks(np.array(particles.mass[free].sum())))
    return 0.5 * float(momentum @ momentum) / mass if mass > 0 else 0.0

"""Thermostats that act in some directions: of particles in a plane, and across a flow."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import trellis as tr

T = 0.8
MAKES = [
    lambda axes: tr.Langevin(temperature=T, relaxation_time=0.1, seed=1, axes=axes),
    lambda axes: tr.Andersen(temperature=T, relaxation_time=0.1, seed=1, axes=axes),
    lambda axes: tr.Csvr(temperature=T, relaxation_time=0.1, seed=1, axes=axes),
    lambda axes: tr.NoseHoover(temperature=T, relaxation_time=0.1, axes=axes),
]
each_bath = pytest.mark.parametrize("make", MAKES, ids=["langevin", "andersen", "csvr", "nose-hoover"])


def film(count: int = 12, speed: float = 1.0) -> tr.ParticleSet:
    """Atoms in the plane z = 0.3 of a box that is open along z."""
    random = np.random.default_rng(1)
    cells = np.stack(np.meshgrid(np.arange(count), np.arange(count), indexing="ij"), axis=-1).reshape(-1, 2)
    velocity = speed * random.normal(size=(len(cells), 3)) * [1, 1, 0]
    atoms = tr.ParticleSet.from_columns(
        position=np.column_stack([1.2 * cells, np.full(len(cells), 0.3)]), mass=1.0, velocity=velocity
    )
    atoms.box = [1.2 * count, 1.2 * count, np.inf]
    return atoms


def mean_square(axes: str, atoms: tr.ParticleSet, bath: tr.Thermostat) -> tuple[float, float]:
    """Mean square of a component of the velocity along the axes, and the mean of the temperature."""
    squares, temperatures = [], []
    columns = ["xyz".index(axis) for axis in axes]

    def look(sim: tr.Simulation) -> None:
        squares.append((sim.particles.velocity[:, columns] ** 2).mean())
        temperatures.append(sim.temperature())

    sim = tr.Simulation(atoms, [tr.LennardJones()], timestep=0.004, thermostat=bath)
    sim.run(steps=500)
    sim.run(steps=2000, callbacks=[(10, look)])
    assert abs(sim.energies().error) < 1e-2
    return float(np.mean(squares)), float(np.mean(temperatures))


@each_bath
def test_atoms_in_a_plane_stay_there_at_the_temperature(make) -> None:  # type: ignore[no-untyped-def]
    """Of 3 N - 3 degrees of freedom they had 1.5 times the temperature, or noise took them out of the plane."""
    atoms = film()
    square, temperature = mean_square("xy", atoms, make("xy"))
    assert square == pytest.approx(T, rel=0.05)
    assert temperature == pytest.approx(T, rel=0.05)
    assert (atoms.position[:, 2] == 0.3).all()


@each_bath
def test_a_flow_is_no_heat_across_it(make) -> None:  # type: ignore[no-untyped-def]
    """Layers that glide along x, with speeds that no thermostat of all directions would leave."""
    atoms = tr.ic.lennard_jones(256, density=0.1, temperature=T, seed=1)
    sides = atoms.box[1]
    flow = 5 * np.sin(2 * np.pi * atoms.position[:, 2] / sides[2])
    atoms.velocity[:, 0] += flow
    sim = tr.Simulation(atoms, [], timestep=0.004, thermostat=make("yz"))
    before = atoms.velocity[:, 0].copy()
    sim.run(steps=500)
    assert np.array_equal(atoms.velocity[:, 0], before)
    assert sim.temperature() == sim.temperature(axes="yz")
    assert sim.temperature() == pytest.approx(T, rel=0.2)
    assert sim.temperature(axes="xyz") > 3 * T
    assert abs(sim.energies().error) < 1e-6


def test_temperatures_are_those_of_the_definition() -> None:
    atoms = tr.ic.lennard_jones(108, density=0.8, temperature=1.3, seed=1)
    atoms.velocity[:, 1] *= 2
    atoms.velocity += [0.5, 1.0, 0.0]
    sim = tr.Simulation(atoms, [tr.LennardJones()], timestep=0.004)
    about = atoms.velocity - atoms.velocity.mean(axis=0)
    for axes, columns in (("y", [1]), ("xz", [0, 2]), ("xyz", [0, 1, 2])):
        expected = (about[:, columns] ** 2).sum() / (len(columns) * 107)
        assert sim.temperature(axes=axes) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match=r"^axes is 'zx': allowed are xyz, xy, xz, yz, x, y, z$"):
        sim.temperature(axes="zx")


@pytest.mark.parametrize("axes", ["xyz", "yz"])
def test_a_drift_that_the_bath_leaves_is_no_pressure(axes: str) -> None:
    atoms = tr.ic.lennard_jones(108, density=0.5, temperature=1.0, seed=1)
    atoms.velocity[:, 0] += 3.0
    bath = tr.Langevin(temperature=1.0, relaxation_time=1.0, seed=1, axes=axes)
    sim = tr.Simulation(atoms, [tr.LennardJones(precision="double")], timestep=0.004, thermostat=bath)
    pressure = sim.pressure()
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(pressure, rel=1e-10)
    atoms.velocity[:, 0] += 3.0
    assert (sim.pressure() == pytest.approx(pressure, rel=1e-10)) == (axes == "yz")


def test_thermostats_of_axes_along_which_nothing_moves_are_noted() -> None:
    bath = tr.Csvr(temperature=1.0, relaxation_time=0.5, seed=1)
    sentence = r"^along z the particles have one position and one velocity, but Csvr\(.*\) counts .* with axes='xy' it"
    with pytest.warns(UserWarning, match=sentence) as noted:
        tr.Simulation(film(), [tr.LennardJones()], timestep=0.004, thermostat=bath)
    assert noted[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(film(), [tr.LennardJones()], timestep=0.004, thermostat=MAKES[2]("xy"))
        tr.Simulation(film(), [tr.LennardJones()], timestep=0.004)
        tr.Simulation(
            film(speed=0), [tr.LennardJones()], 0.004, thermostat=tr.Langevin(temperature=1, relaxation_time=1)
        )
        one = tr.ParticleSet.from_columns(position=[[0.0, 0, 0]], mass=1.0)
        tr.Simulation(one, [], timestep=0.1, thermostat=tr.Langevin(temperature=1.0, relaxation_time=1.0))


def test_a_chain_that_begins_at_rest_is_noted() -> None:
    """A crystal at rest stayed at rest at any temperature of its bath."""
    bath = tr.NoseHoover(temperature=1.0, relaxation_time=0.5)
    with pytest.warns(UserWarning, match=r"^all velocities are the same: NoseHoover\(.*\) scales them, and cannot set"):
        tr.Simulation(tr.ic.lennard_jones(108, temperature=0.0), [tr.LennardJones()], 0.004, thermostat=bath)


@each_bath
def test_small_systems_have_thermostats_of_all_axes(make) -> None:  # type: ignore[no-untyped-def]
    atoms = tr.ic.lennard_jones(108, density=0.5, temperature=1.0, seed=1)
    with pytest.raises(ValueError, match=r"^axes is xy, but thermostats of small systems act in all directions"):
        tr.Ensemble([atoms], tr.LennardJones(cutoff=2.0), timestep=0.004, thermostat=make("xy"))

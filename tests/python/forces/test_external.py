"""External fields: what they are, in simulations, on ranks, from checkpoints; functions of Python; wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

Array = NDArray[np.float64]
CENTRE = np.array([0.5, -0.25, 0.125])


def potential_of(x: Array, formula: Callable[..., Any]) -> Any:
    """The potential by a formula of the distances from the centre along the axes."""
    return formula(*(x - CENTRE).T)


def bar(x: Any, y: Any, z: Any) -> Any:
    """Long & Murali 1992, equation 2, for a bar along x."""
    a, across = 0.8, y**2 + (0.1 + np.sqrt(z**2 + 0.05**2)) ** 2
    plus, minus = np.sqrt((a + x) ** 2 + across), np.sqrt((a - x) ** 2 + across)
    return 3.0 * 2.0 / (2 * a) * np.log((x - a + minus) / (x + a + plus))


CLOSED_FORMS: dict[str, tuple[Any, Callable[..., Any]]] = {
    "point mass": (
        tr.external.PointMass(mass=2.0, centre=CENTRE, G=3.0),
        lambda x, y, z: -6.0 / np.sqrt(x**2 + y**2 + z**2),
    ),
    "Plummer": (
        tr.external.Plummer(mass=2.0, scale_radius=0.5, centre=CENTRE, G=3.0),
        lambda x, y, z: -6.0 / np.sqrt(x**2 + y**2 + z**2 + 0.25),
    ),
    "NFW": (
        tr.external.NFW(mass=2.0, scale_radius=0.5, centre=CENTRE, G=3.0),
        lambda x, y, z: -6.0 * np.log(1 + (r := np.sqrt(x**2 + y**2 + z**2)) / 0.5) / r,
    ),
    "logarithmic": (
        tr.external.LogarithmicHalo(speed=2.0, core_radius=0.5, flattening=0.8, centre=CENTRE),
        lambda x, y, z: 2.0 * np.log((0.25 + x**2 + y**2 + z**2 / 0.64) / 0.25),
    ),
    "Miyamoto & Nagai": (
        tr.external.MiyamotoNagai(mass=2.0, scale_length=0.5, scale_height=0.25, centre=CENTRE, G=3.0),
        lambda x, y, z: -6.0 / np.sqrt(x**2 + y**2 + (0.5 + np.sqrt(z**2 + 0.0625)) ** 2),
    ),
    "trap": (
        tr.external.HarmonicTrap(frequency=(1.0, 2.0, 3.0), centre=CENTRE),
        lambda x, y, z: 0.5 * (x**2 + 4 * y**2 + 9 * z**2),
    ),
    "mean density": (
        tr.external.MeanDensity(density=2.0, centre=CENTRE, G=3.0),
        lambda x, y, z: -4 * math.pi * (x**2 + y**2 + z**2),
    ),
    "uniform": (
        tr.external.UniformField(acceleration=[1, 2, -3]),
        lambda x, y, z: -(x + CENTRE[0]) - 2 * (y + CENTRE[1]) + 3 * (z + CENTRE[2]),
    ),
    "bar": (
        tr.external.RotatingBar(
            mass=2.0, half_length=0.8, width=0.1, thickness=0.05, pattern_speed=1.5, centre=CENTRE, G=3.0
        ),
        bar,
    ),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_a_field_is_its_closed_form(name: str) -> None:
    field, formula = CLOSED_FORMS[name]
    particles = tr.ParticleSet(200)
    particles.position = np.random.default_rng(1).normal(size=(200, 3)) + CENTRE
    particles.mass = 0.5
    sim = tr.Simulation(particles, [field], timestep=0.01, keep_order=True)
    energies = sim.energies()
    x = particles.position.copy()
    np.testing.assert_allclose(particles.external_potential, potential_of(x, formula), rtol=1e-9, atol=1e-9)
    assert energies.external == energies.total == pytest.approx(0.5 * potential_of(x, formula).sum())
    assert energies.potential == 0
    step = 1e-5
    for axis in range(3):
        beside = step * np.eye(3)[axis]
        slope = (potential_of(x + beside, formula) - potential_of(x - beside, formula)) / (2 * step)
        np.testing.assert_allclose(particles.acceleration[:, axis], -slope, rtol=1e-5, atol=1e-5)


def star(radius: float, speed: float) -> tr.ParticleSet:
    made = tr.ParticleSet(1)
    made.position, made.velocity, made.mass = [[radius, 0, 0]], [[0, speed, 0]], 1.0
    return made


CIRCULAR_SPEEDS = {
    "NFW": (tr.external.NFW(mass=10.0, scale_radius=2.0), math.sqrt(10 / 3 * (math.log(2.5) - 0.6))),
    "logarithmic": (tr.external.LogarithmicHalo(speed=2.0, core_radius=1.0), 2.0 * 3 / math.sqrt(10)),
    "disc": (tr.external.MiyamotoNagai(mass=10.0, scale_length=2.0, scale_height=0.5), math.sqrt(90 / 15.25**1.5)),
}


@pytest.mark.parametrize("name", CIRCULAR_SPEEDS)
def test_a_circle_is_closed_after_its_period(name: str) -> None:
    field, speed = CIRCULAR_SPEEDS[name]
    sim = tr.Simulation(star(3.0, speed), [field], timestep=2 * math.pi * 3.0 / speed / 1000)
    sim.run(steps=1000)
    np.testing.assert_allclose(sim.particles.position, [[3.0, 0.0, 0.0]], atol=1e-3)
    assert abs(sim.energies().error) < 1e-5


def test_a_star_beside_a_bar_keeps_jacobis_integral_and_not_its_energy() -> None:
    field = tr.external.RotatingBar(mass=1.0, half_length=1.0, thickness=0.2, pattern_speed=0.7)
    sim = tr.Simulation(star(1.5, 0.8), [field], timestep=0.002)

    def integrals() -> tuple[float, float]:
        energy = sim.energies().total
        return energy, energy - 0.7 * sim.angular_momentum()[2]

    energy, jacobi = integrals()
    sim.run(until=3.0)
    assert integrals()[1] == pytest.approx(jacobi, abs=1e-5)
    assert abs(integrals()[0] - energy) > 0.01
    assert sim.force_error()["maximum"] == 0.0  # at the time that it is


def trap(position: Array, _: float) -> tuple[Array, Array]:
    return -4.0 * position, 2.0 * (position**2).sum(axis=1)


def test_a_function_is_a_field() -> None:
    gravity = tr.Gravity(softening=0.1)
    by_function = tr.Simulation(tr.ic.plummer(300, seed=1), [gravity, tr.External(trap)], 0.01)
    built_in = tr.Simulation(tr.ic.plummer(300, seed=1), [gravity, tr.external.HarmonicTrap(frequency=[2, 2, 2])], 0.01)
    for sim in (by_function, built_in):
        sim.run(until=0.5)
        assert abs(sim.energies().error) < 1e-3
    np.testing.assert_allclose(by_function.particles.position, built_in.particles.position, atol=1e-12)
    assert by_function.energies().external == pytest.approx(built_in.energies().external)
    assert by_function.force_error(50)["rms"] < 1e-2


def test_a_function_is_called_once_a_step_with_all_particles_and_the_time() -> None:
    calls = []

    def watched(position: Array, time: float) -> tuple[Array, Array]:
        calls.append((position.shape, round(time, 12)))
        position[:] = np.nan  # its own copy
        return np.zeros((4, 3), dtype=np.float32), [0, 0, 0, 0]

    sim = tr.Simulation(tr.ParticleSet(4), [tr.External(watched)], timestep=0.5, time=1.0)
    sim.run(steps=2)
    assert calls == [((4, 3), time) for time in (1.0, 1.5, 2.0)]
    assert np.isfinite(sim.particles.position).all()


class MistakeError(Exception):
    pass


def test_another_function_acts_after_it_was_assigned() -> None:
    field = tr.External(trap)
    sim = tr.Simulation(tr.ic.plummer(20, seed=1), [field], timestep=0.01)
    sim.run(steps=2)
    field.function = lambda position, _: (3 * position, -1.5 * (position**2).sum(axis=1))
    sim.forces_changed()
    assert np.allclose(sim.particles.acceleration, 3 * sim.particles.position, rtol=1e-14)


def raises(_: Array, __: float) -> Any:
    raise MistakeError("my own")


def test_what_a_function_raises_passes_through() -> None:
    sim = tr.Simulation(tr.ParticleSet(3), [tr.External(raises)], timestep=0.5)
    with pytest.raises(MistakeError, match=r"^my own$"):
        sim.step()


WRONG = {
    "nothing": (lambda *_: None, r"has returned None, but must return acceleration and potential"),
    "one array": (lambda x, _: x, r"has returned an array of float64 of shape \(3, 3\), but must return acceleration"),
    "a shape": (lambda x, _: (x[:, 0], x[:, 0]), r"has returned as acceleration an array of shape \(3,\), but must be"),
    "a number": (lambda x, _: (x, 1.0), r"as potential an array of shape \(\), .* of shape \(3,\)"),
    "text": (lambda x, _: (x, ["a", "b", "c"]), r"has returned as potential a list, but must be real numbers"),
    "complex": (lambda x, _: (x + 1j, x[:, 0]), r"has returned as acceleration an array of complex128"),
    "ragged": (lambda x, _: ([[1], [1, 2], []], x[:, 0]), r"has returned as acceleration a list, but must be real"),
    "nan": (
        lambda x, _: (x, x[:, 0] + np.nan),
        r"an external field is not finite at \(0, 0, 0\) and time 0, where",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_function_returns_is_checked(name: str) -> None:
    function, sentence = WRONG[name]
    sim = tr.Simulation(tr.ParticleSet(3), [tr.External(function)], timestep=0.5)
    with pytest.raises(InputError, match=sentence):
        sim.step()


def test_what_is_no_field_is_refused() -> None:
    with pytest.raises(InputError, match=r"^function is 3, but must be a function of position and time$"):
        tr.External(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^centre is \[1, 2\]: allowed is three numbers$"):
        tr.external.PointMass(mass=1.0, centre=[1, 2])
    with pytest.raises(InputError, match=r"^frequency is -1: allowed is 0 or more$"):
        tr.external.HarmonicTrap(frequency=[1, -1, 0])
    assert repr(tr.External(trap)) == "External(trap)"


def test_resident_particles_are_those_of_the_host_and_take_no_function() -> None:
    forces = [tr.Gravity(softening=0.1, method="tree", order=1, theta=0.5), tr.external.NFW(mass=5.0, scale_radius=2.0)]
    host, there = (tr.ic.plummer(500, seed=1) for _ in range(2))
    tr.Simulation(host, forces, 0.01, keep_order=True).run(until=0.1)
    resident = tr.Simulation(there, forces, 0.01, device="cpu", resident=True)
    resident.run(until=0.1)
    np.testing.assert_allclose(resident.particles.position, host.position, atol=1e-5)
    np.testing.assert_allclose(resident.particles.external_potential, host.external_potential, atol=1e-5)
    assert abs(resident.energies().error) < 1e-3
    assert len(resident.list_use) == len(resident.sizes) == len(resident.device_use) == 2
    where: dict[str, Any] = {"device": "cpu", "resident": True}
    with pytest.raises(InputError, match="an external field has no kernel for particles that stay on a device"):
        tr.Simulation(tr.ic.plummer(10), [forces[0], tr.External(trap)], 0.01, **where)
    with pytest.raises(InputError, match=r"^the first force is NFW\(.*: particles that stay .* or LennardJones, which"):
        tr.Simulation(tr.ic.plummer(10), forces[::-1], 0.01, **where)


@pytest.mark.parametrize("where", [{}, {"device": "cpu", "resident": True}], ids=["host", "resident"])
def test_a_resumed_simulation_has_the_same_bits(where: dict[str, Any], tmp_path: Path) -> None:
    bar = tr.external.RotatingBar(mass=1.0, half_length=1.0, thickness=0.2, pattern_speed=0.7)
    forces = [tr.Gravity(softening=0.1), bar, *([] if where else [tr.External(trap)])]
    sim = tr.Simulation(tr.ic.plummer(200, seed=1), forces, 0.01, **where)
    sim.run(steps=5)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", sim.state())
    sim.run(steps=5)
    again = tr.Simulation.resume(tr.io.read_checkpoint(tmp_path / "state.hdf5"), forces, 0.01, **where)
    again.run(steps=5)
    for name in ("position", "velocity", "external_potential"):
        np.testing.assert_array_equal(again.particles.column(name), sim.particles.column(name))
    assert again.energies() == sim.energies()


def test_particles_without_mass_have_no_energy_and_no_error_of_it() -> None:
    tracers = star(3.0, 1.0)
    tracers.mass = 0.0
    sim = tr.Simulation(tracers, [tr.Gravity(softening=0.1), tr.external.PointMass(mass=3.0)], timestep=0.01)
    sim.run(steps=10)
    assert sim.energies().error == sim.energies().total == 0.0
    own = 0.5 * (tracers.velocity**2).sum() + tracers.external_potential[0]
    assert own == pytest.approx(-0.5, abs=1e-5)


def test_potentials_of_a_file_count_in_no_energy(tmp_path: Path) -> None:
    halo, stars = tr.external.PointMass(mass=3.0), tr.ic.plummer(50, seed=1)
    tr.Simulation(stars, [tr.Gravity(softening=0.1), halo], 0.01).run(steps=1)
    tr.io.write_snapshot(tmp_path / "stars.hdf5", stars)
    for force, lost in ((halo, "potential"), (tr.Gravity(softening=0.1), "external")):
        particles = tr.io.read_snapshot(tmp_path / "stars.hdf5").particles
        assert particles.potential.all()
        assert particles.external_potential.all()
        energies = tr.Simulation(particles, [force], 0.01).energies()
        assert getattr(energies, lost) == 0
        assert energies.potential + energies.external < -0.1


def test_particles_that_are_added_feel_the_field() -> None:
    sim = tr.Simulation(star(3.0, 1.0), [tr.external.PointMass(mass=3.0)], 0.01)
    sim.run(steps=10)
    more = star(2.0, 1.0)
    more.id += 1
    sim.add(more)
    assert sim.particles.external_potential[1] == -1.5
    sim.run(steps=10)
    assert abs(sim.energies().error) < 1e-5


ON_RANKS = """
import numpy as np
import trellis as tr

def trap(position, time):
    return -4.0 * position, 2.0 * (position**2).sum(axis=1)

forces = [tr.external.NFW(mass=5.0, scale_radius=2.0), tr.External(trap)]
sim = tr.Simulation(tr.ic.plummer(300, seed=1), forces, 0.01)
sim.run(steps=10)
place = sum(tr.world.gather(float(np.sum(sim.particles.position * (sim.particles.id[:, None] + 1)))))
found = [place, sim.energies().external, sim.force_error(20)["maximum"]]
"""


def test_ranks_agree(found_on: FoundOn) -> None:
    (place, energy, error), alone = found_on(2, ON_RANKS), found_on(1, ON_RANKS)
    assert [place, energy] == pytest.approx(alone[:2], rel=1e-11)
    assert max(error, alone[2]) < 1e-14


TABLES = """
[[external]]
model = "nfw"
mass = 5.0
scale_radius = 2.0

[[external]]
model = "uniform"
acceleration = [0.0, 0.0, -0.25]
"""


@pytest.fixture
def with_fields(parameter_file: Path) -> Path:
    parameter_file.write_text(parameter_file.read_text() + TABLES)
    return parameter_file


def test_a_file_has_fields(with_fields: Path, tmp_path: Path) -> None:
    file = load(with_fields, ["external.0.mass=7", "gravity.G=2.0", "run.until=0.2"])
    job = SimulationRun(file)
    _, halo, uniform = job.simulation.forces
    assert halo.settings == {"mass": 7.0, "scale_radius": 2.0, "centre": [0.0, 0.0, 0.0], "G": 2.0}
    assert uniform.settings == {"acceleration": [0.0, 0.0, -0.25]}
    job.run()
    log = read_energy_log(tmp_path / "out" / "energy.csv")
    assert log["total"] == pytest.approx(log["kinetic"] + log["potential"] + log["external"])
    assert (log["external"] < -1).all()
    assert np.abs(log["relative_error"]).max() < 1e-2
    assert "external_potential" in tr.io.read_snapshot(tmp_path / "out" / "snapshot_0001.hdf5").particles.field_names
    kept = load(tmp_path / "out" / "parameters.toml")
    assert kept.content() == file.content()


def test_fields_alone_leave_out_gravity(with_fields: Path) -> None:
    with_fields.write_text(with_fields.read_text().replace("[gravity]\nsoftening = 0.05\naccuracy = 1e-4\n", ""))
    assert [type(force).__name__ for force in SimulationRun(load(with_fields)).simulation.forces] == [
        "NFW",
        "UniformField",
    ]


def test_a_resumed_run_names_the_field_that_was_changed(with_fields: Path) -> None:
    SimulationRun(load(with_fields, ["run.until=0.1"])).run()
    with pytest.raises(InputError, match=r"'external\.0\.mass' was 5\.0 when it was begun, but is 6\.0 now"):
        SimulationRun(load(with_fields, ["external.0.mass=6.0"]), resume=True)
    resumed = SimulationRun(load(with_fields, ["run.until=0.2"]), resume=True)
    assert resumed.run() is None


WRONG_FILES = {
    "no model": ("[[external]]\nmass = 1.0", r"'external\.0\.model' is missing: known are point-mass, uniform"),
    "another model": ('[[external]]\nmodel = "nwf"', r"'external\.0\.model' is 'nwf': did you mean 'nfw'"),
    "a key": ('[[external]]\nmodel = "point-mass"\nmass = 1.0\nmas = 1.0', r"unknown key 'external\.0\.mas'"),
    "a value": (
        '[[external]]\nmodel = "point-mass"\nmass = -1.0',
        r"'external\.0\.mass' is -1\.0, but must be above 0",
    ),
    "missing": ('[[external]]\nmodel = "nfw"\nmass = 1.0', r"'external\.0\.scale_radius' is missing: scale radius"),
    "two numbers": (
        '[[external]]\nmodel = "uniform"\nacceleration = [0.0, 1.0]',
        r"'external\.0\.acceleration' is \[0\.0, 1\.0\], but must be a list of three numbers",
    ),
    "a section": ('[external]\nmodel = "nfw"', r"'external' must be one or several tables, \[\[external\]\]"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_field_in_a_file_is_one_sentence(name: str, parameter_file: Path) -> None:
    table, sentence = WRONG_FILES[name]
    parameter_file.write_text(parameter_file.read_text() + table)
    with pytest.raises(InputError, match=sentence):
        load(parameter_file)


@pytest.mark.parametrize("change", ["external.2.mass=1", "external.mass=1", "external.first.mass=1"])
def test_a_field_that_is_not_there_cannot_be_set(change: str, with_fields: Path) -> None:
    with pytest.raises(InputError, match=rf"^--set {change}: .*external"):
        load(with_fields, [change])

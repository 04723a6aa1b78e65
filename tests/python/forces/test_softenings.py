"""Softening by type and by particle: in Python, in parameter files, on the way through files, on ranks."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from conftest import Command
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint, read_snapshot, write_checkpoint, write_snapshot
from trellis.run.simulation_run import SimulationRun

Softening = float | dict[str, float] | Literal["particles"]
BY_TYPE: Softening = {"gas": 0.05, "halo": 0.3}


def gas_and_halo(particles: int = 600) -> tr.ParticleSet:
    """Every third particle of a sphere is gas."""
    made = tr.ic.plummer(particles, seed=3)
    made.add_field("type")
    made.type = np.minimum(np.arange(particles) % 3, 1)
    return made


def accelerations(particles: tr.ParticleSet, softening: Softening) -> tr.Simulation:
    sim = tr.Simulation(particles, [tr.Gravity(softening=softening, accuracy=1e-4)], timestep=0.01)
    sim.energies()
    return sim


def direct(particles: tr.ParticleSet) -> NDArray[np.float64]:
    apart = particles.position[None, :] - particles.position[:, None]
    half = particles.softening**2 / 2
    widened = (apart**2).sum(axis=2) + half[:, None] + half
    pull: NDArray[np.float64] = np.einsum("j,ij,ijk->ik", particles.mass, widened**-1.5, apart)
    return pull


@pytest.mark.parametrize("softening", [BY_TYPE, "particles"], ids=["types", "particles"])
def test_accelerations_are_those_of_direct_summation(softening: Softening) -> None:
    particles = gas_and_halo()
    if softening == "particles":
        particles.add_field("softening", unit="length")
        particles.softening = np.random.default_rng(1).uniform(0.03, 0.3, len(particles))
    sim = accelerations(particles, softening)
    expected = direct(sim.particles)
    errors = np.linalg.norm(sim.particles.acceleration - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert np.sqrt((errors**2).mean()) < 1e-4
    assert sim.force_error(200)["rms"] < 1e-4


def test_types_set_the_field_of_the_particles() -> None:
    sim = accelerations(gas_and_halo(9), BY_TYPE)
    assert sim.particles.softening.tolist() == [0.05, 0.3, 0.3] * 3
    more = gas_and_halo(3)
    more.id += 100
    sim.add(more)
    assert sim.particles[[100, 101]].softening.tolist() == [0.05, 0.3]


def test_energy_is_conserved() -> None:
    sim = tr.Simulation(gas_and_halo(), [tr.Gravity(softening=BY_TYPE, accuracy=1e-4)], timestep=1 / 256)
    sim.run(until=0.5)
    assert abs(sim.energies().error) < 1e-4


def test_equal_softenings_are_that_of_all() -> None:
    one, each = (accelerations(gas_and_halo(), length) for length in (0.1, {"gas": 0.1, "halo": 0.1}))
    assert one.interactions == each.interactions
    assert each.particles.acceleration == pytest.approx(one.particles.acceleration, rel=1e-5, abs=1e-6)


def test_settings_and_repr() -> None:
    assert tr.Gravity(softening=BY_TYPE).settings["softening"] == BY_TYPE
    assert repr(tr.Gravity(softening=BY_TYPE)) == "Gravity(softening={'gas': 0.05, 'halo': 0.3})"
    assert repr(tr.Gravity(softening="particles")) == "Gravity(softening='particles')"
    assert repr(tr.Gravity(softening=0.0)) == "Gravity()"


@pytest.mark.parametrize(
    ("softening", "sentence"),
    [
        ({"gass": 0.1}, "softening has 'gass': the types are gas, halo, disk, bulge, stars and boundary"),
        ({"gas": -0.1}, "softening of gas is -0.1: allowed is 0 or more"),
        ({"gas": float("nan")}, "softening of gas is nan: allowed is 0 or more"),
        ({}, "softening names no type of particles"),
        (-1, "softening is -1: allowed is 0 or more"),
    ],
)
def test_softenings_that_are_wrong(softening: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        tr.Gravity(softening=softening)  # type: ignore[arg-type]


@pytest.mark.parametrize("softening", ["soft", [0.1], {"gas": "soft"}, {1: 0.1}])
def test_softenings_of_another_type(softening: object) -> None:
    with pytest.raises(TypeError, match=r"^softening is .*: allowed is a number, a dict of numbers or"):
        tr.Gravity(softening=softening)  # type: ignore[arg-type]


def test_particles_that_have_none() -> None:
    with pytest.raises(ValueError, match=r"^gravity has a softening by type, but the particles have no field 'type'$"):
        accelerations(tr.ic.plummer(9), BY_TYPE)
    with pytest.raises(ValueError, match=r"softening of each particle, but the particles have no field 'softening'$"):
        accelerations(tr.ic.plummer(9), "particles")
    with pytest.raises(ValueError, match=r"at index 1 is of type 1 \(halo\), for which gravity has no softening$"):
        accelerations(gas_and_halo(9), {"gas": 0.1})
    negative = gas_and_halo(9)
    negative.add_field("softening")
    negative.softening[4] = -1
    with pytest.raises(ValueError, match=r"^column 'softening' is -1 at index 4: allowed is 0 or more$"):
        accelerations(negative, "particles")


def resident(particles: tr.ParticleSet, softening: Softening = BY_TYPE) -> tr.Simulation:
    gravity = tr.Gravity(softening=softening, method="tree", order=1, accuracy=1e-4, lists="reuse", reuse_steps=4)
    return tr.Simulation(particles, [gravity], timestep=1 / 256, device="cpu", resident=True)


@pytest.mark.parametrize("softening", [BY_TYPE, "particles"], ids=["types", "particles"])
def test_particles_that_stay_on_a_device(softening: Softening) -> None:
    particles = gas_and_halo()
    if softening == "particles":
        particles.add_field("softening", unit="length")
        particles.softening = np.random.default_rng(1).uniform(0.03, 0.3, len(particles))
    sim = resident(particles, softening)
    before, momentum = sim.energies().total, sim.momentum()
    expected = direct(sim.particles)
    errors = np.linalg.norm(sim.particles.acceleration - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert np.sqrt((errors**2).mean()) < 1e-4
    assert sim.force_error(200)["rms"] < 1e-4
    sim.run(until=0.5)
    assert abs(sim.energies().error) < 1e-4
    assert sim.energies().total != before
    assert np.abs(sim.momentum() - momentum).max() < 1e-5


def test_particles_that_stay_on_a_device_resume_bit_for_bit(tmp_path: Path) -> None:
    whole, part = resident(gas_and_halo()), resident(gas_and_halo())
    whole.run(steps=10)
    part.run(steps=6)
    write_checkpoint(tmp_path / "checkpoint.hdf5", part.state())
    resumed = tr.Simulation.resume(
        read_checkpoint(tmp_path / "checkpoint.hdf5"), part.forces, 1 / 256, device="cpu", resident=True
    )
    resumed.run(steps=4)
    assert np.array_equal(resumed.particles.position, whole.particles.position)
    assert np.unique(resumed.particles.softening).tolist() == [0.05, 0.3]


def test_particles_that_stay_on_a_device_without_softenings() -> None:
    with pytest.raises(ValueError, match=r"softening of each particle, but the particles have no field 'softening'$"):
        resident(tr.ic.plummer(9), "particles")
    with pytest.raises(ValueError, match=r"at index 1 is of type 1 \(halo\), for which gravity has no softening$"):
        resident(gas_and_halo(9), {"gas": 0.1})


def gas_in_a_halo() -> tr.ParticleSet:
    """Evrard's sphere, every third particle of which is gas."""
    made = tr.ic.evrard(1500)
    made.add_field("type")
    made.type = np.minimum(np.arange(len(made)) % 3, 1)
    return made


@pytest.mark.parametrize("first", ["gravity", "gas"])
def test_a_gas_softens_its_gravity_beside_a_halo_with_a_softening_of_its_own(first: str) -> None:
    def collapsed(softening: dict[str, float], *, adaptive: bool = True) -> tr.Simulation:
        gravity = tr.Gravity(softening=softening, accuracy=1e-5)
        gas = tr.Sph(adaptive_softening=gravity if adaptive else None)
        sim = tr.Simulation(gas_in_a_halo(), [gravity, gas] if first == "gravity" else [gas, gravity], 0.004)
        sim.run(until=0.4)
        return sim

    fixed = collapsed({"gas": 0.02, "halo": 0.1}, adaptive=False)
    softer = collapsed({"gas": 0.02, "halo": 0.1})
    other = collapsed({"gas": 0.02, "halo": 0.2})
    for sim in (softer, other):
        assert abs(sim.energies().error) < 2e-4
        assert np.abs(sim.momentum()).max() < 1e-5
        assert sim.force_error(100)["median"] < 1e-5
    assert other.energies().potential > softer.energies().potential > fixed.energies().potential


def test_a_gas_that_softens_its_gravity_needs_softenings() -> None:
    gravity = tr.Gravity(softening={"gas": 0, "halo": 0.1})
    with pytest.raises(ValueError, match=r"^softening of row 0 is 0: allowed is above 0 with adaptive softening$"):
        tr.Simulation(gas_in_a_halo(), [gravity, tr.Sph(adaptive_softening=gravity)], 0.01).energies()


def test_softenings_in_files(tmp_path: Path) -> None:
    sim = accelerations(gas_and_halo(30), BY_TYPE)
    sim.run(steps=2)
    write_snapshot(tmp_path / "snapshot.hdf5", sim.particles)
    stored = read_snapshot(tmp_path / "snapshot.hdf5").particles
    assert np.array_equal(stored.softening[np.argsort(stored.id)], sim.particles.softening)
    write_checkpoint(tmp_path / "checkpoint.hdf5", sim.state())
    state = read_checkpoint(tmp_path / "checkpoint.hdf5")
    again = tr.Simulation.resume(state, sim.forces, 0.01)
    for each in (sim, again):
        each.run(steps=3)
    assert np.array_equal(again.particles.position, sim.particles.position)


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    write_snapshot(tmp_path / "start.hdf5", gas_and_halo())
    path = tmp_path / "run.toml"
    path.write_text(
        f"""
initial_conditions = "{tmp_path / "start.hdf5"}"
[gravity]
softening = {{ gas = 0.05, halo = 0.3 }}
[run]
until = 0.05
snapshot_every = 0.05
output = "{tmp_path / "out"}"
"""
    )
    return path


def test_a_run_by_type(run_file: Path) -> None:
    SimulationRun(load(run_file)).run()
    folder = run_file.parent / "out"
    assert load(folder / "parameters.toml").gravity == load(run_file).gravity
    assert "[gravity.softening]\ngas = 0.05\nhalo = 0.3\n" in (folder / "parameters.toml").read_text()
    particles = read_checkpoint(folder / "checkpoint.hdf5").particles
    assert np.unique(particles.softening).tolist() == [0.05, 0.3]
    with pytest.raises(InputError, match=r"'gravity.softening' was \{'gas': 0.05, 'halo': 0.3\} when"):
        SimulationRun(load(run_file, ["gravity.softening={ gas = 0.1, halo = 0.3 }"]), resume=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("{ gass = 0.1 }", "'gravity.softening' has 'gass': the types are gas, halo, "),
        ("{ gas = -1 }", "'gravity.softening' has gas = -1, but must be at least 0"),
        ("{ gas = inf }", "'gravity.softening' has gas = inf, but must be a finite number"),
        ("{ gas = 'x' }", "'gravity.softening.gas' is 'x', but must be a number"),
        ("{}", "'gravity.softening' names no type of particles"),
        ("true", "'gravity.softening' is True, but must be a number, numbers by type or 'particles'"),
    ],
)
def test_softenings_of_a_file_that_are_wrong(run_file: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        load(run_file, [f"gravity.softening={change}"])
    assert sentence in str(raised.value)


def test_whole_numbers_are_lengths(run_file: Path) -> None:
    changed = load(run_file, ["gravity.softening={ gas = 1, halo = 2 }"])
    assert changed.gravity is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert changed.gravity.model_dump()["softening"] == {"gas": 1.0, "halo": 2.0}


def test_steps_are_chosen_by_softenings(run_file: Path) -> None:
    load(run_file, ["gravity.softening=particles"])
    with pytest.raises(InputError, match=r"only \[sph\] and \[gravity\] with a softening do without"):
        load(run_file, ["gravity.softening={ gas = 0 }"])


def test_on_two_ranks(run_file: Path, mpirun: Command) -> None:
    program = run_file.parent / "program.py"
    program.write_text(
        "import trellis as tr\n"
        "from trellis.io import read_snapshot\n"
        f"particles = read_snapshot({str(run_file.parent / 'start.hdf5')!r}).particles\n"
        f"sim = tr.Simulation(particles, [tr.Gravity(softening={BY_TYPE}, compress=True)], timestep=0.01)\n"
        "sim.run(steps=10)\n"
        "error = sim.force_error(200)['rms']\n"
        "assert error < 1e-3, error\n"
        "assert abs(sim.energies().error) < 1e-3\n"
    )
    done: subprocess.CompletedProcess[str] = mpirun(2, program)
    assert done.returncode == 0, done.stderr

"""Coulomb's force between charges in a periodic box."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.run.simulation_run import SimulationRun


def rock_salt(along: int = 4) -> tr.ParticleSet:
    """Return ions at distance 1, of mass 2."""
    positions = np.indices((along,) * 3).reshape(3, -1).T.astype(float)
    ions = tr.ParticleSet.from_columns(position=positions, mass=np.full(along**3, 2.0))
    ions.add_field("charge")
    ions.charge[:] = 1 - 2 * (positions.sum(axis=1) % 2)
    ions.box = [[0.0] * 3, [float(along)] * 3]
    return ions


def test_rock_salt_has_the_madelung_constant() -> None:
    ions = rock_salt()
    sim = tr.Simulation(ions, forces=[tr.Coulomb(accuracy=1e-4)], timestep=0.01)
    sim.step()
    np.testing.assert_allclose(2 * ions.potential, -1.7475645946332, rtol=1e-4)


FACES = np.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
MIDDLE = np.array([[0, 0, 0], [0.5, 0.5, 0.5]])
SPHERE = (4 * np.pi / 3) ** (1 / 3)  # the side of a cube that is as large as a sphere of radius 1


@pytest.mark.parametrize(
    ("basis", "charges", "side", "energy"),
    [
        (MIDDLE, [1, -1], 2 / 3**0.5, -1.76267477 / 2),
        (np.concatenate([FACES, FACES + 0.25]), [1] * 4 + [-1] * 4, 4 / 3**0.5, -1.63805506 / 2),
        (np.concatenate([FACES, FACES + 0.25, FACES + 0.75]), [2] * 4 + [-1] * 8, 4 / 3**0.5, -5.03878488 / 3),
        (MIDDLE[:1], [1], SPHERE, -0.88005944),
        (MIDDLE, [1, 1], 2 ** (1 / 3) * SPHERE, -0.89592926),
        (FACES, [1] * 4, 4 ** (1 / 3) * SPHERE, -0.89587362),
    ],
    ids=["CsCl", "ZnS", "CaF2", "cubic", "body-centred", "face-centred"],
)
def test_crystals_have_their_known_energies(
    basis: NDArray[np.float64], charges: list[int], side: float, energy: float
) -> None:
    """Of an ion: neighbours at distance 1 (Madelung's constants), or charges of one sign in a background (Wigner's)."""
    cells = np.indices((4, 4, 4)).reshape(3, -1).T
    position = side * (basis[:, None] + cells).reshape(-1, 3)
    ions = tr.ParticleSet.from_columns(position=position, mass=1.0, charge=np.repeat(charges, 64), box=4 * side)
    sim = tr.Simulation(ions, [tr.Coulomb(accuracy=1e-4)], timestep=0.01)
    assert sim.energies().potential / len(ions) == pytest.approx(energy, rel=1e-5)


def test_charges_of_both_signs_have_the_forces_of_ewald() -> None:
    random = np.random.default_rng(1)
    ions = tr.ParticleSet.from_columns(position=random.random((1000, 3)), mass=random.uniform(1, 2, 1000))
    ions.add_field("charge")
    ions.charge[:] = random.uniform(-1, 1, 1000)
    ions.box = [[0, 0, 0], [1, 1, 1]]
    sim = tr.Simulation(ions, forces=[tr.Coulomb(softening=0.002, coupling=2.0)], timestep=1e-6)
    sim.step()
    assert sim.force_error(1000)["rms"] < 1e-3  # each over its own force, which may nearly cancel
    assert (np.abs((ions.mass[:, None] * ions.acceleration).sum(axis=0)) < 1e-3 * np.abs(ions.acceleration).sum()).all()


@pytest.mark.parametrize("accuracy", [1e-2, 1e-3])
@pytest.mark.parametrize("spread", [0.03, 0.15, 0.3])
def test_hot_salt_has_the_accuracy_asked_for_of_each_charge(spread: float, accuracy: float) -> None:
    ions = rock_salt(16)
    ions.position += np.random.default_rng(3).normal(size=ions.position.shape) * spread
    sim = tr.Simulation(ions, forces=[tr.Coulomb(softening=0.05, accuracy=accuracy)], timestep=1e-6)
    sim.step()
    assert sim.force_error(300)["rms"] < accuracy


def test_particles_without_charges_are_refused() -> None:
    particles = tr.ParticleSet.from_columns(position=np.zeros((1, 3)), mass=1.0)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    with pytest.raises(tr.InputError, match="the particles have no field 'charge'"):
        tr.Simulation(particles, forces=[tr.Coulomb()], timestep=0.1)


FILE = """
initial_conditions = "ions.hdf5"

[coulomb]
accuracy = 1e-4
coupling = 2.0

[run]
timestep = 0.01
until = 0.06
snapshot_every = 0.03
output = "out"
"""


def file_of(folder: Path, text: str = FILE) -> Path:
    """Write ions that are not quite at rest, and the parameter file of a run of theirs."""
    ions = rock_salt()
    ions.position[:] += np.random.default_rng(2).uniform(-0.1, 0.1, ions.position.shape)
    tr.io.write_snapshot(folder / "ions.hdf5", ions)
    path = folder / "ions.toml"
    path.write_text(text)
    return path


def test_a_parameter_file_runs_and_resumes(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    SimulationRun(load(path, [f"run.output={tmp_path}/whole"])).run()
    SimulationRun(load(path, [f"run.output={tmp_path}/part", "run.until=0.03"])).run()
    SimulationRun(load(path, [f"run.output={tmp_path}/part"]), resume=True).run()
    whole, resumed = (tr.io.read_checkpoint(tmp_path / name / "checkpoint.hdf5") for name in ("whole", "part"))
    assert whole.step_count == 6
    assert (whole.particles.position == resumed.particles.position).all()

    ions = tr.io.read_snapshot(tmp_path / "ions.hdf5").particles
    tr.Simulation(ions, [tr.Coulomb(accuracy=1e-4, coupling=2.0)], 0.01).run(steps=6)
    order = np.argsort(ions.id)
    last = tr.io.read_snapshot(tmp_path / "whole" / "snapshot_0002.hdf5").particles
    assert (last.position[np.argsort(last.id)] == ions.position[order]).all()
    assert (last.charge[np.argsort(last.id)] == ions.charge[order]).all()
    assert load(tmp_path / "whole" / "parameters.toml").coulomb == load(path).coulomb


@pytest.mark.parametrize(
    ("section", "without", "what"),
    [
        ("[cosmology]\nomega_m = 0.3\nh = 0.7", "timestep = 0.01", r"\[coulomb\] does not go with \[cosmology\]"),
        (
            "[replica_exchange]\ntemperatures = [1.0, 1.1]",
            "snapshot_every = 0.03",
            r"goes with one of \[lennard_jones\], \[gravity\] and \[pair\], and no other forces",
        ),
    ],
)
def test_what_does_not_go_together_is_said(tmp_path: Path, section: str, without: str, what: str) -> None:
    text = FILE.replace(without, "").replace("[run]", f"{section}\n[run]")
    with pytest.raises(tr.InputError, match=what):
        load(file_of(tmp_path, text))


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("softening", "-1", "'coulomb.softening' is -1, but must be at least 0"),
        ("coupling", '"2 J"', "'coulomb.coupling' is '2 J', but"),
        ("theta", "0.5", "unknown key 'coulomb.theta'"),
    ],
)
def test_a_wrong_parameter_is_named(tmp_path: Path, key: str, value: str, what: str) -> None:
    with pytest.raises(tr.InputError, match=what):
        load(file_of(tmp_path), [f"coulomb.{key}={value}"])


def test_a_run_without_charges_ends_with_a_sentence(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    ions = tr.ParticleSet.from_columns(position=rock_salt().position, mass=1.0)
    ions.box = [[0.0] * 3, [4.0] * 3]
    tr.io.write_snapshot(tmp_path / "ions.hdf5", ions)
    with pytest.raises(tr.InputError, match="the particles have no field 'charge'"):
        SimulationRun(load(path, [f"run.output={tmp_path}/out"])).run()
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").glob("*.hdf5"))

"""Fixed particles: walls of a liquid, masks of them, velocities that forces read, temperatures, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.run.simulation_run import SimulationRun

LJ = tr.LennardJones(truncation="force-shifted", precision="double")


def between_walls(speed: float = 0.0) -> tuple[tr.ParticleSet, NDArray[np.bool_]]:
    """Return a liquid between walls of two layers of atoms, of which the upper moves along x, and the mask of these."""
    atoms = tr.ic.lennard_jones(500, density=0.8, temperature=1.0)
    low, high = atoms.box
    atoms.box = [low, high + np.array([0, 0, 1.5])]
    z = atoms.position[:, 2]
    layers = np.unique(np.round(z, 6))
    wall = (z < layers[1] + 0.1) | (z > layers[-2] - 0.1)
    atoms.fixed = wall
    atoms.velocity[wall] = 0
    atoms.velocity[wall & (z > layers[4]), 0] = speed
    return atoms, wall


def test_masks_fix_particles() -> None:
    mask = np.array([True, False, False])
    made = tr.ParticleSet.from_columns(position=np.eye(3), mass=1.0, fixed=mask)
    assert made.fixed.tolist() == [1, 0, 0]
    made.fixed = ~mask
    assert made.fixed.tolist() == [0, 1, 1]
    other = tr.ParticleSet(3)
    other.add_field("fixed", values=[True, True, False])
    assert other.fixed.tolist() == [1, 1, 0]
    other[2:].fixed = True
    assert other.fixed.tolist() == [1, 1, 1]
    other.id = [3, 4, 5]
    with pytest.warns(UserWarning, match="fixed = 0"):
        assert (tr.ParticleSet(3) + other).fixed.tolist() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(ValueError, match="column 'mass' is given truth values"):
        made.mass = mask


@pytest.mark.parametrize(
    "bath",
    [
        None,
        tr.Langevin(temperature=1.0, relaxation_time=0.2),
        tr.Andersen(temperature=1.0, relaxation_time=0.2),
        tr.Csvr(temperature=1.0, relaxation_time=0.2),
        tr.NoseHoover(temperature=1.0, relaxation_time=0.5),
    ],
)
def test_walls_keep_their_velocity_and_show_their_force(bath: tr.Thermostat | None) -> None:
    atoms, wall = between_walls(speed=0.5)
    start, velocity = atoms.position[wall].copy(), atoms.velocity[wall].copy()
    sim = tr.Simulation(atoms, [LJ], timestep=0.002, thermostat=bath)
    sim.run(steps=100)
    np.testing.assert_array_equal(atoms.velocity[wall], velocity)
    moved = atoms.unwrapped_position()[wall] if "image" in atoms.field_names else atoms.position[wall]
    high = atoms.box[1] - atoms.box[0]
    apart = moved - start - sim.time * velocity
    assert np.abs(apart - high * np.round(apart / high)).max() < 1e-12
    force = atoms.mass[:, None] * atoms.acceleration
    assert np.abs(force[wall]).max() > 1
    np.testing.assert_allclose(force[wall].sum(axis=0), -force[~wall].sum(axis=0), atol=1e-8)
    own = atoms.velocity[~wall] - atoms.velocity[~wall].mean(axis=0)
    assert sim.temperature() == pytest.approx((own**2).sum() / (3 * (~wall).sum() - 3))
    assert sim.energies().kinetic == pytest.approx(0.5 * (atoms.velocity[~wall] ** 2).sum())
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), abs=1e-10)


def test_walls_at_rest_conserve_energy() -> None:
    atoms, _ = between_walls()
    sim = tr.Simulation(atoms, [LJ], timestep=0.002, thermostat=tr.NoseHoover(temperature=1.0, relaxation_time=0.5))
    sim.run(steps=300)
    assert abs(sim.energies().error) < 2e-4


@tr.interaction
def pulled(i, j, out):  # type: ignore[no-untyped-def]
    """Attraction, and the velocity of the other."""
    out.acceleration += j.mass * (j.position - i.position + j.velocity)


@pytest.mark.parametrize("force", [pulled(cutoff=10.0), pulled()], ids=["short_range", "long_range"])
@pytest.mark.filterwarnings("ignore:pulled")
def test_forces_read_the_velocity_that_a_fixed_particle_keeps(force: tr.Force) -> None:
    """Not one that its acceleration would have given it by the time of the positions."""
    pair = tr.ParticleSet.from_columns(position=[[0, 0, 0], [1, 0, 0]], mass=1.0, fixed=[1, 0])
    sim = tr.Simulation(pair, [force], timestep=0.1)
    sim.run(steps=3)
    assert pair.acceleration[0, 0] > 0.1
    np.testing.assert_allclose(pair.acceleration[1], pair.position[0] - pair.position[1], atol=1e-6)


@tr.interaction(vectors=["spin", "spin_rate"], evolves={"spin": "spin_rate", "heat": "heat_rate"})
def rub(i, j, out):  # type: ignore[no-untyped-def]
    d = j.position - i.position
    slip = j.velocity - i.velocity - tr.cross(i.spin + j.spin, d)
    out.acceleration += slip
    out.spin_rate += tr.cross(d, slip)
    out.heat_rate += tr.dot(slip, slip)


@pytest.mark.parametrize("timestep", [0.01, tr.IndividualSteps(longest=0.04)], ids=["leapfrog", "individual"])
def test_fixed_grains_keep_their_spin_and_take_heat(timestep: float | tr.IndividualSteps) -> None:
    grains = tr.ParticleSet.from_columns(
        position=[[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        mass=1.0,
        velocity=[[0, 0, 0], [0, 1, 0], [0.5, 0, 0]],
        fixed=[1, 0, 0],
    )
    grains.add_field("spin", 3)
    grains.spin[0] = [0, 0, 0.5]
    grains.add_field("heat")
    limit = tr.StepLimit(lambda particles: 0.03 - 0.01 * particles.id)
    forces = [rub(cutoff=5.0), limit] if isinstance(timestep, tr.IndividualSteps) else [rub(cutoff=5.0)]
    sim = tr.Simulation(grains, forces, timestep, keep_order=True)
    sim.run(until=0.4)
    assert grains.spin[0].tolist() == [0, 0, 0.5]
    assert grains.velocity[0].tolist() == [0, 0, 0]
    assert np.abs(grains.spin_rate[0]).max() > 1e-2
    assert np.abs(grains.spin[1:]).max() > 1e-2
    assert (grains.heat > 1e-2).all()


def test_particles_that_are_all_fixed_take_the_longest_step() -> None:
    stars = tr.ic.plummer(50, seed=1)
    stars.fixed = np.ones(50, bool)
    sim = tr.Simulation(stars, [tr.Gravity(softening=0.01)], timestep=tr.IndividualSteps(longest=1 / 16))
    before = stars.position + 0.125 * stars.velocity
    sim.run(steps=2)
    order = np.argsort(sim.particles.id)
    assert np.allclose(sim.particles.position[order], before, rtol=1e-14)
    assert sim.rung_use is not None
    assert sim.rung_use["particles"][0] == 50


def test_a_checkpoint_goes_on_bit_for_bit(tmp_path: Path) -> None:
    atoms, wall = between_walls(speed=0.5)
    bath = tr.Csvr(temperature=1.0, relaxation_time=0.2, seed=1)
    whole = tr.Simulation(atoms, [LJ], timestep=0.002, thermostat=bath)
    whole.run(steps=20)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", whole.state())
    whole.run(steps=20)
    state = tr.io.read_checkpoint(tmp_path / "state.hdf5")
    bath = tr.Csvr(temperature=1.0, relaxation_time=0.2, seed=1)
    resumed = tr.Simulation.resume(state, [LJ], timestep=0.002, thermostat=bath)
    resumed.run(steps=20)
    assert (resumed.particles.fixed > 0).sum() == wall.sum()
    for name in ("position", "velocity", "acceleration", "fixed"):
        assert whole.particles.column(name).tobytes() == resumed.particles.column(name).tobytes(), name


def test_particles_are_fixed_and_set_free_between_steps() -> None:
    stars = tr.ic.plummer(100, seed=1)
    sim = tr.Simulation(stars, [tr.Gravity(softening=0.1)], timestep=0.01)
    sim.run(steps=2)
    stars.fixed = 1
    held = stars.velocity.copy()
    sim.run(steps=2)
    np.testing.assert_array_equal(stars.velocity, held)
    assert sim.temperature() == 0
    stars.fixed = 0
    sim.run(steps=1)
    assert (stars.velocity != held).any(axis=1).all()


def test_particles_on_a_device_all_move() -> None:
    atoms, _ = between_walls()
    atoms.fixed = 0
    sim = tr.Simulation(atoms, [tr.LennardJones()], timestep=0.002, device="cpu", resident=True)
    sim.run(steps=1)
    sim.particles.fixed = 1
    with pytest.raises(ValueError, match="particles are fixed, but those that stay on a device all move"):
        sim.run(steps=1)
    with pytest.raises(ValueError, match="particles are fixed, but those that stay on a device all move"):
        tr.Simulation(atoms, [tr.LennardJones()], timestep=0.002, device="cpu", resident=True)


RUN = """
initial_conditions = "walls.hdf5"

[run]
timestep = 0.002
until = 0.02
snapshot_steps = 10
output = "out"

[lennard_jones]
truncation = "force-shifted"
"""


def test_a_run_begins_with_the_fixed_particles_of_a_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    atoms, wall = between_walls(speed=0.5)
    tr.io.write_snapshot(tmp_path / "walls.hdf5", atoms)
    (tmp_path / "run.toml").write_text(RUN)
    run = SimulationRun(load(tmp_path / "run.toml"))
    assert run.alarm.off == "fixed particles that move do work"
    run.run()
    end = tr.io.read_checkpoint(tmp_path / "out/checkpoint.hdf5").particles
    order = np.argsort(end.id)
    np.testing.assert_array_equal(end.fixed[order] > 0, wall)
    np.testing.assert_array_equal(end.velocity[order][wall], atoms.velocity[wall])

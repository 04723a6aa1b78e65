"""Image flags: how far particles go in a periodic box, in memory and in trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trellis as tr

hoomd: Any = pytest.importorskip("gsd.hoomd")


def gas(count: int = 20) -> tr.ParticleSet:
    """Free particles of speeds up to 3 in a box of side 1."""
    random = np.random.default_rng(7)
    made = tr.ParticleSet.from_columns(
        position=random.random((count, 3)), velocity=random.uniform(-3, 3, (count, 3)), mass=1.0
    )
    made.box = [[0.0, 0.0, -np.inf], [1.0, 2.0, np.inf]]
    return made


def test_image_flags_of_a_trajectory_are_how_far_a_particle_went(tmp_path: Path) -> None:
    """One that crosses ten faces of a box of side 1 was written with image flags of 0."""
    particles = tr.ParticleSet.from_columns(position=[[0.5, 0.5, 0.5]], velocity=[[1.0, 0, 0]], mass=1.0)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    sim = tr.Simulation(particles, [], timestep=0.05)
    with tr.io.Trajectory(tmp_path / "images.gsd") as trajectory:
        sim.run(until=10.0, callbacks=[(1, trajectory.write)])
    with hoomd.open(tmp_path / "images.gsd") as frames:
        x = [float(each.particles.position[0, 0] + each.particles.image[0, 0]) for each in frames]
    assert x[-1] - x[0] == pytest.approx(9.95, abs=1e-5)


def test_images_are_counted_on_request_along_periodic_axes_and_over_checkpoints(tmp_path: Path) -> None:
    free, box = gas(), gas()
    start, velocity = box.position.copy(), box.velocity.copy()
    box.count_images()
    sim = tr.Simulation(box, [tr.LennardJones(epsilon=1e-12, sigma=1e-3, cutoff=0.3)], timestep=0.01)
    sim.run(until=1.0)
    tr.io.write_checkpoint(tmp_path / "half.hdf5", sim.state())
    state = tr.io.read_checkpoint(tmp_path / "half.hdf5")
    again = tr.Simulation.resume(state, [tr.LennardJones(epsilon=1e-12, sigma=1e-3, cutoff=0.3)], 0.01)
    again.run(until=2.0)
    moved = again.particles
    order = np.argsort(moved.id)
    np.testing.assert_allclose(moved.unwrapped_position()[order], start + 2.0 * velocity, atol=1e-6)
    assert (moved.image[:, 2] == 0).all()
    assert np.abs(moved.image).max() >= 4
    assert "image" not in free.field_names


def test_systems_of_an_ensemble_have_theirs(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    systems = []
    for _ in range(2):
        made = tr.ParticleSet.from_columns(
            position=5 * random.random((4, 3)), velocity=random.normal(size=(4, 3)), mass=1.0
        )
        made.box = [[0.0] * 3, [5.0] * 3]
        systems.append(made)
    bath = tr.Andersen(temperature=1.0, relaxation_time=1e12, seed=1)  # without a collision
    ensemble = tr.Ensemble(systems, None, timestep=0.1, thermostat=bath)
    exchange = tr.ReplicaExchange(ensemble, [1.0, 1.0], exchange_every=100)
    with tr.io.ReplicaTrajectories(tmp_path, exchange, by="replica") as files:
        for _ in range(3):
            exchange.run(1)
            files.write()
    with hoomd.open(tmp_path / "replica_000.gsd") as frames:
        last = frames[-1].particles
        went = last.position + 2.5 + 5.0 * last.image - systems[0].position
    np.testing.assert_allclose(went, 30.0 * systems[0].velocity, atol=1e-3)
    assert np.abs(last.image).max() > 1


def test_the_mean_squared_displacement_is_that_of_the_definition(tmp_path: Path) -> None:
    walk = np.random.default_rng(1).normal(size=(50, 30, 3)).cumsum(axis=0)
    found = tr.analysis.mean_squared_displacement(walk, interval=0.5)
    direct = [0.0, *(((walk[lag:] - walk[:-lag]) ** 2).sum(axis=2).mean() for lag in range(1, 50))]
    np.testing.assert_allclose(found.square, direct, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.time, 0.5 * np.arange(50))
    particles = gas()
    sim = tr.Simulation(particles, [], timestep=0.05)
    with tr.io.Trajectory(tmp_path / "gas.gsd") as trajectory:
        sim.run(until=5.0, callbacks=[(2, trajectory.write)])
    of_file = tr.analysis.mean_squared_displacement(tmp_path / "gas.gsd")
    speed2 = (particles.velocity**2).sum(axis=1).mean()
    np.testing.assert_allclose(of_file.square, speed2 * of_file.time**2, rtol=1e-4, atol=1e-4)


def test_displacements_in_a_box_that_breathes_are_not_those_of_its_faces(tmp_path: Path) -> None:
    """Particles at rest that had gone through 40 boxes moved by 40 times the change of a side."""
    atoms = tr.ParticleSet.from_columns(position=np.full((2, 3), 5.0), mass=1.0, box=10.0)
    with tr.io.Trajectory(tmp_path / "breathing.gsd") as trajectory:
        for step, side in enumerate([10.0, 10.0, 10.5, 9.5, 10.0]):
            atoms.box = side
            atoms.position = side / 2 + 40 * side * (step > 0)
            trajectory.add(atoms, step, float(step))
    moved = tr.analysis.mean_squared_displacement(tmp_path / "breathing.gsd")
    np.testing.assert_allclose(moved.square[-1], 3 * 400.0**2)
    np.testing.assert_allclose(moved.square[1], 3 * 400.0**2 / 4)  # the first step alone


def test_what_is_no_trajectory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.gsd").write_text("no trajectory")
    with pytest.raises(tr.InputError, match=r"text\.gsd' is not a trajectory"):
        tr.analysis.mean_squared_displacement(tmp_path / "text.gsd")
    with pytest.raises(tr.InputError, match="interval is None"):
        tr.analysis.mean_squared_displacement(np.zeros((3, 2, 3)))
    with pytest.raises(tr.InputError, match=r"shape \(3, 2\)"):
        tr.analysis.mean_squared_displacement(np.zeros((3, 2)), interval=1.0)

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import trellis as tr

hoomd = pytest.importorskip("gsd.hoomd")


def run(count: int = 50) -> tr.Simulation:
    return tr.Simulation(tr.ic.plummer(count, seed=1), [tr.Gravity(softening=0.1)], timestep=0.01)


def test_each_moment_is_the_simulations(tmp_path: Path) -> None:
    sim = run()
    positions, velocities = [], []

    def note(now: tr.Simulation) -> None:
        order = np.argsort(now.particles.id)
        positions.append(now.particles.position[order].copy())
        velocities.append(now.particles.velocity[order].copy())

    with tr.io.Trajectory(tmp_path / "stars.gsd") as trajectory:
        sim.run(until=0.3, callbacks=[(10, trajectory.write), (10, note)])
    with hoomd.open(tmp_path / "stars.gsd") as frames:
        assert [frame.configuration.step for frame in frames] == [10, 20, 30]
        assert [frame.log["time"][0] for frame in frames] == pytest.approx([0.1, 0.2, 0.3])
        for frame, position, velocity in zip(frames, positions, velocities, strict=True):
            assert frame.particles.position == pytest.approx(position, rel=1e-6)
            assert frame.particles.velocity == pytest.approx(velocity, rel=1e-6)
            assert frame.particles.mass == pytest.approx(0.02)
            assert (frame.configuration.box[:3] >= 2 * np.abs(position).max(axis=0) * (1 - 1e-6)).all()


def test_a_box_has_its_centre_at_the_origin(tmp_path: Path) -> None:
    particles = tr.ParticleSet.from_columns(
        position=[[1.0, 2.0, 7.0], [5.5, -3.0, 0.0]], mass=1.0, box=[[1, 1, -np.inf], [5, 3, np.inf]]
    )
    with tr.io.Trajectory(tmp_path / "two.gsd") as trajectory:
        trajectory.write(tr.Simulation(particles, [], timestep=0.1))
    with hoomd.open(tmp_path / "two.gsd") as frames:
        assert frames[0].configuration.box.tolist() == [4, 2, 14, 0, 0, 0]
        assert frames[0].particles.position.tolist() == [[-2, 0, 7], [-1.5, -1, 0]]


def test_kinds_and_charges_are_those_of_the_particles(tmp_path: Path) -> None:
    salt = tr.ParticleSet.from_columns(position=np.eye(4, 3), mass=[1, 2, 3, 4], charge=[0.5, -1, 0.25, 0], box=4.0)
    salt.kind = [2, 0, 1, 0]
    salt.id = [3, 2, 1, 0]
    with tr.io.Trajectory(tmp_path / "salt.gsd") as trajectory:
        trajectory.write(tr.Simulation(salt, [], timestep=0.1))
    with hoomd.open(tmp_path / "salt.gsd") as frames:
        found = frames[0].particles
    assert found.types == ["0", "1", "2"]
    assert found.typeid.tolist() == [0, 1, 0, 2]
    assert found.charge.tolist() == [0, 0.25, -1, 0.5]
    assert found.mass.tolist() == [4, 3, 2, 1]


def test_a_resumed_run_has_each_moment_once(tmp_path: Path) -> None:
    path = tmp_path / "stars.gsd"
    with tr.io.Trajectory(path) as trajectory:
        run().run(until=0.3, callbacks=[(5, trajectory.write)])
    again = run()
    again.run(until=0.15)
    with tr.io.Trajectory(path, append=True) as trajectory:
        again.run(until=0.25, callbacks=[(5, trajectory.write)])
    with hoomd.open(path) as frames:
        assert [frame.configuration.step for frame in frames] == [5, 10, 15, 20, 25]
        assert len({frame.particles.position[0, 0] for frame in frames}) == 5
    assert [file.name for file in tmp_path.iterdir()] == ["stars.gsd"]


def test_a_new_simulation_takes_no_moments_off(tmp_path: Path) -> None:
    """Its steps count from 0: a file of one that it goes on from lost all that was there."""
    sim = run()
    with tr.io.Trajectory(tmp_path / "two.gsd") as trajectory:
        sim.run(steps=4, callbacks=[(1, trajectory.write)])
    further = tr.Simulation(sim.particles, list(sim.forces), timestep=0.01, time=sim.time)
    further.run(steps=2)
    with tr.io.Trajectory(tmp_path / "two.gsd", append=True) as trajectory:
        with pytest.raises(ValueError, match=r"two.gsd' has step 2 at the time .*, but the simulation is at step 2"):
            trajectory.write(further)
        trajectory.add(further.particles, 4 + further.step_count, further.time)
    with hoomd.open(tmp_path / "two.gsd") as frames:
        assert [frame.configuration.step for frame in frames] == [1, 2, 3, 4, 6]


def test_what_is_written_is_there_before_the_file_is_closed(tmp_path: Path) -> None:
    sim = run()
    trajectory = tr.io.Trajectory(tmp_path / "stars.gsd")
    for moments in (1, 2):
        trajectory.write(sim)
        with hoomd.open(tmp_path / "stars.gsd") as frames:
            assert len(frames) == moments
    trajectory.close()


def test_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"cannot write '.*/no/a\.gsd': no such file or directory"):
        tr.io.Trajectory(tmp_path / "no" / "a.gsd")
    with pytest.raises(ValueError, match=r"there is no file '.*/a\.gsd'"):
        tr.io.Trajectory(tmp_path / "a.gsd", append=True)
    (tmp_path / "a.gsd").write_text("something else")
    with pytest.raises(ValueError, match=r"'.*/a\.gsd' is not a trajectory"):
        tr.io.Trajectory(tmp_path / "a.gsd", append=True)
    with (
        tr.io.Trajectory(tmp_path / "b.gsd") as trajectory,
        pytest.raises(ValueError, match="the simulation is a ParticleSet, but must be a Simulation"),
    ):
        trajectory.write(tr.ic.plummer(5))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "gsd.hoomd", None)
    with pytest.raises(RuntimeError, match="a trajectory needs the package gsd: pip install"):
        tr.io.Trajectory(tmp_path / "b.gsd")


def test_displacements_of_other_particles_are_refused(tmp_path: Path) -> None:
    stars = tr.ic.plummer(10)
    with tr.io.Trajectory(tmp_path / "a.gsd") as trajectory:
        for step in range(4):
            trajectory.add(stars, step, float(step))
    assert tr.analysis.mean_squared_displacement(tmp_path / "a.gsd").square.tolist() == [0.0] * 4
    stars.id[3] = 77
    with tr.io.Trajectory(tmp_path / "a.gsd", append=True) as trajectory:
        trajectory.add(stars, 4, 4.0)
    with pytest.raises(tr.InputError, match=r"of the same particles: those of step 4 are others than those of step 3$"):
        tr.analysis.mean_squared_displacement(tmp_path / "a.gsd")


def test_a_value_without_room_in_single_precision_is_refused(tmp_path: Path) -> None:
    stars = tr.ic.plummer(10)
    stars.mass = 2e43
    with tr.io.Trajectory(tmp_path / "a.gsd") as trajectory:
        with pytest.raises(tr.InputError, match=r"column 'mass' has 2e\+43, which single precision has no room for"):
            trajectory.add(stars, 0, 0.0)
        stars.mass = 1e33
        trajectory.add(stars, 0, 0.0)
    with hoomd.open(tmp_path / "a.gsd") as frames:
        assert len(frames) == 1
        assert np.isfinite(frames[0].particles.mass).all()


def test_of_several_ranks_is_that_of_one(tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """
import sys, trellis as tr
sim = tr.Simulation(tr.ic.plummer(200, seed=1), [tr.Gravity(softening=0.1)], timestep=0.01)
with tr.io.Trajectory(sys.argv[1]) as trajectory:
    sim.run(until=0.1, callbacks=[(5, trajectory.write)])
"""
    )
    frames = []
    for ranks in (1, 3):
        path = tmp_path / f"{ranks}.gsd"
        done = mpirun(ranks, program, path)
        assert done.returncode == 0, done.stderr
        with hoomd.open(path) as file:
            frames.append([frame.particles.position for frame in file])
    assert len(frames[0]) == 2
    assert np.allclose(frames[0], frames[1], rtol=1e-5, atol=1e-5)

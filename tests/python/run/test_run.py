"""Runs of a parameter file: what they write, and that they survive being killed."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Command, contents, logged_lines

import trellis as tr
from trellis.config import load
from trellis.errors import InputError, RunError
from trellis.io import read_checkpoint, read_snapshot
from trellis.output.energy_log import EnergyLog, read_energy_log
from trellis.run.simulation_run import SimulationRun

RESIDENT = ["run.device=cpu", "run.resident=true"]


def settings(changes: list[str]) -> list[str]:
    """Options of the command line."""
    return [argument for change in changes for argument in ("--set", change)]


@pytest.fixture
def unbroken(parameter_file: Path) -> Path:
    """The output folder of a run that nothing disturbed."""
    folder = parameter_file.parent / "unbroken"
    SimulationRun(load(parameter_file, [f"run.output={folder}"])).run()
    return folder


@pytest.mark.pixels
def test_what_a_run_writes(unbroken: Path) -> None:
    assert sorted(path.name for path in unbroken.iterdir()) == [
        "checkpoint.hdf5",
        "energy.csv",
        "overview.png",
        "parameters.toml",
        *(f"snapshot_{k:04d}.hdf5" for k in range(9)),
    ]
    times = [read_snapshot(unbroken / f"snapshot_{k:04d}.hdf5").time for k in range(9)]
    assert times == pytest.approx(0.1 * np.arange(9))
    log = read_energy_log(unbroken / "energy.csv")
    assert log["step"].tolist() == list(range(41))
    assert log["time"] == pytest.approx(0.02 * np.arange(41))
    assert log["total"] == pytest.approx(log["kinetic"] + log["potential"])
    assert log["relative_error"][0] == 0
    assert 0 < np.abs(log["relative_error"]).max() < 1e-3
    assert log["virial_ratio"][0] == pytest.approx(0.3, abs=0.1)
    assert read_checkpoint(unbroken / "checkpoint.hdf5").step_count == 40
    assert load(unbroken / "parameters.toml").run.timestep == 0.02


def test_the_log_has_internal_energy(tmp_path: Path) -> None:
    particles = tr.ic.plummer(20)
    particles.add_field("internal_energy")
    particles.internal_energy = 2.0
    sim = tr.Simulation(particles, [tr.Gravity(softening=0.1)], timestep=0.01)
    with EnergyLog(tmp_path / "energy.csv") as log:
        log.record(sim)
        particles.internal_energy = 3.0
        log.record(sim)
    lines = read_energy_log(tmp_path / "energy.csv")
    assert lines["internal"] == pytest.approx([2.0, 3.0])
    assert lines["total"] == pytest.approx(lines["kinetic"] + lines["potential"] + lines["internal"])
    assert lines["relative_error"] == pytest.approx([0.0, 1.0 / lines["total"][0]])
    assert lines["bath"].tolist() == [0.0, 0.0]


def test_rare_lines_and_snapshots_between_steps(parameter_file: Path) -> None:
    job = SimulationRun(
        load(parameter_file, ["run.log_every=7", "run.snapshot_every=0.15", "run.checkpoint_every=1e9"])
    )
    job.run()
    assert read_energy_log(job.folder.energy_log)["step"].tolist() == [0, 7, 14, 21, 28, 35]
    assert [read_snapshot(path).time for path in job.folder.snapshots()] == pytest.approx(
        [0.0, 0.14, 0.3, 0.44, 0.6, 0.74], abs=0.011
    )


@pytest.mark.parametrize(
    ("checkpoint_every", "more"),
    [
        (0, []),
        pytest.param(0.05, [], marks=pytest.mark.whole),
        pytest.param(0, ["gravity.lists=reuse", "gravity.opening_growth=0.02"], marks=pytest.mark.whole),
        (0, [*RESIDENT, "gravity.lists=reuse", "gravity.opening_growth=0.02"]),
    ],
)
def test_kill_at_any_moment_and_resume(
    parameter_file: Path, tmp_path: Path, checkpoint_every: float, more: list[str]
) -> None:
    """kill -9 at random moments, then resume: in the end every file is that of an unbroken run."""
    unbroken = tmp_path / "unbroken"
    SimulationRun(load(parameter_file, [f"run.output={unbroken}", *more])).run()
    folder = parameter_file.parent / "out"
    command = [
        sys.executable,
        "-m",
        "trellis",
        "run",
        parameter_file,
        "--set",
        f"run.checkpoint_every={checkpoint_every}",
        *settings(more),
    ]
    moments = random.Random(int(1000 * checkpoint_every))
    resume: list[str] = []
    # the first one is before or while the first line is written
    for lines in [0, *sorted(moments.sample(range(1, 40), 4))]:
        with subprocess.Popen([*command, *resume], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and logged_lines(folder) < lines:
                time.sleep(0.0005)
            time.sleep(moments.uniform(0.0, 0.02))
            process.kill()
        assert process.returncode == -signal.SIGKILL
        resume = ["--resume"] if (folder / "parameters.toml").exists() else []
    assert resume
    subprocess.run([*command, *resume], capture_output=True, check=True)
    assert contents(folder) == contents(unbroken)
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize(
    ("number", "code", "more"),
    [
        (signal.SIGINT, 130, []),
        (signal.SIGINT, 130, [*RESIDENT, "gravity.lists=reuse", "gravity.trust_reuse_steps=true"]),
        (signal.SIGTERM, 143, []),
        (signal.SIGHUP, 129, []),
    ],
)
def test_a_signal_stops_with_a_checkpoint_and_resume_goes_on(
    parameter_file: Path, tmp_path: Path, trellis: Command, number: signal.Signals, code: int, more: list[str]
) -> None:
    unbroken = tmp_path / "unbroken"
    SimulationRun(load(parameter_file, [f"run.output={unbroken}", *more])).run()
    folder = parameter_file.parent / "out"
    changes = settings(["run.checkpoint_every=1e9", *more])
    command = [sys.executable, "-m", "trellis", "run", str(parameter_file), *changes]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and logged_lines(folder) < 3:
        time.sleep(0.0005)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode == code, errors
    assert f"Stopped with a checkpoint in '{folder}' after {number.name}: continue with --resume." in output
    stopped_at = read_checkpoint(folder / "checkpoint.hdf5").step_count
    assert 0 < stopped_at < 40
    assert read_energy_log(folder / "energy.csv")["step"][-1] == stopped_at
    done = trellis("run", parameter_file, "--resume", *changes)
    assert done.returncode == 0
    first = done.stdout.splitlines()[0]
    assert first.startswith("Continuing 300 particles, ")
    assert first.endswith(f"N-body units (G = 1), from t = {stopped_at * 0.02:g}")
    assert contents(folder) == contents(unbroken)


def test_a_run_that_stays_on_a_device_is_that_of_the_host(parameter_file: Path, tmp_path: Path) -> None:
    def positions(place: str, *more: str) -> np.ndarray:
        folder = tmp_path / place
        SimulationRun(
            load(parameter_file, [f"run.output={folder}", "gravity.method=tree", "gravity.order=1", *more])
        ).run()
        particles = read_snapshot(folder / "snapshot_0004.hdf5").particles
        return particles.position[np.argsort(particles.id)]

    host, resident = positions("host"), positions("resident", *RESIDENT)
    assert 0 < np.abs(resident - host).max() < 1e-5 * np.abs(host).max()
    logs = [read_energy_log(tmp_path / place / "energy.csv") for place in ("host", "resident")]
    for name in ("kinetic", "potential"):
        np.testing.assert_allclose(logs[1][name], logs[0][name], rtol=1e-5)


def test_forces_on_a_device_are_checked_where_particles_stay(parameter_file: Path, trellis: Command) -> None:
    done = trellis("run", parameter_file, *settings([*RESIDENT, "run.until=0.1"]), "--check-forces", 50)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Relative force error of 50 particles") == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("gravity.method=treepm", "method is treepm, but particles that stay on a device have no mesh"),
        ("gravity.tune_sizes=true", "tune_sizes is on, but particles that stay on a device take no trial steps"),
        ("gravity.send=particles", "send is particles, but particles that stay on a device are not sent"),
        ("run.device_memory=1000", "device cpu is out of memory"),
    ],
)
def test_what_particles_on_a_device_cannot_follow_is_refused(
    parameter_file: Path, tmp_path: Path, change: str, message: str
) -> None:
    with pytest.raises((InputError, RunError), match=re.escape(message)):
        SimulationRun(load(parameter_file, [*RESIDENT, change]))
    assert not (tmp_path / "out").exists()


def test_a_finished_run_can_be_made_longer(parameter_file: Path, unbroken: Path) -> None:
    SimulationRun(load(parameter_file, ["run.until=0.36"])).run()
    job = SimulationRun(load(parameter_file), resume=True)
    assert not job.finished()
    job.run()
    assert contents(job.folder.path) == contents(unbroken)
    assert load(job.folder.parameters).run.until == 0.8
    assert SimulationRun(load(parameter_file), resume=True).finished()


def test_another_run_is_never_overwritten_silently(parameter_file: Path) -> None:
    file = load(parameter_file)
    SimulationRun(file).run()
    before = contents(Path(file.run.output))
    with pytest.raises(InputError, match="holds a run already: continue it with --resume, replace it with --overwrite"):
        SimulationRun(file)
    with pytest.raises(InputError, match=r"'ic.particles' was 300 when it was begun, but is 200 now"):
        SimulationRun(load(parameter_file, ["ic.particles=200"]), resume=True)
    parameter_file.write_text(parameter_file.read_text().replace("accuracy = 1e-4", "theta = 0.5"))
    with pytest.raises(InputError, match=r"'gravity.accuracy' was 0.0001 when it was begun, but is not given now"):
        SimulationRun(load(parameter_file), resume=True)
    assert contents(Path(file.run.output)) == before


def test_overwrite_replaces_a_run_but_no_other_files(parameter_file: Path, unbroken: Path) -> None:
    SimulationRun(load(parameter_file, ["ic.particles=100", "run.snapshot_every=0.02"])).run()
    folder = parameter_file.parent / "out"
    (folder / "notes.txt").write_text("mine")
    SimulationRun(load(parameter_file), overwrite=True).run()
    assert contents(folder) == contents(unbroken)
    assert (folder / "notes.txt").read_text() == "mine"


def test_overwrite_loses_nothing_if_the_new_run_cannot_begin(parameter_file: Path) -> None:
    file = load(parameter_file)
    SimulationRun(file).run()
    before = contents(Path(file.run.output))
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "nowhere.hdf5"\n[gravity]{rest}')
    with pytest.raises(InputError, match="there is no file"):
        SimulationRun(load(parameter_file), overwrite=True)
    assert contents(Path(file.run.output)) == before


def test_gravity_is_periodic_in_a_box(parameter_file: Path, tmp_path: Path) -> None:
    particles = tr.ic.sphere(20)
    particles.position *= 0.5
    particles.position[0] = [1.9, 0.0, 0.0]  # nearer to the sphere's image than to the sphere
    particles.box = [[-2] * 3, [2] * 3]
    tr.io.write_snapshot(tmp_path / "box.hdf5", particles)
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "box.hdf5"\n[gravity]{rest}')
    job = SimulationRun(load(parameter_file))
    job.simulation.step()
    assert (job.simulation.particles.box == [[-2] * 3, [2] * 3]).all()
    assert job.simulation.force_error()["rms"] < 1e-2
    alone = int(np.flatnonzero(job.simulation.particles.id == 0)[0])
    pull = job.simulation.particles.acceleration[alone, 0]
    assert abs(pull) < 0.1 * job.simulation.particles.mass.sum() / 1.9**2  # of both sides nearly the same


def test_resume_needs_a_run(parameter_file: Path) -> None:
    with pytest.raises(InputError, match="there is nothing to resume in"):
        SimulationRun(load(parameter_file), resume=True)


def test_a_run_killed_before_its_first_checkpoint_begins_again(parameter_file: Path, unbroken: Path) -> None:
    job = SimulationRun(load(parameter_file))
    job.run()
    job.folder.checkpoint.unlink()
    SimulationRun(load(parameter_file), resume=True).run()
    assert contents(job.folder.path) == contents(unbroken)


def test_a_disk_that_fills_up_during_a_run_loses_nothing(
    parameter_file: Path, unbroken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_file: int) -> None:
        raise OSError(28, "No space left on device")

    job = SimulationRun(load(parameter_file))
    with monkeypatch.context() as full:
        original = os.fsync

        def fsync(file: int) -> None:
            (fail if job.simulation.step_count >= 17 else original)(file)

        full.setattr(os, "fsync", fsync)
        with pytest.raises(RunError, match=r"cannot write '.*': no space left on device"):
            job.run()
    assert read_checkpoint(job.folder.checkpoint).step_count == 16
    SimulationRun(load(parameter_file), resume=True).run()
    assert contents(job.folder.path) == contents(unbroken)


def test_a_log_torn_in_the_middle_of_a_line_is_mended(parameter_file: Path, unbroken: Path) -> None:
    job = SimulationRun(load(parameter_file, ["run.until=0.4"]))
    job.run()
    lines = job.folder.energy_log.read_text().splitlines()
    with job.folder.energy_log.open("a") as file:
        file.write(f"21{lines[-1][2:]}\n2")  # line 21, and the beginning of 22
    SimulationRun(load(parameter_file), resume=True).run()
    assert contents(job.folder.path) == contents(unbroken)


def test_snapshots_after_the_last_checkpoint_are_forgotten(parameter_file: Path) -> None:
    job = SimulationRun(load(parameter_file, ["run.until=0.4"]))
    job.run()
    job.folder.snapshot(5).write_text("written after the last checkpoint")
    SimulationRun(load(parameter_file, ["run.until=0.42"]), resume=True).run()
    assert job.folder.snapshots() == [job.folder.snapshot(k) for k in range(5)]


def test_a_constant_of_ones_own_stays_with_the_units(parameter_file: Path) -> None:
    job = SimulationRun(load(parameter_file, ["gravity.G=2", "run.until=0.1"]))
    job.run()
    assert str(job.units) == "N-body units (G = 2)"
    assert read_snapshot(job.folder.snapshots()[0]).units.G == 2.0
    assert SimulationRun(load(parameter_file, ["gravity.G=2"]), resume=True).units == job.units


def test_a_log_that_is_none(parameter_file: Path) -> None:
    job = SimulationRun(load(parameter_file, ["run.until=0.1"]))
    job.run()
    before = contents(job.folder.path)
    for content in (b"", b"\xff\x00\n", b"step,time\n1,0.1\n"):
        job.folder.energy_log.write_bytes(content)
        with pytest.raises(InputError, match=r"energy.csv' is not an energy log"):
            SimulationRun(load(parameter_file), resume=True).run()
        assert job.folder.energy_log.read_bytes() == content
    before.pop("energy.csv")
    assert before.items() <= contents(job.folder.path).items()


def test_a_file_of_another_code_runs_as_it_is(halo: Path, tmp_path: Path) -> None:
    path = tmp_path / "halo.toml"
    path.write_text(
        f"""
initial_conditions = "{halo}"
[gravity]
softening = 1.0
[run]
until = 0.004
timestep = 0.001
output = "{tmp_path / "out"}"
snapshot_every = 0.002
"""
    )
    job = SimulationRun(load(path))
    assert job.simulation.forces[0].settings["G"] == pytest.approx(43007.1, rel=1e-5)
    job.run()
    assert job.simulation.energies().virial_ratio == pytest.approx(0.91, abs=0.01)  # of this file, which is cut off
    assert abs(job.simulation.energies().error) < 1e-4
    snapshot = read_snapshot(job.folder.snapshots()[-1])
    assert snapshot.units == job.units
    assert set(snapshot.particles.type) == {1.0}
    resumed = SimulationRun(load(path, ["run.until=0.005"]), resume=True)
    assert resumed.simulation.forces[0].settings["G"] == pytest.approx(43007.1, rel=1e-5)
    resumed.run()

"""Runs that are changed on purpose where they go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command, contents

from trellis import Gravity, Simulation
from trellis.config import load
from trellis.errors import InputError, RunError
from trellis.forces.external import Plummer, UniformField
from trellis.io import read_checkpoint, read_snapshot
from trellis.output.energy_log import read_energy_log
from trellis.run import simulation_run
from trellis.run.changes import read_changes
from trellis.run.simulation_run import SimulationRun

HALF = "run.until=0.4"
EXTERNAL = """
[[external]]
model = "uniform"
acceleration = [0.0, 0.0, -0.1]

[[external]]
model = "plummer"
mass = 1.0
scale_radius = 2.0

"""
RESIDENT = ["run.device=cpu", "run.resident=true"]


@pytest.fixture
def begun(parameter_file: Path) -> Path:
    """The output folder of a run that has come to step 20 of 40."""
    SimulationRun(load(parameter_file, [HALF])).run()
    return parameter_file.parent / "out"


def go_on(file: Path, *changes: str, given: tuple[str, ...] = ()) -> SimulationRun:
    job = SimulationRun(load(file, list(given)), resume=True, changes=changes)
    job.run()
    return job


def data(folder: Path) -> dict[str, object]:
    """The snapshots and the checkpoint."""
    return {name: value for name, value in contents(folder).items() if name != "energy.csv"}


def test_what_is_not_physical_leaves_the_bits(parameter_file: Path, begun: Path, tmp_path: Path) -> None:
    unbroken = tmp_path / "unbroken"
    SimulationRun(load(parameter_file, [f"run.output={unbroken}"])).run()
    go_on(parameter_file, "run.log_every=5")
    assert data(begun) == data(unbroken)
    assert read_energy_log(begun / "energy.csv")["step"].tolist() == [*range(21), 25, 30, 35, 40]
    (change,) = read_changes(begun / "changes.csv")
    assert (change.step, change.key, change.old, change.new) == (20, "run.log_every", "1", "5")
    assert change.time == pytest.approx(0.4)
    assert load(begun / "parameters.toml").run.log_every == 5


@pytest.mark.parametrize("more", [[], RESIDENT])
def test_another_softening_is_no_error_of_the_energy(parameter_file: Path, tmp_path: Path, more: list[str]) -> None:
    SimulationRun(load(parameter_file, [HALF, *more])).run()
    folder = tmp_path / "out"
    before = read_checkpoint(folder / "checkpoint.hdf5")
    job = go_on(parameter_file, "gravity.softening=0.5", given=tuple(more))
    log, after = read_energy_log(folder / "energy.csv"), read_checkpoint(folder / "checkpoint.hdf5")
    jump = log["total"][21] - log["total"][20]
    assert jump > 0.01
    assert np.abs(log["relative_error"]).max() < 1e-4
    # the forces that the first kick of the changed run takes are the new ones
    there = Simulation(before.particles, [Gravity(softening=0.5, accuracy=1e-4)], 0.02)
    there_before = before.initial_energy + there.energies().total - log["total"][20]
    assert after.initial_energy == pytest.approx(there_before, rel=1e-6)
    assert job.simulation.step_count == 40


def test_another_external_field_is_no_error_of_the_energy(parameter_file: Path, tmp_path: Path) -> None:
    with parameter_file.open("a") as file:
        file.write(EXTERNAL)
    SimulationRun(load(parameter_file, [HALF])).run()
    folder = tmp_path / "out"
    before = read_checkpoint(folder / "checkpoint.hdf5")
    go_on(parameter_file, "external.1.mass=2", "external.1.scale_radius=3.0")
    log, after = read_energy_log(folder / "energy.csv"), read_checkpoint(folder / "checkpoint.hdf5")
    assert log["external"][21] - log["external"][20] < -0.05
    assert np.abs(log["relative_error"]).max() < 1e-4
    gravity = Gravity(softening=0.05, accuracy=1e-4)
    fields = [UniformField(acceleration=(0.0, 0.0, -0.1)), Plummer(mass=2.0, scale_radius=3.0)]
    there = Simulation(before.particles, [gravity, *fields], 0.02)
    there_before = before.initial_energy + there.energies().total - log["total"][20]
    assert after.initial_energy == pytest.approx(there_before, rel=1e-6)
    kept = load(folder / "parameters.toml")
    assert kept.external[1].model_dump()["mass"] == 2.0
    assert kept.external[0] == load(parameter_file).external[0]
    assert SimulationRun(load(parameter_file), resume=True).simulation.forces[2].settings["scale_radius"] == 3.0


@pytest.mark.parametrize("key", ["external.0.mass", "external.2.mass", "external.mass", "external.1.G", "external"])
def test_external_fields_that_are_not_there(parameter_file: Path, key: str) -> None:
    with parameter_file.open("a") as file:
        file.write(EXTERNAL)
    SimulationRun(load(parameter_file, [HALF])).run()
    with pytest.raises(InputError, match=f"--change {key}: it stays what it was .*, external.1.mass, "):
        go_on(parameter_file, f"{key}=2")


@pytest.mark.usefixtures("begun")
def test_a_file_without_the_section_of_a_change_is_refused(parameter_file: Path) -> None:
    go_on(parameter_file, "gravity.theta=0.4", "gravity.accuracy=", given=("run.until=0.6",))
    text = parameter_file.read_text()
    gravity = text[text.index("[gravity]") : text.index("[run]")]
    parameter_file.write_text(text.replace(gravity, EXTERNAL))
    with pytest.raises(InputError, match=r"'gravity.softening' was 0.05 when it was begun, but is not given now"):
        SimulationRun(load(parameter_file), resume=True)


def test_a_file_with_former_values_is_accepted(parameter_file: Path, begun: Path) -> None:
    go_on(parameter_file, "gravity.softening=0.1", given=("run.until=0.5",))
    go_on(parameter_file, "gravity.softening=0.2", given=("run.until=0.6",))
    for softening in ("0.05", "0.1", "0.2"):
        job = SimulationRun(load(parameter_file, [f"gravity.softening={softening}"]), resume=True)
        assert job.simulation.forces[0].settings["softening"] == 0.2
    with pytest.raises(InputError, match=r"'gravity.softening' was 0.2 when it was begun, but is 0.3 now"):
        SimulationRun(load(parameter_file, ["gravity.softening=0.3"]), resume=True)
    assert [change.new for change in read_changes(begun / "changes.csv")] == ["0.1", "0.2"]


@pytest.mark.parametrize("more", [[], ["gravity.lists=reuse"]])
def test_killed_before_the_first_checkpoint_of_a_change(
    parameter_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    folders = []
    for name in ("killed", "unbroken"):
        given = (f"run.output={tmp_path / name}", *more)
        folders.append(tmp_path / name)
        SimulationRun(load(parameter_file, [*given, HALF])).run()
        changes = ("gravity.softening=0.2", "gravity.accuracy=1e-3")
        if name == "killed":

            def fail(*_: object, **__: object) -> None:
                raise RunError("killed")

            with monkeypatch.context() as at_the_write:
                at_the_write.setattr(simulation_run, "write_checkpoint", fail)
                with pytest.raises(RunError, match="killed"):
                    go_on(parameter_file, *changes, given=given)
            changes = ()
        go_on(parameter_file, *changes, given=given)
    assert contents(folders[0]) == contents(folders[1])
    assert read_energy_log(folders[0] / "energy.csv")["relative_error"][-1] < 1e-3


def test_snapshots_count_on_at_other_times(parameter_file: Path, begun: Path) -> None:
    go_on(parameter_file, "run.snapshot_every=0.2", given=("run.until=0.7",))
    go_on(parameter_file, "run.snapshot_every=0.05", "run.timestep=0.01")
    paths = sorted(begun.glob("snapshot_*.hdf5"))
    assert [path.name for path in paths] == [f"snapshot_{k:04d}.hdf5" for k in range(8)]
    times = [read_snapshot(path).time for path in paths]
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.75, 0.8])
    assert read_checkpoint(begun / "checkpoint.hdf5").step_count == 45


def test_what_was_given_may_no_longer_be(parameter_file: Path, begun: Path) -> None:
    with pytest.raises(InputError, match="--change: 'gravity' has both an accuracy and a theta"):
        go_on(parameter_file, "gravity.theta=0.4")
    go_on(parameter_file, "gravity.theta=0.4", "gravity.accuracy=", given=("run.until=0.6",))
    job = SimulationRun(load(parameter_file), resume=True)
    assert job.simulation.forces[0].settings["theta"] == 0.4
    assert job.file.gravity is not None
    assert "accuracy" not in (begun / "parameters.toml").read_text()


def test_steps_may_be_chosen_from_then_on(parameter_file: Path, begun: Path) -> None:
    job = go_on(parameter_file, "run.timestep=")
    assert job.finished()
    assert read_snapshot(begun / "snapshot_0006.hdf5").time == pytest.approx(0.6, abs=1e-12)
    assert len(job.folder.snapshots()) == 9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("ic.particles=200", "--change ic.particles: it stays what it was when the run was begun; what may be changed"),
        ("gravity.G=2", "--change gravity.G: it stays"),
        ("sph.courant=0.1", "--change sph.courant: it stays"),
        ("run.until=3", "--change run.until: this may differ at any resume, give it in the file or with --set"),
        ("run.timestep", "--change run.timestep: must be section.key=value"),
        ("run.timestep=0.5", "--change: 'run' has snapshot_every = 0.1, but must have at least timestep = 0.5"),
        ("gravity.softening=-1", "--change: 'gravity.softening' is -1, but must be at least 0"),
    ],
)
def test_what_may_not_be_changed(parameter_file: Path, begun: Path, change: str, sentence: str) -> None:
    before = contents(begun)
    with pytest.raises(InputError) as error:
        go_on(parameter_file, change)
    assert str(error.value).startswith(sentence)
    assert contents(begun) == before
    assert not (begun / "changes.csv").exists()


def test_a_damaged_list_of_changes(parameter_file: Path, begun: Path) -> None:
    go_on(parameter_file, "run.log_every=5", given=("run.until=0.6",))
    path = begun / "changes.csv"
    for text in ("", "step,time\n", path.read_text().replace(",5,", ",five,")):
        path.write_text(text)
        with pytest.raises(InputError, match=r"changes.csv' is not a list of a run's changes"):
            SimulationRun(load(parameter_file), resume=True)


def test_another_run_forgets_the_changes(parameter_file: Path, begun: Path) -> None:
    go_on(parameter_file, "run.log_every=5")
    SimulationRun(load(parameter_file), overwrite=True).run()
    assert not (begun / "changes.csv").exists()


def test_on_the_command_line(parameter_file: Path, begun: Path, trellis: Command) -> None:
    done = trellis("run", parameter_file, "--change", "run.log_every=2")
    assert done.returncode == 2
    assert "--resume" in done.stderr
    assert trellis("run", parameter_file, "--resume", "--change", "run.log_every=2").returncode == 0
    assert len(read_changes(begun / "changes.csv")) == 1
    done = trellis("run", parameter_file, "--resume", "--change", "run.log_every=3")
    assert done.returncode == 2
    assert (
        f"--change run.log_every=3: the run in '{begun}' is complete, but goes on with a later run.until" in done.stderr
    )


def test_on_ranks(parameter_file: Path, begun: Path, mpirun: Command) -> None:
    arguments = ["-m", "trellis", "run", parameter_file, "--resume", "--change"]
    done = mpirun(2, *arguments, "gravity.softening=0.2")
    assert done.returncode == 0, done.stderr
    assert np.abs(read_energy_log(begun / "energy.csv")["relative_error"]).max() < 1e-4
    assert len(read_changes(begun / "changes.csv")) == 1
    done = mpirun(2, *arguments, "gravity.G=2")
    assert done.returncode == 2
    assert done.stderr.count("it stays what it was") == 1

"""Leftovers of runs that were killed: files that are in their folder, or lost from it, and the run that follows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command, contents

from trellis.config import load
from trellis.errors import InputError
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

SHORT = ["run.until=0.2", "run.checkpoint_every=600"]


@pytest.fixture
def job(parameter_file: Path) -> SimulationRun:
    """A short run that is complete."""
    job = SimulationRun(load(parameter_file, SHORT))
    job.run()
    return job


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.glob(".*")]


def test_a_run_killed_while_its_picture_was_drawn_has_one_after_resume(
    job: SimulationRun, parameter_file: Path, trellis: Command
) -> None:
    before = contents(job.folder.path)
    job.folder.overview.unlink()
    for name in ("run.lock", ".overview.png.part"):
        (job.folder.path / name).touch()
        os.utime(job.folder.path / name, (0, 0))  # of long ago, since it does not say whose it is
    changes = [argument for change in SHORT for argument in ("--set", change)]
    done = trellis("run", parameter_file, "--resume", *changes)
    assert done.returncode == 0, done.stderr
    assert "is complete: it reached t = 0.2" in done.stdout
    assert job.folder.overview.stat().st_size > 0
    assert not job.folder.lock.exists()
    assert not hidden(job.folder.path)
    assert contents(job.folder.path) == before


def test_a_run_that_lost_its_snapshots_goes_on_without_a_picture(
    job: SimulationRun, parameter_file: Path, trellis: Command
) -> None:
    for lost in (*job.folder.snapshots(), job.folder.overview):
        lost.unlink()
    changes = [argument for change in (*SHORT, "run.until=0.22") for argument in ("--set", change)]
    done = trellis("run", parameter_file, "--resume", *changes)
    assert done.returncode == 0, done.stderr
    assert not job.folder.snapshots()
    assert not job.folder.overview.exists()
    assert "look at" not in done.stdout


def test_a_run_whose_snapshot_was_damaged_is_complete_without_a_picture(
    job: SimulationRun, parameter_file: Path, trellis: Command
) -> None:
    damaged = job.folder.snapshots()[0]
    damaged.write_bytes(damaged.read_bytes()[:1000])
    job.folder.overview.unlink()
    changes = [argument for change in (*SHORT, "run.until=0.22") for argument in ("--set", change)]
    done = trellis("run", parameter_file, "--resume", *changes)
    assert done.returncode == 0, done.stderr
    note = f"note: the run is complete, but its picture cannot be drawn: '{damaged}' is truncated"
    assert note in " ".join((done.stdout + done.stderr).split())
    assert f"Everything is in '{job.folder.path}/'." in " ".join(done.stdout.split())
    assert not job.folder.lock.exists()


@pytest.mark.parametrize("how", ["resume", "overwrite"])
def test_what_was_not_complete_goes_with_the_next_run(job: SimulationRun, parameter_file: Path, how: str) -> None:
    for name in ("snapshot_0007.2.hdf5", "snapshot_0040.hdf5", "checkpoint.hdf5", "energy.csv", "run.lock.77", "notes"):
        (job.folder.path / f".{name}.part").touch()
    SimulationRun(load(parameter_file, [*SHORT, "run.until=0.22"]), **{how: True}).run()
    assert hidden(job.folder.path) == [".notes.part"]  # which is not ours


def test_overwriting_that_was_killed_halfway_does_not_pass_for_a_complete_run(
    job: SimulationRun, parameter_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(job.folder.path)
    deleted: list[Path] = []

    def unlink(path: Path, **_: bool) -> None:
        if path.parent == job.folder.path and path != job.folder.lock:
            if len(deleted) == 2:
                raise KeyboardInterrupt
            deleted.append(path)
        os.unlink(path)  # noqa: PTH108

    with monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", unlink)
        with pytest.raises(KeyboardInterrupt):
            SimulationRun(load(parameter_file, SHORT), overwrite=True).run()
    assert len(deleted) == 2
    again = SimulationRun(load(parameter_file, SHORT), resume=True)
    assert not again.finished()
    again.run()
    assert contents(job.folder.path) == before


@pytest.mark.parametrize(("kept", "lacks"), [(None, "lines up"), (1, "lines up"), (3, "lines after step 3 and up")])
def test_lines_that_the_log_has_lost_are_noted(parameter_file: Path, kept: int | None, lacks: str) -> None:
    short = [*SHORT, "run.log_every=3"]
    job = SimulationRun(load(parameter_file, short))
    job.run()
    log = job.folder.energy_log
    lines = log.read_text().splitlines(keepends=True)
    log.unlink()
    if kept is not None:
        log.write_text("".join(lines[:kept]))
    with pytest.warns(UserWarning, match=rf"energy.csv' lacks the {lacks} to step 9: they are lost"):
        SimulationRun(load(parameter_file, [*short, "run.until=0.24"]), resume=True).run()
    assert read_energy_log(log)["step"][-1] == 12


DAMAGE = [
    (lambda line: line.replace(",", ";", 1), "is not 17 numbers"),
    (lambda line: line[:40] + "\n", "is not 17 numbers"),
    (lambda line: "x" + line[1:], "is not 17 numbers"),
    (lambda line: "2" + line[1:], "has the step 2 after 3"),
    (lambda line: line.replace(",-0.", ",-3.", 1), "but its energies add up to"),
]


@pytest.mark.parametrize(("damage", "problem"), DAMAGE)
def test_a_damaged_line_of_the_log_is_found_and_named(
    parameter_file: Path, damage: Callable[[str], str], problem: str
) -> None:
    short = [*SHORT, "run.log_every=3"]
    log = SimulationRun(load(parameter_file, short))
    log.run()
    path = log.folder.energy_log
    lines = path.read_text().splitlines(keepends=True)
    assert lines[3].startswith("6,")
    path.write_text("".join([*lines[:3], damage(lines[3]), *lines[4:]]))
    with pytest.raises(InputError, match=rf"energy.csv' is damaged: line 4, '.*', .*{problem}"):
        read_energy_log(path)
    with pytest.warns(UserWarning, match=r"energy.csv' is damaged: line 4, .*; the line is left out, the run goes on"):
        SimulationRun(load(parameter_file, [*short, "run.until=0.24"]), resume=True).run()
    assert read_energy_log(path)["step"].tolist() == [0, 3, 9, 12]


def test_parameters_that_are_not_those_of_a_run(job: SimulationRun, parameter_file: Path) -> None:
    for content in ("", "initial_conditions = 5", "run = 3"):
        job.folder.parameters.write_text(content)
        with pytest.raises(InputError, match=f"^cannot resume '{job.folder.path}': "):
            SimulationRun(load(parameter_file, SHORT), resume=True)
        assert job.folder.parameters.read_text() == content

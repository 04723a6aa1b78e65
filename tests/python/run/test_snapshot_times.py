"""When a run writes its snapshots."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import contents, logged_lines

from trellis.config import RunParameters, load
from trellis.errors import InputError
from trellis.io import read_snapshot
from trellis.run.simulation_run import SimulationRun
from trellis.run.snapshot_times import SnapshotTimes

SCHEDULES = {
    "snapshot_every = 0.3": [0.0, 0.3, 0.6],
    "snapshot_times = [0.5, 0.1, 0.365, 0.1]": [0.1, 0.365, 0.5],
    "snapshot_steps = 15": [0.0, 0.3, 0.6],
    "snapshots_per_decade = 2\nsnapshot_first = 0.08": [0.0, 0.08, 0.08 * 10**0.5, 0.8],
}
each_schedule = pytest.mark.parametrize(("schedule", "times"), SCHEDULES.items(), ids=lambda each: str(each)[:14])


@pytest.fixture(autouse=True)
def _no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trellis.plot.overview", lambda *_: None)  # it takes longer than the run


def with_schedule(parameter_file: Path, schedule: str) -> Path:
    parameter_file.write_text(parameter_file.read_text().replace("snapshot_every = 0.1", schedule))
    return parameter_file


def with_chosen_steps(parameter_file: Path) -> Path:
    parameter_file.write_text(parameter_file.read_text().replace("timestep = 0.02", ""))
    return parameter_file


def times_in(job: SimulationRun) -> list[float]:
    return [read_snapshot(path).time for path in job.folder.snapshots()]


@each_schedule
def test_each_is_written_at_the_nearest_step(parameter_file: Path, schedule: str, times: list[float]) -> None:
    job = SimulationRun(load(with_schedule(parameter_file, schedule)))
    job.run()
    nearest = [0.02 * round(time / 0.02) for time in times]
    assert times_in(job) == pytest.approx(nearest, abs=1e-12)
    assert [path.name for path in job.folder.snapshots()] == [f"snapshot_{k:04d}.hdf5" for k in range(len(times))]


@pytest.mark.parametrize("timestep", [0.3, 0.03, 0.07, 0.7, 0.999])
@pytest.mark.parametrize(
    "schedule",
    ["snapshot_times = [1.0]", "snapshot_every = 1.0", "snapshots_per_decade = 1\nsnapshot_first = 1.0"],
    ids=lambda each: str(each)[:18],
)
def test_one_that_is_due_at_the_end_is_of_the_end(parameter_file: Path, schedule: str, timestep: float) -> None:
    with_schedule(parameter_file, schedule)
    job = SimulationRun(load(parameter_file, [f"run.timestep={timestep}", "run.until=1.0", "run.energy_alarm=1e9"]))
    job.run()
    assert job.simulation.time == 1.0
    assert times_in(job)[-1] == 1.0
    assert job.last_snapshot_at_end(job.simulation.step_count) == len(job.folder.snapshots()) - 1


@each_schedule
def test_chosen_steps_end_at_the_times(parameter_file: Path, schedule: str, times: list[float]) -> None:
    job = SimulationRun(load(with_chosen_steps(with_schedule(parameter_file, schedule))))
    job.run()
    if "steps" in schedule:
        assert len(times_in(job)) == 1 + job.simulation.step_count // 15
    else:
        assert times_in(job) == pytest.approx(times, rel=1e-15)


@pytest.mark.filterwarnings("ignore:'run.snapshot_times' has 1 of 3 times outside")  # the first part's warning
@pytest.mark.parametrize("chosen", [False, True], ids=["fixed", "chosen"])
@each_schedule
def test_a_resumed_run_writes_the_same(
    parameter_file: Path, tmp_path: Path, schedule: str, times: list[float], chosen: bool
) -> None:
    with_schedule(parameter_file, schedule)
    middle = 0.36
    if chosen:
        # a step of the whole run ends at one of the times as well; without any, only the end is known
        with_chosen_steps(parameter_file)
        middle = 0.8 if "steps" in schedule else times[-2]
    rarely = "run.checkpoint_every=600.0"
    SimulationRun(load(parameter_file, [rarely, f"run.output={tmp_path / 'whole'}"])).run()
    SimulationRun(load(parameter_file, [rarely, f"run.until={middle}"])).run()
    SimulationRun(load(parameter_file, [rarely]), resume=True).run()
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_kill_at_any_moment_and_resume(parameter_file: Path, tmp_path: Path) -> None:
    with_schedule(parameter_file, "snapshot_times = [0.06, 0.1, 0.16, 0.3, 0.44, 0.5, 0.72]\nfiles = 3")
    parameter_file.write_text(
        parameter_file.read_text()
        + '[snapshots]\ncolumns = ["velocity"]\nfraction = 0.5\nprecision = "single"\ncompression = "gzip"\n'
    )
    SimulationRun(load(parameter_file, [f"run.output={tmp_path / 'unbroken'}"])).run()
    moments = random.Random(3)
    command = [sys.executable, "-m", "trellis", "run", str(parameter_file)]
    for lines in sorted(moments.sample(range(1, 40), 3)):
        resume = ["--resume"] if (tmp_path / "out").exists() else []
        with subprocess.Popen([*command, *resume], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and logged_lines(tmp_path / "out") < lines:
                time.sleep(0.0005)
            process.kill()
        assert process.returncode == -signal.SIGKILL
    subprocess.run([*command, "--resume"], capture_output=True, check=True)
    assert contents(tmp_path / "out") == contents(tmp_path / "unbroken")


@pytest.mark.parametrize(("first", "per_decade"), [(1e-3, 7), (3.0, 1), (0.25, 1000), (1e-200, 1)])
@pytest.mark.parametrize("start", [0.0, -5.0, 1e6])
def test_a_constant_ratio(first: float, per_decade: int, start: float) -> None:
    """The number is that of the last time, one after another, that is not later."""
    run = RunParameters(
        until=start + 100.0, output="x", snapshots_per_decade=per_decade, snapshot_first=first, timestep=None
    )
    schedule = SnapshotTimes(run, start)
    powers = (10.0 ** (k / per_decade) for k in range(300 * per_decade))
    due = sorted({start, *itertools.takewhile(lambda time: time < start + 1e4, (start + first * p for p in powers))})
    for now in [start, start + first, start + 1.0, start + 99.9]:
        assert schedule.last_due(now, 0, 0.0) == sum(time <= now for time in due) - 1
    times = list(schedule.step_ends())
    assert times == sorted(times)
    assert times == pytest.approx([time for time in due if time < start + 100.0], rel=1e-14)


def test_times_of_a_file(parameter_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_schedule(parameter_file, 'snapshot_times = "times.txt"')
    (tmp_path / "times.txt").write_text("# when\n0.5   # the bounce\n\n 1e-1\n")
    job = SimulationRun(load(parameter_file))
    job.run()
    assert times_in(job) == pytest.approx([0.1, 0.5])
    assert load(job.folder.parameters).run.snapshot_times == [0.1, 0.5]
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "times.txt").write_text("0.2\n")
    monkeypatch.chdir(tmp_path / "here")
    assert load(parameter_file, ["run.snapshot_times=times.txt"]).run.snapshot_times == [0.2]
    assert load(parameter_file, ["run.snapshot_times=[3, 2.5]"]).run.snapshot_times == [2.5, 3]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, r"'run.snapshot_times': there is no file '.*times.txt'$"),
        (b"0.1\n0.2 0.3\n", r"times.txt': line 2 is '0.2 0.3', but must be one number$"),
        (b"# none\n\n", r"times.txt' has no times, but must have one on each line$"),
        (b"\xff\xfe", r"times.txt' is not a text file, but must have a time on each line$"),
        (b"nan\n", r"'run.snapshot_times.0' is nan, but must be a finite number$"),
    ],
)
def test_files_that_have_no_times(parameter_file: Path, tmp_path: Path, content: bytes | None, sentence: str) -> None:
    with_schedule(parameter_file, 'snapshot_times = "times.txt"')
    if content is not None:
        (tmp_path / "times.txt").write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        load(parameter_file)


def test_scale_factors_of_a_file(parameter_file: Path, tmp_path: Path) -> None:
    with_schedule(parameter_file, 'snapshot_times = "times.txt"')
    (tmp_path / "times.txt").write_text("0.5\n0.25\n")
    text = (
        parameter_file.read_text()
        .replace('model = "sphere"', 'model = "cosmology"')
        .replace("virial_ratio = 0.3\n", "")
    )
    parameter_file.write_text(text.replace("timestep = 0.02\n", "") + "[cosmology]\nomega_m = 0.3\n")
    assert load(parameter_file).run.snapshot_times == [0.25, 0.5]


def test_times_outside_the_run_are_said(parameter_file: Path, tmp_path: Path) -> None:
    with_schedule(parameter_file, "snapshot_times = [-1, 0, 0.4, 0.809, 5]")
    sentence = "'run.snapshot_times' has 2 of 5 times outside the run, from 0 to 0.8, such as -1: no snapshot is"
    with pytest.warns(UserWarning, match=sentence):
        job = SimulationRun(load(parameter_file))
    job.run()
    assert times_in(job) == pytest.approx([0.0, 0.4, 0.8])
    assert [path.name for path in job.folder.snapshots()] == [f"snapshot_{k:04d}.hdf5" for k in range(3)]
    changes = [f"run.output={tmp_path / 'none'}", "run.snapshot_times=[-1, 5]"]
    with pytest.raises(InputError, match=r"'run.snapshot_times' has no time of the run, from 0 to 0.8: it would write"):
        SimulationRun(load(parameter_file, changes))
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("schedule", "sentence"),
    [
        ("", "'run' does not say when snapshots are written, but must have one of snapshot_every, snapshot_times,"),
        ("snapshot_every = 1\nsnapshot_steps = 2", "'run' has both snapshot_every and snapshot_steps, but must have"),
        ("snapshots_per_decade = 2", "has one of snapshots_per_decade and snapshot_first, but must have both or nei"),
        ("snapshot_every = 1\nsnapshot_first = 2", "has one of snapshots_per_decade and snapshot_first, but must"),
        ("snapshot_steps = 0.5", "'run.snapshot_steps' is 0.5, but must be a whole number"),
        ("snapshot_times = []", "'run.snapshot_times' is [], but must be a list of at least one"),
        ("snapshot_times = [1, 'x']", "'run.snapshot_times' is 'x', but must be a number"),
        ("snapshot_times = [1, 1.01]", "'run' has snapshot_times 1.0 and 1.01, but they must be at least timestep"),
        (
            "snapshots_per_decade = 10\nsnapshot_first = 0.05",
            "'run' has snapshots 0.0129 apart from snapshot_first = 0.05 on, but they must be at least timestep = 0.02",
        ),
        (
            "snapshot_redshifts = [1]",
            "'run.snapshot_redshifts' is given, but without [cosmology] space does not expand",
        ),
    ],
)
def test_a_wrong_schedule_is_one_sentence(parameter_file: Path, schedule: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(with_schedule(parameter_file, schedule))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)

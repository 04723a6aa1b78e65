"""Forecasts of runs: time, memory and files, before the run."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from conftest import Command, contents

from trellis.config import load
from trellis.errors import InputError
from trellis.output.energy_log import read_energy_log
from trellis.run import forecast as forecast_module
from trellis.run.forecast import Forecast, forecast
from trellis.run.lock import RunLock
from trellis.run.simulation_run import SimulationRun


@pytest.fixture(autouse=True)
def short_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_module, "LEAST", 0.05)


def foreseen(file: Path, *changes: str, resume: bool = False) -> Forecast:
    return forecast(SimulationRun(load(file, changes), resume=resume, overwrite=not resume))


@pytest.mark.parametrize("more", [[], ["run.log_every=7", "run.snapshot_every=0.15"]])
def test_what_is_foreseen_is_what_the_run_writes(parameter_file: Path, more: list[str]) -> None:
    found = foreseen(parameter_file, *more)
    assert sorted(parameter_file.parent.iterdir()) == [parameter_file]
    job = SimulationRun(load(parameter_file, more))
    job.run()
    assert found.steps == job.simulation.step_count == 40
    assert found.timestep == 0.02
    snapshots = job.folder.snapshots()
    assert found.output.snapshots == len(snapshots)
    assert found.output.snapshot == pytest.approx(snapshots[-1].stat().st_size, rel=0.02)
    assert found.output.checkpoint == pytest.approx(job.folder.checkpoint.stat().st_size, rel=0.02)
    assert found.output.log == pytest.approx(job.folder.energy_log.stat().st_size, rel=0.1)
    assert found.output.total < found.output.free
    assert found.memory > 50e6
    assert 0 < found.step_seconds < found.seconds
    assert found.seconds > 40 * found.step_seconds  # a checkpoint after each step


def test_of_the_rest_of_a_run(parameter_file: Path) -> None:
    SimulationRun(load(parameter_file, ["run.until=0.4"])).run()
    folder = parameter_file.parent / "out"
    before, there = contents(folder), sorted(parameter_file.parent.rglob("*"))
    found = foreseen(parameter_file, resume=True)
    assert (contents(folder), sorted(parameter_file.parent.rglob("*"))) == (before, there)
    assert (found.steps, found.output.snapshots) == (20, 4)
    with pytest.raises(InputError, match=r"'ic.particles' was 300 when it was begun"):
        foreseen(parameter_file, "ic.particles=200", resume=True)


def test_chosen_steps_are_counted_as_they_grow(parameter_file: Path) -> None:
    parameter_file.write_text(parameter_file.read_text().replace("timestep = 0.02\n", ""))
    more = ["ic.virial_ratio=1.0", "run.checkpoint_every=600"]  # at rest: what is allowed stays
    found = foreseen(parameter_file, *more)
    job = SimulationRun(load(parameter_file, more))
    job.run()
    assert found.output.snapshots == len(job.folder.snapshots()) == 9
    assert found.steps == pytest.approx(job.simulation.step_count, rel=0.2)


@pytest.mark.parametrize("tried", [2, 10, 40])
@pytest.mark.parametrize("span", [1.0, 30.0])
def test_growing_steps(tried: int, span: float) -> None:
    steps = [0.1]  # of those that are allowed, 1
    while sum(steps) < span or len(steps) < tried:
        steps.append(min(1.1 * steps[-1], 1.0))
    within = next(k for k in range(len(steps) + 1) if sum(steps[:k]) >= span - 1e-9)
    count, length = forecast_module._steps_until(span, None, steps[:tried], resumed=False)
    assert length == pytest.approx(1.0)
    assert count == max(within, tried)
    assert forecast_module._steps_until(span, 0.3, steps[:tried], resumed=False) == (math.ceil(span / 0.3 - 1e-9), 0.3)


def test_a_step_on_average_over_lists_that_serve_again() -> None:
    cycle = [1.0] * 15 + [17.0]
    assert forecast_module._of_cycle(cycle * 2 + [1.0] * 5, 99.0, 16) == 2.0
    assert forecast_module._of_cycle([1.0, 1.0], 17.0, 16) == 2.0
    assert forecast_module._of_cycle([3.0, 5.0], 99.0, 1) == 4.0


@pytest.mark.parametrize(("reuse", "most", "tried"), [(1, 0.0, 2), (6, 20.0, 12), (16, 20.0, 16)])
def test_whole_cycles_are_tried_if_there_is_time(
    parameter_file: Path, monkeypatch: pytest.MonkeyPatch, reuse: int, most: float, tried: int
) -> None:
    ticks = iter(range(10**6))  # each look at the clock is a second later: a step takes one
    monkeypatch.setattr(forecast_module.time, "perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr(forecast_module, "LEAST", 10.0)
    monkeypatch.setattr(forecast_module, "MOST", most)
    more = ["gravity.lists=reuse", f"gravity.reuse_steps={reuse}"] if reuse > 1 else []
    assert foreseen(parameter_file, *more).tried == tried


@pytest.mark.parametrize(
    "change",
    ["gravity.softening=-1", "run.until=-1", "run.output=/dev/null/out"],
)
def test_mistakes_are_those_of_the_run(parameter_file: Path, trellis: Command, change: str) -> None:
    checked, ran = (trellis(command, parameter_file, "--set", change) for command in ("check", "run"))
    assert checked.returncode == ran.returncode == 2
    assert "Traceback" not in checked.stderr
    if "output" not in change:
        assert checked.stderr == ran.stderr
    assert sorted(parameter_file.parent.iterdir()) == [parameter_file]


def test_on_the_command_line(parameter_file: Path, trellis: Command) -> None:
    done = trellis("check", parameter_file, "--set", "run.checkpoint_every=600")
    assert done.returncode == 0, done.stderr
    assert "particles  300, N-body units (G = 1)\n" in done.stdout
    assert "force      Gravity: G = 1, softening = 0.05, accuracy = 0.0001, " in done.stdout
    assert "method = fmm" in done.stdout
    assert f"folder     '{parameter_file.parent / 'out'}' is free\n" in done.stdout
    assert "steps      40 of 0.02\n" in done.stdout
    assert re.search(r"seconds    [0-9.e-]+ a step \(\d+ tried\), \d:\d\d:\d\d in all\n", done.stdout)
    assert re.search(r"memory     [0-9.]+ MB at most\n", done.stdout)
    assert re.search(r"output     [0-9.]+ kB: 9 snapshots of [0-9.]+ kB, checkpoints of ", done.stdout)
    assert done.stderr == ""
    done = trellis("check", parameter_file, "--set", "run.timestep=1e-12")
    assert done.returncode == 0
    assert "note: the run takes" in done.stderr
    assert "years: 800,000,000,000 steps of 1e-12" in done.stderr
    assert "note: the output needs" in done.stderr


def test_check_and_run_name_the_devices_that_a_file_asks_for(parameter_file: Path, trellis: Command) -> None:
    plan = trellis("check", parameter_file)
    assert "\ndevice " not in plan.stdout
    for device, said in (("auto", "host, as there is no GPU"), ("cpu", "cpu")):
        plan = trellis("check", parameter_file, "--set", f"run.device={device}")
        assert f"\ndevice     {said}\n" in plan.stdout
        first = trellis("run", parameter_file, "--set", f"run.device={device}", "--overwrite").stdout.splitlines()[0]
        assert f" particles, on {said}, N-body units" in first


def test_a_spare_that_does_not_exist_is_refused_before_it_is_needed(parameter_file: Path, trellis: Command) -> None:
    """It was noted when a device had failed."""
    for name in ("cuda:99", "cpus"):
        done = trellis("check", parameter_file, "--set", f'run.spares=["host", "cpu#1", "rehearsal:0", "{name}"]')
        assert done.returncode == 2
        sentence = f"error: spares has '{name}', but there is no such device: on this machine, allowed are host, cpu"
        assert done.stderr.startswith(sentence)
        assert done.stderr.count("\n") == 1
    assert trellis("check", parameter_file, "--set", 'run.spares=["unix:/none/cpu", "cpu"]').returncode == 0


def test_it_says_what_the_folder_holds(parameter_file: Path, trellis: Command) -> None:
    job = SimulationRun(load(parameter_file, ["run.until=0.4"]))
    job.run()
    done = trellis("check", parameter_file)
    assert done.returncode == 0
    assert "holds a run, which goes on with --resume or is replaced with --overwrite" in done.stdout
    done = trellis("check", parameter_file, "--resume")
    assert "holds this run, which goes on after step 20\n" in done.stdout
    assert "steps      20 of 0.02\n" in done.stdout
    done = trellis("check", parameter_file, "--resume", "--set", "run.until=0.4")
    assert done.returncode == 0
    assert "It is complete: it has reached t = 0.4." in done.stdout
    with RunLock(job.folder.lock):
        done = trellis("check", parameter_file)
    assert done.returncode == 2
    assert "a run is under way in" in done.stderr


def test_on_ranks(parameter_file: Path, mpirun: Command) -> None:
    done = mpirun(2, "-m", "trellis", "check", parameter_file, "--set", "run.files=2")
    assert done.returncode == 0, done.stderr
    assert re.search(r"memory     [0-9.]+ MB at most, on 2 ranks together\n", done.stdout)
    assert "9 snapshots of" in done.stdout
    assert sorted(parameter_file.parent.iterdir()) == [parameter_file]


def test_a_simulation_in_which_a_trial_fails_leaves_nothing(
    parameter_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        assert list(parameter_file.parent.glob(".trellis-check-*"))
        raise KeyboardInterrupt

    monkeypatch.setattr(forecast_module, "_try_steps", fail)
    with pytest.raises(KeyboardInterrupt):
        foreseen(parameter_file)
    assert sorted(parameter_file.parent.iterdir()) == [parameter_file]


def test_the_energy_log_of_a_trial_is_that_of_a_run(parameter_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    draw = forecast_module._draw
    monkeypatch.setattr(
        forecast_module,
        "_draw",
        lambda scratch, n: (seen.append(read_energy_log(scratch.energy_log)), draw(scratch, n)),
    )
    monkeypatch.setattr(forecast_module, "LEAST", 1e9)
    foreseen(parameter_file)
    job = SimulationRun(load(parameter_file))
    job.run()
    assert {name: values.tolist() for name, values in seen[0].items()} == {
        name: values.tolist() for name, values in read_energy_log(job.folder.energy_log).items()
    }

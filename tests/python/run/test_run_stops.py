"""Every way to stop a run: signals, a terminal that closes, a limit of time."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, logged_lines

from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint
from trellis.output.energy_log import read_energy_log
from trellis.run import time_limit
from trellis.run.simulation_run import SimulationRun
from trellis.run.time_limit import TimeLimit

ENDLESS = ["--set", "run.until=1e6", "--set", "run.snapshot_every=1e5", "--set", "run.checkpoint_every=1e9"]


@contextmanager
def begun(file: Path, *arguments: str, **more: Any) -> Iterator[subprocess.Popen[str]]:
    """A run that would go on for long, and has done a few steps."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    command = [sys.executable, "-m", "trellis", "run", str(file), *ENDLESS, *arguments]
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            while process.poll() is None and logged_lines(file.parent / "out") < 3:
                time.sleep(0.001)
            assert process.poll() is None, process.communicate()
            yield process
        finally:
            process.kill()


def until(reached: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait, while the run goes on."""
    end = time.monotonic() + 60
    while not reached():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.001)


def checkpoint_step(file: Path) -> int:
    return read_checkpoint(file.parent / "out" / "checkpoint.hdf5").step_count


def check_stopped(file: Path) -> None:
    """The checkpoint is that of the last step, and nothing else is left behind."""
    log = read_energy_log(file.parent / "out" / "energy.csv")
    assert checkpoint_step(file) == log["step"][-1] > 0
    assert not (file.parent / "out" / "run.lock").exists()


def test_the_first_checkpoint_is_written_at_the_start(parameter_file: Path) -> None:
    with begun(parameter_file) as process:
        process.kill()
    assert checkpoint_step(parameter_file) == 0


def test_sigusr1_writes_a_checkpoint_and_the_run_goes_on(parameter_file: Path) -> None:
    with begun(parameter_file) as process:
        for _ in range(2):
            former = checkpoint_step(parameter_file)
            process.send_signal(signal.SIGUSR1)
            until(lambda former=former: checkpoint_step(parameter_file) > former, process)
        lines = logged_lines(parameter_file.parent / "out")
        until(lambda: logged_lines(parameter_file.parent / "out") > lines + 2, process)


EARLY = """
import signal
from trellis.cli import main, run
load = run.load
def load_late(*given):
    signal.raise_signal(signal.SIGUSR1)
    return load(*given)
run.load = load_late
main()
"""


def test_sigusr1_before_the_first_step_ends_nothing(parameter_file: Path) -> None:
    command = [sys.executable, "-c", EARLY, "run", str(parameter_file), "--set", "run.until=0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert checkpoint_step(parameter_file) == 5


TWICE = """
import signal
from trellis.simulation.signals import deferred_signals
with deferred_signals(signal.SIGTERM) as state:
    for number in (signal.SIGTERM, signal.SIGTERM):
        signal.raise_signal(number)
    print(state.stop, state.signal.name)
"""


def test_a_second_sigterm_leaves_time_for_the_checkpoint() -> None:
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True SIGTERM\n"), done.stderr


def test_nohup_means_no_end_by_sighup(parameter_file: Path) -> None:
    with begun(parameter_file, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        process.send_signal(signal.SIGHUP)
        lines = logged_lines(parameter_file.parent / "out")
        until(lambda: logged_lines(parameter_file.parent / "out") > lines + 5, process)


def test_a_terminal_that_closes_stops_the_run_with_a_checkpoint(parameter_file: Path) -> None:
    keyboard, terminal = os.openpty()

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    ends = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
    with begun(parameter_file, preexec_fn=own_terminal, **ends) as process:
        os.close(terminal)
        os.close(keyboard)
        assert process.wait(timeout=60) == 129
    check_stopped(parameter_file)


def test_a_run_ends_before_its_time_limit_and_resumes(parameter_file: Path) -> None:
    for resume in ([], ["--resume"]):
        with begun(parameter_file, "--time-limit", "00:00:09", *resume) as process:
            printed, errors = process.communicate(timeout=60)
        assert process.returncode == 75, errors
        assert "It stops with a checkpoint before --time-limit, 0:00:09 from now" in printed
        assert "Stopped with a checkpoint" in printed
        assert float(printed.partition("steps in ")[2].split()[0]) < 9
        check_stopped(parameter_file)


def test_a_run_ends_before_the_job_of_slurm_does(parameter_file: Path) -> None:
    end = int(time.time()) + 15
    environment = {**os.environ, time_limit.JOB_END: str(end)}
    with begun(parameter_file, "--time-limit", "7-00:00:00", env=environment) as process:
        printed, errors = process.communicate(timeout=60)
    assert time.time() < end
    assert process.returncode == 75, errors
    assert printed.count("before the end of Slurm's job") == 2
    check_stopped(parameter_file)


def test_a_run_that_ends_within_its_limit_is_like_any_other(parameter_file: Path, trellis: Command) -> None:
    done = trellis("run", parameter_file, "--time-limit", "1-00:00:00")
    assert done.returncode == 0
    assert "before --time-limit, 24:00:00 from now" in done.stdout


@pytest.mark.parametrize("limit", ["soon", "50", "50:00", "1:60:00", "1-1", "-1:00:00", "0-00:00:00"])
def test_a_limit_of_another_form_is_refused(parameter_file: Path, trellis: Command, limit: str) -> None:
    done = trellis("run", parameter_file, f"--time-limit={limit}")
    assert done.returncode == 2
    assert f"--time-limit is '{limit}', but must be a time above 0 such as 90s, 7m or 2h, or as Slurm" in done.stderr
    assert not (parameter_file.parent / "out").exists()


@pytest.mark.parametrize(("limit", "seconds"), [("90s", 90), ("7m", 420), ("1.5h", 5400), ("0:07:00", 420)])
def test_a_limit_may_be_a_span(limit: str, seconds: float) -> None:
    assert TimeLimit(limit).seconds == seconds


def test_the_earlier_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert TimeLimit().name == ""
    assert TimeLimit("6-12:00:01").seconds == 561_601
    monkeypatch.setenv(time_limit.JOB_END, str(int(time.time()) + 3600))
    assert TimeLimit("23:50:00").name == TimeLimit().name == "the end of Slurm's job"
    assert TimeLimit("00:50:00").name == "--time-limit"
    for odd in ("", "tomorrow", "9" * 400, str(int(time.time()) - 10)):  # the last is of a job that is over
        monkeypatch.setenv(time_limit.JOB_END, odd)
        assert TimeLimit().name == ""


def test_a_limit_leaves_time_for_a_step_and_a_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: now)
    limit = TimeLimit("01:00:00")
    assert limit.lacks_checkpoint()
    limit.checkpoint_took(60)
    assert not limit.lacks_checkpoint()
    for seconds in (100, 20):  # the longest counts
        limit.ready()
        now += seconds
        limit.step_done()
    now = 1000 + 3600 - 1.5 * 160 - 2.1
    assert not limit.near()
    now += 0.2
    assert limit.near()


def test_a_run_says_why_it_stopped(parameter_file: Path) -> None:
    with pytest.raises(InputError, match="a time above 0"):
        TimeLimit("00:00:00")
    stop = SimulationRun(load(parameter_file), limit=TimeLimit("00:00:01")).run()  # less than what the end takes
    assert stop is not None
    assert stop.exit_code == 75
    assert stop.sentence.endswith(" before --time-limit: continue with --resume.")
    assert checkpoint_step(parameter_file) == 1
    assert SimulationRun(load(parameter_file), resume=True).run() is None

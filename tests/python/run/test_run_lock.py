"""One run a folder: its lock is taken by one of several, respected by the others, and left by the dead."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Command, contents, logged_lines

import trellis as tr
from trellis.config import load
from trellis.errors import InputError, RunError
from trellis.run import lock
from trellis.run.lock import STALE, Holder, RunLock
from trellis.run.simulation_run import SimulationRun

LONG = ["run.until=8", "run.checkpoint_every=1e9", "run.snapshot_every=1"]  # some seconds


def command(file: Path, *more: str) -> list[str]:
    changes = [argument for change in LONG for argument in ("--set", change)]
    return [sys.executable, "-m", "trellis", "run", str(file), *changes, *more]


@contextmanager
def suspended(file: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that has done a few steps, and stands still."""
    with subprocess.Popen(command(file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and logged_lines(file.parent / "out") < 5:
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        try:
            yield process
        finally:
            process.kill()


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """All files of a folder as they lie there."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


def age(path: Path, **changes: object) -> None:
    """Have a lock say that its last sign of life was long ago, or something else."""
    holder = json.loads(path.read_text())
    path.write_text(json.dumps({**holder, "heartbeat": int(time.time() - STALE - 1), **changes}) + "\n")
    silence(path, STALE + 1)


def silence(path: Path, seconds: float) -> None:
    """Have a lock be changed last so long ago."""
    changed = time.time() - seconds
    os.utime(path, (changed, changed))


def dead() -> Holder:
    """A run of this host that is no more."""
    return replace(Holder.here(), process=2**22 + 1)  # above all processes


@pytest.fixture
def unbroken(parameter_file: Path, tmp_path: Path) -> Path:
    """The output folder of a long run that nothing disturbed."""
    folder = tmp_path / "unbroken"
    SimulationRun(load(parameter_file, [*LONG, f"run.output={folder}"])).run()
    return folder


def test_a_second_run_is_refused_and_the_first_never_notices(parameter_file: Path, unbroken: Path) -> None:
    folder = parameter_file.parent / "out"
    with suspended(parameter_file) as first:
        before = state(folder)
        for how in ([], ["--resume"], ["--overwrite"]):
            second = subprocess.run(command(parameter_file, *how), capture_output=True, text=True, check=False)
            assert second.returncode == 2
            assert second.stdout == ""
            assert second.stderr.startswith(
                f"error: a run is under way in '{folder}' (process {first.pid} on {socket.gethostname()}, since "
            )
            assert second.stderr.count("\n") == 1
        assert state(folder) == before
        first.send_signal(signal.SIGCONT)
        _, errors = first.communicate(timeout=120)
        assert first.returncode == 0, errors
    assert contents(folder) == contents(unbroken)
    assert not (folder / "run.lock").exists()


def test_the_lock_of_a_run_that_was_killed_stays_and_is_taken_over_at_once(
    parameter_file: Path, unbroken: Path
) -> None:
    folder = parameter_file.parent / "out"
    with suspended(parameter_file) as first:
        first.kill()
    assert (folder / "run.lock").exists()
    subprocess.run(command(parameter_file, "--resume"), capture_output=True, check=True)
    assert contents(folder) == contents(unbroken)
    assert not (folder / "run.lock").exists()
    assert not list(folder.glob(".*"))


def test_a_dead_process_that_is_not_reaped_holds_nothing(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    while Path(f"/proc/{dead.pid}/stat").read_text().split()[2] != "Z":
        time.sleep(0.001)
    (tmp_path / "run.lock").write_bytes(replace(Holder.here(), process=dead.pid).line())
    RunLock(tmp_path / "run.lock").check_free()
    dead.wait()


@pytest.mark.parametrize("foreign", [{"host": "elsewhere"}, {"kernel": "of another container"}])
def test_the_lock_of_another_host_counts_for_five_minutes(tmp_path: Path, foreign: dict[str, str]) -> None:
    path = tmp_path / "run.lock"
    holder = replace(dead(), **foreign)
    path.write_bytes(holder.line())
    silence(path, STALE - 10)
    with pytest.raises(InputError, match=rf"process {holder.process} on {holder.host}, .* sign of life 29\d s ago"):
        RunLock(path).__enter__()
    silence(path, STALE + 1)
    with RunLock(path):
        assert json.loads(path.read_text())["process"] == os.getpid()
    assert not list(tmp_path.iterdir())


def test_a_lock_without_content_is_just_being_made(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    path.touch()
    with pytest.raises(InputError, match="a run is under way"):
        RunLock(path).check_free()
    os.utime(path, (0, 0))
    RunLock(path).check_free()


@pytest.mark.parametrize(
    "content",
    [
        *("[1, 2]", "\xff", '{"host": 1}', "[" * 100_000, '{"process": ' + "9" * 5000 + "}"),
        *({"process": "x"}, {"heartbeat": "late"}, {"since": 5}, {"kernel": []}),
        *({"process": 10**30}, {"process": -1}, {"heartbeat": 10**400}, {"heartbeat": True}),
    ],
)
def test_a_lock_without_its_owner_is_one_of_an_unknown_owner(tmp_path: Path, content: str | dict[str, object]) -> None:
    path = tmp_path / "run.lock"
    text = content if isinstance(content, str) else json.dumps({**json.loads(dead().line()), **content})
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"a run is under way in '.*' \(process 0 on an unknown host"):
        RunLock(path).check_free()
    os.utime(path, (0, 0))
    RunLock(path).check_free()


@pytest.mark.parametrize("ahead", [600, -600])
def test_the_clock_of_another_host_takes_no_live_run_and_frees_no_dead_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    path = tmp_path / "run.lock"
    path.write_bytes(replace(Holder.here(), host="elsewhere").line())
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + ahead)
    with pytest.raises(InputError, match=r"last sign of life \d s ago"):
        RunLock(path).check_free()
    os.utime(path, (now() - STALE - 1, now() - STALE - 1))
    RunLock(path).check_free()
    assert [each.name for each in tmp_path.iterdir()] == ["run.lock"]


RACE = """
import json, sys, time
from pathlib import Path
from trellis.errors import InputError
from trellis.run.lock import RunLock
folder = Path(sys.argv[1])
print("ready", flush=True)
begin = float(sys.stdin.readline())
held = []
for k in range(8):
    lock = RunLock(folder / str(k) / "run.lock")
    time.sleep(max(0.0, begin + 0.2 * k - time.time()))
    try:
        with lock:
            since = time.time()
            time.sleep(0.1)
            lock.check_held()
            held.append((k, since, time.time()))
    except InputError:
        pass
print(json.dumps(held))
"""


@pytest.mark.parametrize("left_behind", [pytest.param(False, marks=pytest.mark.whole), True])
def test_of_several_that_begin_at_the_same_moment_one_wins(tmp_path: Path, left_behind: bool) -> None:
    for k in range(8 if left_behind else 0):
        (tmp_path / str(k)).mkdir()
        (tmp_path / str(k) / "run.lock").write_bytes(dead().line())
    command = [sys.executable, "-c", RACE, str(tmp_path)]
    runs = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
    begin = str(time.time() + 0.1)
    for run in runs:
        assert run.stdin is not None
        print(begin, file=run.stdin, flush=True)
    held = sorted(tuple(each) for run in runs for each in json.loads(run.communicate(timeout=60)[0]))
    assert {k for k, *_ in held} == set(range(8))
    for (k, _, end), (other, since, _) in pairwise(held):
        assert k != other or end <= since  # one that was late came after the first had ended
    assert all(not list((tmp_path / str(k)).iterdir()) for k in range(8))


def test_a_run_that_was_killed_while_it_took_over_blocks_no_other(tmp_path: Path) -> None:
    for name in ("run.lock", ".run.lock.claim"):
        (tmp_path / name).write_bytes(dead().line())
    with RunLock(tmp_path / "run.lock") as held:
        held.check_held()
    assert not list(tmp_path.iterdir())


def test_the_lock_shows_that_its_run_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "BEAT", 0.01)
    path = tmp_path / "run.lock"
    with RunLock(path) as held:
        age(path)
        until = time.monotonic() + 10
        while time.time() - json.loads(path.read_text())["heartbeat"] > STALE:
            assert time.monotonic() < until
            time.sleep(0.01)
        held.check_held()


def test_a_run_that_stood_still_for_long_ends_without_touching_that_of_its_heir(
    parameter_file: Path, unbroken: Path
) -> None:
    folder = parameter_file.parent / "out"
    with suspended(parameter_file) as first:
        age(folder / "run.lock")
        subprocess.run(command(parameter_file, "--resume"), capture_output=True, check=True)
        before = state(folder)
        first.send_signal(signal.SIGCONT)
        _, errors = first.communicate(timeout=120)
        assert first.returncode == 1
        assert "run.lock' is no longer that of this run, which stood still for more than 5 minutes" in errors
        assert "Traceback" not in errors
        assert state(folder) == before
    assert contents(folder) == contents(unbroken)


def test_a_lock_taken_over_is_not_removed_by_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    with RunLock(path) as held:
        age(path, host="elsewhere")
        with pytest.raises(RunError, match="no longer that of this run"):
            held.check_held()
    assert path.exists()


def test_the_lock_goes_with_a_run_that_fails(parameter_file: Path, trellis: Command) -> None:
    done = trellis("run", parameter_file, "--set", "run.log_every=1", largest_file=20_000)
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert (parameter_file.parent / "out" / "parameters.toml").exists()
    assert not (parameter_file.parent / "out" / "run.lock").exists()


def test_a_run_that_has_gone_on_since_its_checkpoint_was_read_is_not_set_back(parameter_file: Path) -> None:
    SimulationRun(load(parameter_file, ["run.until=0.2"])).run()
    slow, quick = (SimulationRun(load(parameter_file), resume=True) for _ in range(2))
    quick.run()
    before = contents(quick.folder.path)
    with pytest.raises(InputError, match="has gone on since its checkpoint was read"):
        slow.run()
    assert contents(quick.folder.path) == before


def inside(folder: Path) -> Path:
    return folder / "snapshot_0000.hdf5"


def by_a_link(folder: Path) -> Path:
    (folder.parent / "link").symlink_to(folder)
    return folder.parent / "link" / "snapshot_0000.hdf5"


@pytest.mark.parametrize("place", [inside, by_a_link])
def test_overwrite_never_replaces_its_own_input(parameter_file: Path, place: Callable[[Path], Path]) -> None:
    folder = parameter_file.parent / "out"
    folder.mkdir()
    tr.io.write_snapshot(folder / "snapshot_0000.hdf5", tr.ic.sphere(20))
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "{place(folder)}"\n[gravity]{rest}')
    before = state(folder)
    with pytest.raises(InputError, match=r"snapshot_0000.hdf5', in the folder '.*out' that --overwrite clears"):
        SimulationRun(load(parameter_file), overwrite=True)
    assert state(folder) == before

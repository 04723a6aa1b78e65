"""The faults: each is done to real processes of a run, which may go on from there or not, and says what it expects."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import oracle
from disturbed_run import DisturbedRun, Ended, Process

Fault = Callable[[DisturbedRun], None]

START_UP = 1.5  # seconds: about what a process takes to its first step on a busy machine
KILLED = -signal.SIGKILL
LAST_STEP = re.compile(r" t = (\S+) of \1,")
"""Progress of a run whose time has come to its end."""


def moment(run: DisturbedRun, process: Process, *kinds: str) -> str:
    """Wait for a moment of one of these kinds, drawn at random; return its kind, or "" if the process has ended."""
    kind = run.draw.choice(kinds)
    after = run.draw.uniform(0.0, 0.01)
    if kind == "start-up":
        time.sleep(run.draw.uniform(0.0, START_UP))
        reached = process.alive()
    elif kind == "step":
        lines = run.draw.randint(1, run.steps - 2)
        reached = process.wait(lambda: process.logged(lines))
    elif kind == "end":
        reached = process.wait(lambda: process.logged(run.steps + 1))
        after = run.draw.uniform(0.0, 1.0)
    else:  # the name of a file that is being written
        reached = process.wait(lambda: process.writes(kind))
    time.sleep(after)
    run.story.append(f"  {kind}, {1e3 * after:.1f} ms later" if reached else f"  ended before {kind}")
    return kind if reached else ""


def send(process: Process, number: signal.Signals, to: list[int]) -> None:
    """Send a signal; processes that are no more do not mind."""
    process.run.story.append(f"  {number.name}")
    for each in to:
        with suppress(ProcessLookupError):
            os.kill(each, number)


def is_alone(run: DisturbedRun) -> tuple[str, ...]:
    """Return the moments that can be found for this run: mpirun's own start is not ours."""
    return ("start-up",) if run.ranks == 1 else ()


def kill(run: DisturbedRun) -> None:
    """SIGKILL at any moment: while it starts, steps, writes, draws; of several ranks to any one."""
    process = run.start()
    moment(run, process, *is_alone(run), "step", "checkpoint", "snapshot", "energy.csv", "end")
    end_by_kill(run, process)


def end_by_kill(run: DisturbedRun, process: Process) -> Ended:
    """Kill a process; only one that had come to its end before may say so."""
    send(process, signal.SIGKILL, run.draw.sample(process.processes(), k=1) if process.processes() else [])
    ended = process.ended()
    if ended.code == 0:
        oracle.check_process(run, ended, 0)
    assert ended.code == 0 or ended.code == KILLED or run.ranks > 1, ended
    return ended


def stop(run: DisturbedRun) -> None:
    """SIGINT, SIGTERM or SIGHUP, perhaps with others after it."""
    process = run.start()
    kind = moment(run, process, *is_alone(run), "step", "checkpoint", "snapshot", "end")
    first = run.draw.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    more = run.draw.choices((signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1), k=run.draw.choice((0, 0, 1, 3)))
    for number in (first, *more):
        send(process, number, process.processes())
        time.sleep(run.draw.uniform(0.0, 0.005))
    ended = process.ended()
    outside = kind in ("start-up", "end") or LAST_STEP.search(ended.errors) is not None
    if outside and ended.code in died_of(run, first, *more) and "Stopped" not in ended.output:
        return  # before the first step, or after the last
    if kind == "start-up" and first == signal.SIGINT and ended.code in (130, 1):
        return
    oracle.check_process(run, ended, 128 + first, 0)


def died_of(run: DisturbedRun, *numbers: signal.Signals) -> list[int]:
    """Exit codes of a process that one of these signals has ended; mpirun's are those of a shell."""
    return [-number if run.ranks == 1 else 128 + number for number in numbers]


def have_a_checkpoint(run: DisturbedRun) -> None:
    """SIGUSR1, once or several times; then kill -9: the checkpoint that was asked for is there."""
    process = run.start()
    if moment(run, process, "step"):
        steps = oracle.last_step(run)
        for _ in range(run.draw.randint(1, 3)):
            send(process, signal.SIGUSR1, process.processes()[:1])
        if process.wait(lambda: oracle.checkpoint_step(run) >= steps):
            time.sleep(run.draw.uniform(0.0, 0.02))
    end_by_kill(run, process)


def interrupt_twice(run: DisturbedRun) -> None:
    """Ctrl-C, and again at once: the last checkpoint counts."""
    process = run.start()
    moment(run, process, "step", "checkpoint", "snapshot")
    for _ in range(2):
        send(process, signal.SIGINT, process.processes())
        time.sleep(run.draw.uniform(0.0, 0.01))
    ended = process.ended()
    assert "Traceback" not in ended.errors, ended.errors
    assert ended.code == (0 if ended.code == 0 else 130)
    oracle.check_tidy(run)


def limit_time(run: DisturbedRun) -> None:
    """A limit of time that comes before the end, or just after it."""
    process = run.start([*run.how_to_go_on(), "--time-limit", f"00:00:0{run.draw.randint(2, 5)}"])
    oracle.check_process(run, process.ended(), 75, 0)


def fill_the_disk(run: DisturbedRun) -> None:
    """No room for a file, be it the first one or the last checkpoint."""
    largest = run.draw.randrange(1, (run.reference / "checkpoint.hdf5").stat().st_size)
    run.story.append(f"  files of at most {largest} bytes")
    ended = run.start(largest_file=largest).ended()
    oracle.check_process(run, ended, 1, 0)
    if ended.code == 1:
        assert "cannot write" in ended.errors, ended.errors
        oracle.check_tidy(run)


def clash(run: DisturbedRun) -> None:
    """A second run while the first stands still, to be sure that it lives: it is refused, and touches nothing."""
    first = run.start()
    if moment(run, first, "step", "checkpoint", "snapshot"):
        send(first, signal.SIGSTOP, first.processes())
        before = oracle.bytes_of(run.folder)
        for how in run.draw.sample(([], ["--resume"], ["--overwrite"]), k=2):
            refused = run.start(how).ended()
            oracle.check_process(run, refused, 2)
            assert "a run is under way" in refused.errors, refused.errors
            assert oracle.bytes_of(run.folder) == before
        send(first, signal.SIGCONT, first.processes())
    if run.draw.random() < 0.5:
        end_by_kill(run, first)
    else:
        oracle.check_process(run, first.ended(), 0)


def race(run: DisturbedRun) -> None:
    """Two or three start at the same moment: one does the run, the others are refused or find it complete."""
    how = run.how_to_go_on()
    several = [run.start(how) for _ in range(run.draw.choice((2, 2, 3)))]
    ended = [process.ended() for process in several]
    for each in ended:
        assert each.code in (0, 2), each
        oracle.check_process(run, each, each.code)
    assert any(each.code == 0 for each in ended), ended


def overwrite(run: DisturbedRun) -> None:
    """A new run takes the folder, and is killed; what it began goes on."""
    process = run.start(["--overwrite"])
    moment(run, process, *is_alone(run), "step", "checkpoint", "parameters", "energy.csv")
    end_by_kill(run, process)


def damage(run: DisturbedRun) -> None:
    """A bit of the checkpoint flips, or its end is lost: that is found and named, or does no harm."""
    begun(run)
    path = run.draw.choice(run.checkpoints())
    whole = path.read_bytes()
    if run.draw.random() < 0.7:
        bit = run.draw.randrange(8 * len(whole))
        harmed = bytearray(whole)
        harmed[bit // 8] ^= 1 << bit % 8
        run.story.append(f"  bit {bit % 8} of byte {bit // 8} of {path.name} flips")
    else:
        harmed = bytearray(whole[: run.draw.randrange(len(whole))])
        run.story.append(f"  {path.name} ends after {len(harmed)} bytes of {len(whole)}")
    path.write_bytes(harmed)
    ended = resumed_with(run, path, whole)
    assert ended.code == 2 or len(harmed) == len(whole), "a checkpoint without its end was taken"


def lose_a_piece(run: DisturbedRun) -> None:
    """A file of the checkpoint, or the parameters, are gone."""
    begun(run)
    path = run.draw.choice([run.folder / "parameters.toml", *run.checkpoints()])
    run.story.append(f"  {path.name} is deleted")
    whole = path.read_bytes()
    path.unlink()
    if path.name == "checkpoint.hdf5":
        return  # the run begins again
    ended = resumed_with(run, path, whole)
    assert ended.code == 2


def begun(run: DisturbedRun) -> None:
    """Have a run that has left a checkpoint."""
    while not run.checkpoints():
        process = run.start()
        process.wait(lambda: oracle.checkpoint_step(run) >= 0)
        end_by_kill(run, process)


def resumed_with(run: DisturbedRun, path: Path, whole: bytes) -> Ended:
    """Resume with a file as it is, which is refused by its name or does no harm; then mend the file."""
    before = oracle.bytes_of(run.folder)
    ended = run.start(["--resume"]).ended()
    oracle.check_process(run, ended, 2, 0)
    if ended.code == 2:
        assert str(run.folder if path.suffix == ".toml" else path) in ended.errors, ended.errors
        assert oracle.bytes_of(run.folder) == before
        path.write_bytes(whole)
    return ended


FAULTS: dict[Fault, int] = {
    kill: 8,
    stop: 5,
    have_a_checkpoint: 2,
    interrupt_twice: 1,
    limit_time: 1,
    fill_the_disk: 2,
    clash: 2,
    race: 2,
    overwrite: 2,
    damage: 3,
    lose_a_piece: 1,
}
"""How often each is drawn, in proportion."""

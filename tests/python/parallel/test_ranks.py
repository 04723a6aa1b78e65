"""Ranks as Python has them: alone, and as processes under mpirun."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command

import trellis as tr
from trellis import _core
from trellis.parallel.world import LAUNCHED

Ranks = Callable[[int, str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def ranks(tmp_path: Path, mpirun: Command) -> Ranks:
    """Run a program on `ranks` ranks."""

    def run(count: int, program: str) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "program.py"
        path.write_text(f"import sys, trellis as tr\nfrom trellis import _core\nw = _core.world()\n{program}")
        return mpirun(count, path)

    return run


def test_one_rank_alone() -> None:
    world = _core.world()
    assert (world.rank, world.size) == (0, 1)
    assert tr.info()["ranks"] == 1
    world.send(0, b"to itself")
    assert world.receive(0) == b"to itself"
    assert world.all_gather(b"all") == [b"all"]
    assert world.exchange([b"own"]) == [b"own"]
    with pytest.raises(ValueError, match="there are 2 pieces for 1 ranks: one is needed for each"):
        world.exchange([b"", b""])
    with pytest.raises(RuntimeError, match=r"^the sea is too rough$"):
        world.abort("the sea is too rough", 2)


def test_a_variable_of_mpirun_that_comes_later_starts_no_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAUNCHED, "1")
    with pytest.raises(RuntimeError, match=r"^too late$"):  # MPI would end this process
        _core.world().abort("too late", 2)


@pytest.mark.parametrize("rank", [-1, 1])
def test_a_rank_that_is_not_there(rank: int) -> None:
    sentence = rf"^there is no rank {rank}: those of this run are 0 to 0$"
    with pytest.raises(ValueError, match=sentence):
        _core.world().send(rank, b"")
    with pytest.raises(ValueError, match=sentence):
        _core.world().receive(rank)


def test_ranks_exchange_messages(ranks: Ranks) -> None:
    done = ranks(
        3,
        """
pieces = w.all_gather(b"x" * w.rank)
w.send((w.rank + 1) % w.size, b"from %d" % w.rank)
received = w.receive((w.rank - 1) % w.size)
swapped = b" ".join(w.exchange([b"%d to %d" % (w.rank, to) for to in range(w.size)]))
every = w.all_gather(repr((w.rank, tr.info()["ranks"], pieces, received, swapped)).encode())
if w.rank == 0:
    for line in every:
        print(line.decode())
""",
    )
    assert done.returncode == 0, done.stderr
    pieces = [b"", b"x", b"xx"]
    assert done.stdout.splitlines() == [
        repr((r, 3, pieces, b"from %d" % ((r + 2) % 3), b"0 to %d 1 to %d 2 to %d" % (r, r, r))) for r in range(3)
    ]


MISUSES = {  # on rank 0 alone; and where the other rank is then
    "a method": ("sim.energies()", "sim.step()", "Simulation.energies", "Simulation.step"),
    "in a callback": (
        "sim.run(steps=3, callbacks=[(1, lambda now: now.momentum())])",
        "sim.run(steps=3)",
        "Simulation.momentum",
        "Simulation.run",
    ),
    "before the end": ("sim.particle_count()", "", "Simulation.particle_count", "the end of the program"),
    "a file": ("tr.io.write_snapshot('s.hdf5', sim.particles)", "sim.run(steps=1)", "write_snapshot", "Simulation.run"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_a_call_that_one_rank_makes_alone_is_named(ranks: Ranks, misuse: str) -> None:
    first, other, call, instead = MISUSES[misuse]
    program = f"""
sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity(softening=0.1)], 0.01)
if w.rank == 0:
    {first}
else:
    {other or "pass"}
"""
    done = ranks(2, program)  # whose time is limited
    assert done.returncode == 1
    sentence = f"rank 0 is at {call}, but rank 1 at {instead}: allowed are the same calls on all ranks"
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_attributes_ask_no_other_rank(ranks: Ranks) -> None:
    done = ranks(
        2,
        """
sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity(softening=0.1)], 0.01)
sim.run(steps=2)
if w.rank == 0:
    seen = [sim, sim.time, sim.timestep, sim.step_count, sim.interactions, sim.list_use, sim.sizes, sim.device_use]
    print(*seen, sim.phases, sim.initial_time, len(sim.particles), sim.particles, sim.particles.box)
""",
    )
    assert done.returncode == 0, done.stderr
    assert "after 2 steps" in done.stdout


@pytest.mark.parametrize(
    ("failure", "code", "sentence"),
    [
        ("w.abort('the sea is too rough', 2)", 2, "trellis: rank 1: the sea is too rough"),
        ("raise RuntimeError('the sea is too rough')", 1, "RuntimeError: the sea is too rough"),
        ("sys.exit(3)", 3, ""),
    ],
)
def test_others_do_not_wait_for_a_rank_that_failed(ranks: Ranks, failure: str, code: int, sentence: str) -> None:
    done = ranks(3, f"if w.rank == 1:\n    {failure}\nw.receive(1)")
    assert done.returncode == code
    assert sentence in done.stderr


def test_a_view_of_rows_that_went_to_another_rank_cannot_be_written_to(ranks: Ranks) -> None:
    done = ranks(
        2,
        """
import numpy as np

stars = tr.ic.plummer(500, seed=w.rank)
stars.id[:] += 500 * w.rank
before = stars.position
sim = tr.Simulation(stars, [tr.Gravity(softening=0.1)], timestep=0.01)
sim.run(steps=2)
left = not np.shares_memory(before, stars.position)
for line in w.all_gather(repr((left, before.flags.writeable, stars.position.flags.writeable)).encode()):
    if w.rank == 0:
        print(line.decode())
""",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["(True, False, True)"] * 2

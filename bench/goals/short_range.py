"""Goals of short range: a melt of Lennard-Jones atoms, a gas, kinds of atoms, beside GROMACS and LAMMPS.

Rates are of processor time of one core. The peers are the programs `gmx` and `lmp` on the PATH, or those that
$TRELLIS_GMX and $TRELLIS_LMP name; rows of one that is not there are left out. Our own benchmarks are looked for in
$TRELLIS_BENCH, otherwise in build/bench/bench.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from row import Row, row_of

import trellis as tr

ROOT = Path(__file__).parents[2]
BENCH = Path(os.environ.get("TRELLIS_BENCH", ROOT / "build/bench/bench"))
ROUNDS = 5


def column(table: str, name: str) -> list[str]:
    """Return a column of a table in Markdown."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    at = rows[0].index(name)
    return [row[at] for row in rows[2:]]


def numbers(table: str, name: str) -> list[float]:
    """Return a column of numbers."""
    return [float(cell) for cell in column(table, name)]


def printed(*command: str | Path) -> str:
    """Return what a program prints."""
    environment = {**os.environ, "TRELLIS_BENCH": str(BENCH)}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def beside(script: str, name: str, variable: str, goal: float, *, quick: bool) -> Row:
    """Return the row of a script that runs a peer and us in turn."""
    peer = {"gmx": "GROMACS", "lmp": "LAMMPS opt"}[name]
    what = f"in.lj, 32,000 atoms: speed over {peer}"
    program = os.environ.get(variable) or shutil.which(name)
    if program is None:
        return Row(what, f">= {goal}", None, None, f"{name} is not installed")

    def measure() -> tuple[str, bool]:
        table = printed(ROOT / "bench/short_range" / script, program, str(2 if quick else ROUNDS))
        ratio, ours = (statistics.median(numbers(table, name)) for name in ("ratio", "Trellis"))
        return f"{ratio:.2f} (Trellis {ours:.1f} M atom-steps/s)", ratio >= goal

    return row_of(what, f">= {goal}", measure)


def peers(_: Path, *, quick: bool) -> Iterator[Row]:
    """Make steps of the melt in turn with other programs."""
    yield beside("gromacs.sh", "gmx", "TRELLIS_GMX", 1.0, quick=quick)
    yield beside("lammps.sh", "lmp", "TRELLIS_LMP", 3.8, quick=quick)


def melt(_: Path, *, quick: bool) -> Iterator[Row]:
    """Count what lists of the melt hold, and measure a second thread."""
    count, steps = (8_000, 60) if quick else (32_000, 200)
    sim = tr.Simulation(tr.ic.lennard_jones(count, temperature=1.44), [tr.LennardJones(truncation="plain")], 0.005)
    sim.run(steps=50)
    before = sim.list_use[0]["constructions"]
    sim.run(steps=steps)
    share = (sim.list_use[0]["constructions"] - before) / steps
    yield Row("the melt: steps at which lists are made", "<= 5 %", f"{100 * share:.1f} %", share <= 0.05)
    taken = {}
    for threads in (1, 2):
        tr.set_threads(threads)
        wall = []
        for _round in range(ROUNDS):
            begun = time.perf_counter()
            sim.run(steps=steps // 4)
            wall.append(time.perf_counter() - begun)
        taken[threads] = statistics.median(wall)
    gain = taken[1] / taken[2]
    yield Row("the melt: two threads over one", ">= 1.9", f"{gain:.2f}", gain >= 1.9)


def tested(_: Path, *, quick: bool) -> Iterator[Row]:
    """Count the pairs that pruned lists of the melt hold, each once for each of its particles."""
    words = ("--cells", "12" if quick else "20", "--skin", "0.28", "--reuse", "64", "--group", "256")
    ratio = numbers(printed(BENCH / "bench_short_range", *words), "pairs tested / used")[0]
    yield Row("the melt: pairs evaluated over pairs within the cutoff", "<= 1.6", f"{ratio:.1f}", ratio <= 1.6)


def gas(_: Path, *, quick: bool) -> Iterator[Row]:
    """Make steps of a gas of 64 neighbours, on one core."""
    side = 24 if quick else 64
    table = printed(
        BENCH / "bench_gas", "--side", str(side), "--reuse", "1,16", "--skin", "0.1", "--steps", "16" if quick else "30"
    )
    rebuilt, reused = numbers(table, "M updates/s")
    yield Row(f"gas, {side}^3, M updates/s", ">= 1.7", f"{max(rebuilt, reused):.2f}", max(rebuilt, reused) >= 1.7)
    gain = reused / rebuilt
    yield Row(f"gas, {side}^3: reused lists over rebuilt ones", ">= 1.25", f"{gain:.2f}", gain >= 1.25)


def kinds(_: Path, *, quick: bool) -> Iterator[Row]:
    """Make steps of a mixture of 27 kinds, and of one kind, in turn."""
    words = ("--kinds", "27", "--rounds", "3" if quick else "9", "--cells", "12" if quick else "20")
    table = printed(BENCH / "bench_kinds", *words)
    for what, ratio in zip(column(table, "end, precision, kinds"), numbers(table, "ratio"), strict=True):
        yield Row(f"kinds over one kind: {what}", "<= 1.15", f"{ratio:.2f}", ratio <= 1.15)


def left_out() -> Iterator[Row]:
    """Name the goals that are not measured."""
    yield Row("grains that rub, over the speed of blocks of 16", ">= 1.8", None, None, "needs the version before")


PARTS = [peers, melt, tested, gas, kinds]

"""Forecasts of `trellis check` beside the runs: steps, seconds in all, memory, for some examples.

    python bench/model/check_forecast.py [--times 2] [--cpu] > table.md

Each time each example is checked and then run in a folder that is removed; the table has a line for each. --cpu counts
processor seconds instead of wall time, for a busy machine: with OMP_NUM_THREADS=1 these are the
seconds of an idle machine.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import trellis as tr

EXAMPLES = {
    "gravity, a halo at rest": "halo.toml",
    "gas": "gresho.toml",
    "molecules": "lj_melt.toml --set run.until=2",
    "gravity, a collapse": "cold_collapse.toml",
}
SIZES = {"kB": 1e-3, "MB": 1.0, "GB": 1e3}  # in MB
CPU_TIME = "import time; time.perf_counter = time.process_time; from trellis.cli import main; main()"


def trellis(*arguments: str, cpu: bool) -> tuple[str, float]:
    """Return the output of a command and its peak memory in MB."""
    begin = ["-c", CPU_TIME] if cpu else ["-m", "trellis"]
    process = subprocess.Popen([sys.executable, *begin, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, printed
    return printed, 1.024e-3 * usage.ru_maxrss


def found(pattern: str, text: str) -> list[str]:
    match = re.search(pattern, text)
    assert match is not None, f"{pattern} is not in:\n{text}"
    return [each.replace(",", "") for each in match.groups()]


def write_halo(path: Path) -> None:
    """Write a Hernquist sphere of 1e12 solar masses, 10 kpc, in Gadget's units: the halo of another code."""
    halo = tr.ic.hernquist(32_768, seed=1)
    halo.position = 30.0 * halo.position
    halo.mass = 100.0 * halo.mass
    halo.velocity = np.sqrt(tr.units.GADGET.G * 100.0 / 30.0) * halo.velocity
    tr.io.write_snapshot(path, halo, units=tr.units.GADGET)


def cells(predicted: float, got: float) -> str:
    return f"{predicted:.3g} | {got:.3g} | {100 * (predicted / got - 1):+.0f} %"


def line(kind: str, example: str, *, cpu: bool) -> str:
    name, *options = example.split()
    path = str(Path(__file__).resolve().parents[2] / "examples" / name)
    with tempfile.TemporaryDirectory() as folder:
        options += ["--set", f"run.output={folder}/out"]
        if name == "halo.toml":
            write_halo(Path(folder) / "halo.hdf5")
            options += ["--set", f"initial_conditions={folder}/halo.hdf5"]
        said, _ = trellis("check", path, *options, cpu=cpu)
        ran, memory = trellis("run", path, *options, cpu=cpu)
    steps, seconds = found(r"(\d+) steps in ([\d.]+) s,", ran)
    (steps_said,) = found(r"steps +(?:about )?([\d,]+)", said)
    hours, minutes, rest = map(int, found(r"tried\), (\d+):(\d+):(\d+) in all", said))
    memory_said, unit = found(r"memory +([\d.]+) (\w+) at most", said)
    parts = [
        f"{kind} (`{example}`)",
        cells(float(steps_said), float(steps)),
        cells(3600 * hours + 60 * minutes + rest, float(seconds)),
        cells(float(memory_said) * SIZES[unit], memory),
    ]
    return f"| {' | '.join(parts)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=2)
    options.add_argument("--cpu", action="store_true")
    given = options.parse_args()
    names = ["steps", "seconds", "MB"]
    print("| example | " + " | ".join(f"{name}: said | got | " for name in names) + " |")
    print("|---|" + "---|" * 3 * len(names))
    for _ in range(given.times):
        for kind, example in EXAMPLES.items():
            print(line(kind, example, cpu=given.cpu), flush=True)


if __name__ == "__main__":
    main()

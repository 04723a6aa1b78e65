"""Count the instructions of one step with Valgrind, and compare them with their budget: `instructions.py PROGRAM`.

Unlike seconds, instructions are the same whatever else the machine is doing. But they depend on the compiler: another
than the budget was set with is skipped (exit code 77), as is a machine without Valgrind. Valgrind knows no AVX-512, so
kernels for x86-64-v3 are counted.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

COMPILER = "12."  # GCC's version, as far as it matters
BUDGET = 5.79e7  # instructions of one step
GROWTH, GAIN = 1.02, 0.90  # beyond: the work has grown; below: the budget is to be lowered
SKIPPED = 77


def instructions(program: str, steps: int) -> int:
    """Return the number of instructions that the program executes for `steps` steps."""
    command = [
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
        program,
        str(steps),
    ]
    environment = {**os.environ, "TRELLIS_SIMD": "v3", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    counted = re.search(r"I +refs: +([\d,]+)", run.stderr)
    if run.returncode != 0 or counted is None:
        sys.exit(f"{' '.join(command)} failed:\n{run.stderr}")
    return int(counted[1].replace(",", ""))


def main() -> int:
    """Count, print, and return the exit code."""
    version = subprocess.run(["c++", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    if shutil.which("valgrind") is None or not version.startswith(COMPILER):
        print(f"skipped: needs Valgrind and GCC {COMPILER}x, and there is GCC {version or 'none'}")
        return SKIPPED
    program = sys.argv[1]
    step = (instructions(program, 3) - instructions(program, 1)) / 2
    print(f"{step:.4g} instructions a step, budget {BUDGET:.4g}")
    return 0 if GAIN * BUDGET <= step <= GROWTH * BUDGET else 1


if __name__ == "__main__":
    sys.exit(main())

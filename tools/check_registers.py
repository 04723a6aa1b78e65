"""Check the registers of each CUDA kernel, and the bytes that it spills to memory, as nvcc's assembler reports them.

The reports are those that ``tools/keep_registers.sh`` keeps beside the objects of a build.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The most registers of a thread: 64 let four blocks of 256 threads share a multiprocessor. The first pattern counts.
MOST_REGISTERS = {r"group_forces<trellis::Gravity(::NeverSingular)?, float>": 64, r"group_forces<.*, float>": 104}
# The most bytes that a function may spill; all others spill none. Of double precision, and of systems, two blocks of
# 512 threads of which share a multiprocessor.
MOST_SPILLED = {
    r"group_forces<.*, double>": 8,
    r"target_locals<3, .*WithinCutoff, float>": 32,
    r"target_locals<2, .*WithinCutoff, double>": 32,
    r"target_locals<3, .*, double>": 20,
    r"target_locals<5, .*, double>": 1004,
    r"group_far_field<5, .*, double>": 524,
    r"advance_systems_on_gpu<": 720,
    r"stage_systems\(": 260,
    r"Thread(Pairs|Columns)<": 24,
}


@dataclass(frozen=True)
class Function:
    """What a report says of a function: of registers only where it is a kernel."""

    name: str
    spilled: int
    registers: int


def functions(report: str) -> Iterator[Function]:
    """Yield the functions of a report, whose names are demangled."""
    kernel = name = ""
    for line in report.splitlines():
        if found := re.search(r"Compiling entry function '(.*)' for", line):
            kernel = found[1]
        elif found := re.search(r"Function properties for (.*)", line):
            name = found[1]
        elif found := re.search(r"(\d+) bytes spill stores", line):
            yield Function(name, int(found[1]), 0)
        elif found := re.search(r"Used (\d+) registers", line):
            yield Function(kernel, 0, int(found[1]))


def allowed(budget: dict[str, int], name: str, default: int) -> int:
    """Return the budget of a function."""
    return next((most for pattern, most in budget.items() if re.search(pattern, name)), default)


def breaches(report: str) -> list[str]:
    """Return a line for each function of a report, of demangled names, that exceeds its budget."""
    found = []
    for function in functions(report):
        if function.spilled > (most := allowed(MOST_SPILLED, function.name, 0)):
            found.append(f"{function.name}: {function.spilled} bytes are spilled, allowed are {most}")
        if function.registers > (most := allowed(MOST_REGISTERS, function.name, 255)):
            found.append(f"{function.name}: {function.registers} registers, allowed are {most}")
    return list(dict.fromkeys(found))


def main() -> int:
    """Check all reports below the folder named on the command line."""
    reports = sorted(Path(sys.argv[1]).rglob("*.registers"))
    text = "".join(path.read_text() for path in reports)
    found = breaches(subprocess.run(["c++filt"], input=text, capture_output=True, text=True, check=True).stdout)
    if "group_forces" not in text:
        found.append(f"{sys.argv[1]}: no report of the kernel of pairs")
    print("\n".join(found) or f"{len(reports)} objects: registers and spills within their budgets")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

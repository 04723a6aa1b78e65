"""Check the kernels that were compiled for AMD's GPUs: registers, memory of a thread, and arguments.

They are in the bundles that ``cmake/clang_kernels.cmake`` leaves in the folder of a build.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from code_objects import Kernel, code_objects, kernels

# The GPUs to which budgets apply. clang 15 gives kernels for gfx1100 half of its registers.
BUDGETED = ("gfx90a", "gfx1030")
# The most registers of a thread: 72 let seven waves share a unit of gfx90a.
MOST_REGISTERS = {r"group_forces<trellis::Gravity(::NeverSingular)?, float>": 72}
# The most registers that are spilled, to others of a wave or to a thread's own memory; all other kernels spill none.
MOST_SPILLED = {
    r"advance_systems_on_gpu<": 62,
    r"ParentMoments<5, double>": 74,
    r"group_far_field<2, .*, double>": 3,
    r"group_far_field<3, .*, double>": 19,
    r"group_far_field<4, .*, double>": 76,
    r"group_far_field<5, .*, double>": 363,
    r"group_far_field<5, .*, float>": 261,
    r"target_locals<4, .*, double>": 4,
    r"target_locals<5, .*, double>": 174,
}
# The most bytes of a thread's own memory; all others have none.
MOST_SCRATCH = {
    r"advance_systems_on_gpu<": 2472,
    r"stage_systems\(": 1448,
    r"all_elements<.*(CheckNeighbours|CountRows|FindRanges|WriteRows)>": 288,
    r"ParentMoments<5, double>": 300,
    r"group_far_field<4, .*, double>": 544,
    r"group_far_field<5, .*, double>": 1136,
    r"group_far_field<5, .*, float>": 1268,
    r"group_forces<": 16,
    r"target_locals<5, .*, double>": 684,
}


def allowed(budget: dict[str, int], name: str, default: int) -> int:
    """Return the budget of a kernel."""
    return next((most for pattern, most in budget.items() if re.search(pattern, name)), default)


def breaches(kernel: Kernel, name: str, budgeted: bool) -> list[str]:
    """Return a line for each budget that a kernel, whose name is demangled, exceeds, and one for a wrong argument."""
    found = [
        f"{name}: {value} {what}, allowed are {most}"
        for value, what, most in (
            (kernel.registers, "registers", allowed(MOST_REGISTERS, name, 512)),
            (kernel.scratch, "bytes of a thread's memory", allowed(MOST_SCRATCH, name, 0)),
            (kernel.spilled, "registers are spilled", allowed(MOST_SPILLED, name, 0)),
        )
        if budgeted and value > most
    ]
    # Memory of a block whose size the launch gives is no argument here: src/trellis/devices/gpu/amdgcn_words.cuh.
    if "dynamic_shared_pointer" in kernel.arguments:
        found.append(f"{name}: has shared memory as an argument")
    return found


def main() -> int:
    """Check all bundles below the folder named on the command line, which are for the GPUs named behind it."""
    folder, *architectures = sys.argv[1:]
    found = []
    all_kernels: list[tuple[str, Kernel]] = []
    for path in sorted(Path(folder).rglob("*.cu.bundle")):
        objects = dict(code_objects(path.read_bytes()))
        if list(objects) != architectures:
            found.append(f"{path.name}: code for {', '.join(objects)}, wanted is {', '.join(architectures)}")
        all_kernels += [(name, kernel) for name, code in objects.items() for kernel in kernels(code)]
    mangled = "\n".join(kernel.name for _, kernel in all_kernels)
    names = subprocess.run(["c++filt"], input=mangled, capture_output=True, text=True, check=True).stdout.splitlines()
    for (architecture, kernel), name in zip(all_kernels, names, strict=True):
        budgeted = architecture in BUDGETED
        found += [f"{architecture}: {line}" for line in breaches(kernel, name, budgeted)]
    if "group_forces" not in mangled:
        found.append(f"{folder}: no code with the kernel of pairs")
    print("\n".join(found) or f"{len(names)} kernels of AMD's GPUs: within their budgets")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

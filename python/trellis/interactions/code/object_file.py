"""An interaction as an object file, with which programs in C and Fortran are linked.

Its one function returns a `LinkedInteraction` of src/trellis/forces/run_time/linked_interaction.hpp.
"""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

from trellis import _core
from trellis.errors import writing
from trellis.interactions.code.compiled import llvm_binding
from trellis.interactions.code.functions import module_of, names_of
from trellis.interactions.code.instructions import Machine
from trellis.interactions.code.program import Program

SETS = (Machine("v2", 16), Machine("v3", 32), Machine("v4", 64))


def write_object(path: Path, program: Program, description: bytes) -> None:
    """Write the functions of an interaction, for each instruction set, and the description of a force."""
    if not (path.stem.isidentifier() and path.stem.isascii() and path.suffix == ".o"):
        raise _core.InputError(f"an object file is {path.name}: allowed is the name of a function in C and .o")
    if platform.machine() != "x86_64":
        raise _core.InputError(f"an object file is for a processor of kind {platform.machine()}: allowed is x86_64")
    llvm = llvm_binding()
    whole = llvm.parse_assembly(_interaction(path.stem, program, description))
    for machine in SETS:
        module = llvm.parse_assembly(module_of(replace(program, machine=machine)))
        for function in _defined(module):
            function.name = _name(function.name, machine)
        whole.link_in(module)
    for function in _defined(whole):
        if function.name != path.stem:
            function.linkage = "internal"
    whole.verify()
    target = llvm.Target.from_default_triple().create_target_machine(cpu=SETS[0].cpu, opt=2, reloc="pic")
    part = path.with_suffix(".part")
    with writing(path):
        part.write_bytes(target.emit_object(whole))
        part.replace(path)


def _name(function: str, machine: Machine) -> str:
    return f"{function}.{machine.level}"


def _defined(module: Any) -> list[Any]:
    return [function for function in module.functions if not function.is_declaration]


def _interaction(name: str, program: Program, description: bytes) -> str:
    """Return the function that programs name, and what its result points to."""
    made, order = set(names_of(program)), _core.linked_functions()
    tables = {machine: [_name(each, machine) if each in made else "" for each in order] for machine in SETS}
    lines = [f"declare void @{each}()" for table in tables.values() for each in table if each]
    for machine, table in tables.items():
        pointers = ", ".join(f"ptr @{each}" if each else "ptr null" for each in table)
        lines.append(f"@linked.{machine.level} = private constant [{len(table)} x ptr] [{pointers}]")
    letters = "".join(f"\\{byte:02x}" for byte in description)
    pointers = ", ".join(f"ptr @linked.{machine.level}" for machine in SETS)
    return "\n".join(
        [
            *lines,
            f'@linked.description = private constant [{len(description)} x i8] c"{letters}"',
            "@linked.interaction = private constant { ptr, i64, [3 x ptr] }"
            f" {{ ptr @linked.description, i64 {len(description)}, [3 x ptr] [{pointers}] }}",
            f"define ptr @{name}() {{\n  ret ptr @linked.interaction\n}}",
        ]
    )

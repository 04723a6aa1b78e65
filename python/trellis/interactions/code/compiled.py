"""Functions of an interaction in this process: compiled by LLVM, or loaded from the cache."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from trellis import _core
from trellis.interactions.code import cache
from trellis.interactions.code.instructions import Machine

_loaded: dict[str, dict[str, int]] = {}  # addresses by name, of each module; the modules stay loaded
_engines: list[Any] = []


def machine() -> Machine:
    """Return the instruction set that is in use."""
    name, vector_bytes = _core.run_time_machine()
    return Machine(name.split(" ")[0], vector_bytes)


def llvm_binding() -> Any:
    """Return llvmlite's binding of LLVM; a ValueError if it is not installed."""
    try:
        import llvmlite.binding as llvm
    except ImportError:
        raise _core.InputError(
            "interactions written in Python need llvmlite: pip install 'trellis-particles[interactions]'"
        ) from None
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _version() -> str:
    """Return what the sources of this package are, by their content."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


_VERSION = _version()


def _target(llvm: Any, machine: Machine) -> Any:
    triple = llvm.Target.from_default_triple()
    return triple.create_target_machine(
        cpu=machine.cpu, features="", opt=2, reloc="pic", codemodel="jitdefault", jit=True
    )


def functions(text: str, names: tuple[str, ...], machine: Machine) -> dict[str, int]:
    """Return the addresses of the functions of a module of LLVM, by name."""
    llvm = llvm_binding()
    content = f"{text}\n{machine}\n{llvm.llvm_version_info}\n{_VERSION}"
    key = hashlib.sha256(content.encode()).hexdigest()
    if key not in _loaded:
        target = _target(llvm, machine)
        code = cache.read(key)
        if code is None:
            module = llvm.parse_assembly(text)
            module.verify()
            code = target.emit_object(module)
            cache.write(key, code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _engines.append(engine)
        _loaded[key] = {name: engine.get_function_address(name) for name in names}
    return _loaded[key]


def assembly(text: str, machine: Machine) -> str:
    """Return the functions of a module as the processor runs them, as text."""
    llvm = llvm_binding()
    return str(_target(llvm, machine).emit_assembly(llvm.parse_assembly(text)))

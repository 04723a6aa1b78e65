"""The check of kernels for AMD's GPUs finds what it is there to find."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools" / "check_code_objects.py"
NUMBERS = (".vgpr_count", ".vgpr_spill_count", ".sgpr_spill_count", ".private_segment_fixed_size")
PAIRS = "_ZN7trellis5clang12group_forcesINS_7GravityEfEEvT_"  # group_forces<Gravity, float>


def packed(value: object) -> bytes:
    """Return a value in the form MessagePack."""
    if isinstance(value, dict):
        return bytes([0x80 + len(value)]) + b"".join(packed(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(packed, value))
    if isinstance(value, str):
        return b"\xd9" + bytes([len(value)]) + value.encode()
    assert isinstance(value, int)
    return b"\xcd" + value.to_bytes(2, "big")


def code_object(kernel: dict[str, object]) -> bytes:
    """Return an ELF file with one segment: a note that describes a kernel."""
    described = packed({"amdhsa.kernels": [kernel]})
    note = struct.pack("<III", 7, len(described), 32) + b"AMDGPU\0\0" + described
    header = b"\x7fELF".ljust(32, b"\0") + struct.pack("<QQIHHHHHH", 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(note), len(note), 4) + note


def bundle(code: bytes) -> bytes:
    """Return a bundle of a code object for gfx90a."""
    name = b"hipv4-amdgcn-amd-amdhsa--gfx90a"
    header = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, 56 + len(name), len(code), len(name)) + name
    return header + code


def checked(folder: Path, *architectures: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECK), str(folder), *architectures]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("registers", "spilled", "scratch", "argument", "complaint"),
    [
        (72, 0, 0, "by_value", ""),
        (73, 0, 0, "by_value", "gfx90a: void trellis::clang::group_forces<trellis::Gravity, float>(trellis::Gravity):"
         " 73 registers, allowed are 72"),
        (64, 2, 0, "by_value", "2 registers are spilled, allowed are 0"),
        (64, 0, 20, "by_value", "20 bytes of a thread's memory, allowed are 16"),
        (64, 0, 0, "dynamic_shared_pointer", "has shared memory as an argument"),
    ],
)  # fmt: skip
def test_budgets(tmp_path: Path, registers: int, spilled: int, scratch: int, argument: str, complaint: str) -> None:
    kernel = {
        ".name": PAIRS,
        ".vgpr_count": registers,
        ".vgpr_spill_count": spilled,
        ".sgpr_spill_count": 0,
        ".private_segment_fixed_size": scratch,
        ".args": [{".value_kind": argument}],
    }
    (tmp_path / "pairs.cu.bundle").write_bytes(bundle(code_object(kernel)))
    result = checked(tmp_path, "gfx90a")
    assert (result.returncode, complaint in result.stdout) == (1 if complaint else 0, True), result.stdout


def test_there_must_be_code(tmp_path: Path) -> None:
    result = checked(tmp_path)
    assert result.returncode == 1
    assert "no code with the kernel of pairs" in result.stdout


def test_each_gpu_must_have_code(tmp_path: Path) -> None:
    (tmp_path / "pairs.cu.bundle").write_bytes(bundle(code_object({".name": PAIRS} | dict.fromkeys(NUMBERS, 0))))
    assert checked(tmp_path, "gfx90a").returncode == 0
    result = checked(tmp_path, "gfx90a", "gfx1030")
    assert (result.returncode, result.stdout) == (1, "pairs.cu.bundle: code for gfx90a, wanted is gfx90a, gfx1030\n")

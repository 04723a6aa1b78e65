"""Without a compiler, whoever installs Trellis from its source reads what to install."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def configured(folder: Path, **environment: str) -> str:
    """Configure with CMake and Ninja alone in PATH, which fails, and return the error on one line."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("cmake", "ninja"):
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"needs {name}")
        (programs / name).symlink_to(found)
    done = subprocess.run(
        [programs / "cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build"],
        env={"PATH": str(programs), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    return " ".join(done.stderr.split())


def test_a_package_or_the_wheel_is_named(tmp_path: Path) -> None:
    error = configured(tmp_path)
    assert "no C++ compiler works here: install g++ 12 or newer (Debian and Ubuntu: apt install g++;" in error
    assert "or install Trellis from a wheel, which needs none" in error
    assert "CMAKE_CXX_COMPILER" not in error


def test_a_compiler_that_is_named_and_does_not_work_is_said(tmp_path: Path) -> None:
    error = configured(tmp_path, CXX="no-such-compiler")
    assert "no C++ compiler works here (CXX is no-such-compiler): install g++" in error

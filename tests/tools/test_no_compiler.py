"""Without a compiler, whoever installs Trellis from its source reads what to install."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def configured(folder: Path, *options: str, programs: tuple[str, ...] = (), **environment: str) -> str:
    """Configure with CMake, Ninja and other programs in PATH, which fails, and return the error on one line."""
    inside = folder / "bin"
    inside.mkdir()
    for name in ("cmake", "ninja", *programs):
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"needs {name}")
        (inside / name).symlink_to(found)
    done = subprocess.run(
        [inside / "cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", *options],
        env={"PATH": str(inside), **environment},
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


BINUTILS = ("g++", "as", "ld", "ar", "ranlib", "sh")


def test_a_compiler_that_is_too_old_is_said(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text('#!/bin/sh\nexec g++ -U__GNUC__ -D__GNUC__=11 "$@"\n')
    old.chmod(0o755)
    error = configured(tmp_path, programs=BINUTILS, CXX=str(old))
    assert "is g++ 11." in error
    assert "install g++ 12 or newer and name it in the environment (CXX=g++-12)" in error


def test_a_compiler_without_openmp_is_said(tmp_path: Path) -> None:
    error = configured(tmp_path, "-DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON", programs=BINUTILS)
    assert "has no OpenMP: install that of clang (Debian and Ubuntu: apt install libomp-dev;" in error
    assert "OpenMP_CXX_FLAGS" not in error

"""The house checks find what they are there to find."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


def run_tool(name: str, argument: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOLS / name), str(argument)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("src/trellis/base/vec.hpp", '#include "trellis/tree/tree.hpp"\n', "vec.hpp:1: base may not include tree"),
        (
            "src/trellis/tree/tree.hpp",
            "\n # include <trellis/run/step.hpp>\n",
            "tree.hpp:2: tree may not include run",
        ),
        ("src/trellis/tree/tree.hpp", '#include "trellis/trellis.hpp"\n', "tree may not include trellis.hpp"),
        ("src/trellis/helpers/all.hpp", "", "folder helpers is not one of base, particles"),
        ("python/trellis/long.py", "\n" * 401, "long.py: 401 lines; at most 400"),
    ],
)
def test_layers_finds_breach(tmp_path: Path, path: str, text: str, complaint: str) -> None:
    write(tmp_path / path, text)
    result = run_tool("check_layers.py", tmp_path)
    assert complaint in result.stdout
    assert result.returncode == 1


def test_layers_allows_own_and_earlier_folders(tmp_path: Path) -> None:
    write(tmp_path / "src/trellis/tree/tree.cpp", '#include "trellis/tree/tree.hpp"\n#include "trellis/base/vec.hpp"\n')
    write(tmp_path / "tests/unit/base/vec_test.cpp", '#include "trellis/run/simulation.hpp"\n' + "\n" * 399)
    result = run_tool("check_layers.py", tmp_path)
    assert result.returncode == 0, result.stdout


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("namespace trellis { inline namespace v4 { void f() {} } }", ""),
        ("namespace trellis { inline void g() {} inline namespace v4 { void f() { g(); } } }", "v4.o: _ZN7trellis1gEv"),
        ("namespace trellis { inline namespace v3 { void f() {} } }", "v4.o: _ZN7trellis2v31fEv"),
        ("namespace { [[maybe_unused]] int quiet = 0; }", "v4.o: (no symbol at all"),
    ],
)
def test_symbols(tmp_path: Path, source: str, complaint: str) -> None:
    write(tmp_path / "v4.cpp", source)
    subprocess.run(["g++", "-O0", "-std=c++20", "-c", "v4.cpp"], cwd=tmp_path, check=True)
    result = run_tool("check_symbols.py", tmp_path)
    assert complaint in result.stdout
    assert result.returncode == (1 if complaint else 0)

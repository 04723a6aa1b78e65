"""The house checks find what they are there to find."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
check_layers = importlib.import_module("check_layers")


def run_tool(name: str, argument: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOLS / name), str(argument)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Make a repository with every room, and a source and a README.md in each, and two packages."""
    for room in check_layers.ROOMS:
        write(tmp_path / "src/trellis" / room / "room.hpp", "")
        write(tmp_path / "src/trellis" / room / "README.md", f"# {room}\n")
    for package in ("particles", "io"):
        write(tmp_path / "python/trellis" / package / "__init__.py", "")
        write(tmp_path / "python/trellis" / package / "README.md", f"# {package}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("src/trellis/base/vec.hpp", '#include "trellis/tree/tree.hpp"\n', "vec.hpp:1: base may not include tree"),
        (
            "src/trellis/tree/tree.hpp",
            "\n # include <trellis/run/step.hpp>\n",
            "tree.hpp:2: tree may not include run",
        ),
        ("src/trellis/tree/tree.hpp", '#include "trellis/trellis.hpp"\n', "tree may not include ."),
        (
            "src/trellis/forces/tree/kernels/p2m.hpp",
            '#include "trellis/forces/tree/host/tables.hpp"\n',
            "p2m.hpp:1: forces/tree/kernels may not include forces/tree/host",
        ),
        ("src/trellis/helpers/all.hpp", "", "folder helpers is not one of base/forks, base"),
        ("src/trellis/forces/cuda/pairs.cu", "", "folder forces/cuda is not one of base/forks"),
        ("src/trellis/tree/README.md", "\n" * 13, "tree/README.md: 13 lines; every room has one, of at most 12"),
        ("src/trellis/tree/README.md", "", "tree/README.md: 0 lines; every room has one"),
        ("python/trellis/io/long.py", "\n" * 401, "long.py: 401 lines; at most 400"),
        ("python/trellis/helpers.py", "", "python/trellis/helpers.py: helpers is not one of _core, errors"),
        ("python/trellis/particles/a.py", "from trellis.io.hdf5 import x\n", "a.py:1: particles may not import io"),
        ("python/trellis/particles/a.py", "import trellis.io as io\n", "a.py:1: particles may not import io"),
        ("python/trellis/units.py", "def f():\n    import trellis.paths\n", "units.py:2: units may not import paths"),
        (
            "python/trellis/particles/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from trellis.simulation import Simulation\n",
            "a.py:3: particles may not import simulation",
        ),
        ("python/trellis/io/a.py", "from trellis import _core, Gravity\n", "a.py:1: imports from trellis itself"),
        ("python/trellis/io/a.py", "import trellis as tr\n", "a.py:1: imports from trellis itself"),
        ("python/trellis/io/a.py", "from . import hdf5\n", "a.py:1: imports .; allowed are full names"),
        ("python/trellis/io/deep/__init__.py", "", "io/deep/README.md: 0 lines; every package has one, of at most 12"),
        ("python/trellis/io/deep/a.py", "", "python/trellis/io/deep: no __init__.py"),
        ("python/trellis/io/README.md", "\n" * 13, "io/README.md: 13 lines; every package has one, of at most 12"),
    ],
)
def test_layers_finds_breach(house: Path, path: str, text: str, complaint: str) -> None:
    write(house / path, text)
    result = run_tool("check_layers.py", house)
    assert complaint in result.stdout
    assert result.returncode == 1


def test_layers_finds_a_room_too_large(house: Path) -> None:
    for number in range(22):
        write(house / f"src/trellis/tree/part_{number}.cpp", "")
    result = run_tool("check_layers.py", house)
    assert "src/trellis/tree: 23 sources; a room has 1 to 22" in result.stdout
    assert result.returncode == 1


def test_layers_finds_a_package_too_large(house: Path) -> None:
    for number in range(24):
        write(house / f"python/trellis/io/part_{number}.py", "")
    result = run_tool("check_layers.py", house)
    assert "python/trellis/io: 24 modules; a package has at most 23" in result.stdout
    assert result.returncode == 1


def test_layers_finds_a_circle_of_annotations(house: Path) -> None:
    write(house / "python/trellis/io/a.py", "from trellis.io.b import B\n")
    annotated = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from trellis.io import a\n"
    write(house / "python/trellis/io/b.py", annotated)
    result = run_tool("check_layers.py", house)
    assert "modules import each other in a circle: trellis.io." in result.stdout
    assert result.returncode == 1


def test_layers_allows_own_and_earlier_packages(house: Path) -> None:
    write(house / "python/trellis/__init__.py", "from trellis import io\nfrom trellis.io import hdf5\n")
    write(house / "python/trellis/io/a.py", "from trellis import _core\nfrom trellis._core import Force\n")
    write(house / "python/trellis/io/b.py", "import trellis.io.a\nfrom trellis.particles import x\nimport numpy\n")
    result = run_tool("check_layers.py", house)
    assert result.returncode == 0, result.stdout


def test_layers_allows_own_and_earlier_rooms(house: Path) -> None:
    write(house / "src/trellis/tree/tree.cpp", '#include "trellis/tree/tree.hpp"\n#include "trellis/base/vec.hpp"\n')
    write(house / "tests/unit/base/vec_test.cpp", '#include "trellis/run/simulation.hpp"\n' + "\n" * 399)
    result = run_tool("check_layers.py", house)
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


@pytest.mark.parametrize(
    ("path", "line", "breach"),
    [
        ("src/trellis/tree/tree.hpp", "// " + "x" * 118, True),
        ("src/trellis/tree/tree.hpp", "// " + "é" * 117, False),
        ("python/trellis/long.py", "# " + "x" * 119, True),
        ("cmake/cuda.cmake", "# " + "x" * 119, True),
        (".ci/run", "# " + "x" * 119, True),
        ("Makefile", "# " + "x" * 119, True),
        ("examples/fall.toml", "# " + "x" * 119, True),
        ("CMakePresets.json", f'  "description": "{"x" * 120}"', True),
        ("CMakePresets.json", f'  "filter": "{"x" * 120}"', False),
        ("docs/a_page.md", "x" * 121, False),
        ("build/generated.hpp", "// " + "x" * 118, False),
    ],
)
def test_columns(tmp_path: Path, path: str, line: str, breach: bool) -> None:
    write(tmp_path / path, f"\n{line}\n")
    result = run_tool("check_columns.py", tmp_path)
    assert (f"{path}:2: {len(line)} columns; at most 120" in result.stdout) == breach, result.stdout
    assert result.returncode == breach


PAIRS = "_ZN7trellis4cuda12group_forcesINS_7GravityEfEEvT_"  # group_forces<Gravity, float>


@pytest.mark.parametrize(
    ("registers", "spilled", "complaint"),
    [(64, 0, ""), (65, 0, "65 registers, allowed are 64"), (64, 4, "4 bytes are spilled, allowed are 0")],
)
def test_registers(tmp_path: Path, registers: int, spilled: int, complaint: str) -> None:
    report = [
        f"ptxas info    : Compiling entry function '{PAIRS}' for 'sm_90'",
        f"ptxas info    : Function properties for {PAIRS}",
        f"    0 bytes stack frame, {spilled} bytes spill stores, {spilled} bytes spill loads",
        f"ptxas info    : Used {registers} registers, used 1 barriers",
    ]
    write(tmp_path / "pairs.cu.o.registers", "\n".join(report))
    result = run_tool("check_registers.py", tmp_path)
    assert (result.returncode, complaint in result.stdout) == (1 if complaint else 0, True), result.stdout


def test_registers_must_have_been_kept(tmp_path: Path) -> None:
    result = run_tool("check_registers.py", tmp_path)
    assert result.returncode == 1
    assert "no report of the kernel of pairs" in result.stdout


def test_stages_end_with_the_first_that_fails(tmp_path: Path) -> None:
    write(tmp_path / "Makefile", "good:\n\techo is good\nbad:\n\tfalse\nlast:\n\techo is last\n")
    write(tmp_path / "tools/stages.sh", (TOOLS / "stages.sh").read_text())
    command = ["bash", str(tmp_path / "tools/stages.sh"), "good", "bad", "last"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "is good" in result.stdout
    assert "is last" not in result.stdout
    *_, good, bad, total = result.stdout.splitlines()
    assert (good.split()[0], bad.split()[0], total.split()[0]) == ("good", "bad", "all")
    assert result.returncode != 0
    passing = subprocess.run([*command[:-2], "last"], capture_output=True, text=True, check=False)
    assert passing.returncode == 0, passing.stdout + passing.stderr

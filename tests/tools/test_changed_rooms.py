"""Rooms that have changed since the last whole check are found by their code and that of the headers they include."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
changed_rooms = importlib.import_module("changed_rooms")
TREE = "src/trellis/tree/tree.hpp"
VEC = "src/trellis/base/vec.hpp"


def changed(house: Path, *options: str) -> list[str]:
    command = [sys.executable, str(house / "tools/changed_rooms.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [room for room in done.stdout.strip().split(";") if room]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Make a repository whose tree includes a header of base, and whose lists include the tree, all recorded."""
    texts = {
        VEC: "int x;  // a number\n",
        TREE: '#include "trellis/base/vec.hpp"\n',
        "src/trellis/lists/walk/walk.cpp": '#include "trellis/tree/tree.hpp"\n',
        "src/trellis/mesh/mesh.cpp": "",
        "tests/unit/mesh/mesh_test.cpp": 'const char* page = "https://example.org";\n',
        **dict.fromkeys(changed_rooms.BUILD, ""),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "tools").mkdir()
    for name in ("changed_rooms.py", "check_layers.py"):
        shutil.copy(TOOLS / name, tmp_path / "tools")
    assert len(changed(tmp_path)) == len(changed_rooms.ROOMS)
    assert changed(tmp_path, "--record") == []
    return tmp_path


@pytest.mark.parametrize(
    ("file", "text", "rooms"),
    [
        (VEC, "int x;  // a whole number\n\n", []),
        (VEC, "int y;  // a number\n", ["base", "tree", "lists/walk"]),
        (TREE, '#include "trellis/base/vec.hpp"\nint z;\n', ["tree", "lists/walk"]),
        ("src/trellis/tree/keys.cpp", "int key;\n", ["tree"]),
        ("src/trellis/mesh/mesh.cpp", "int nodes;\n", ["mesh"]),
        ("tests/unit/mesh/mesh_test.cpp", 'const char* page = "https://example.com";\n', ["mesh"]),
        ("cmake/kernels.cmake", "set(TRELLIS_FLAGS -O2)\n", changed_rooms.ROOMS),
    ],
)
def test_rooms_change_with_code_and_headers_not_with_comments(
    house: Path, file: str, text: str, rooms: list[str]
) -> None:
    (house / file).parent.mkdir(exist_ok=True)
    (house / file).write_text(text)
    assert changed(house) == rooms


def test_a_source_that_is_gone_changes_its_room(house: Path) -> None:
    (house / "src/trellis/mesh/mesh.cpp").unlink()
    assert changed(house) == ["mesh"]

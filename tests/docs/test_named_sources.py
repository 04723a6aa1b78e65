"""Files and functions that ARCHITECTURE.md, CONTRIBUTING.md and the README.md of rooms and packages name are there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from pages import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from check_layers import ROOMS

LIBRARY = ROOT / "src" / "trellis"
PACKAGE = ROOT / "python" / "trellis"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
TABLE_OF_ROOMS = re.findall(r"^\| \[.*?\]\((src/trellis/\S+)/README.md\) \| .* \| (.*) \|$", ARCHITECTURE, re.MULTILINE)
SOURCES = {path: path.read_text() for path in LIBRARY.rglob("*") if path.suffix in {".hpp", ".cpp", ".cu", ".cuh"}}


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_page_names_files_that_are_there(page: str) -> None:
    named = re.findall(r"`([\w*.]+/[\w./*]*)`", (ROOT / page).read_text())
    assert len(named) > 10
    for name in named:
        assert any(list(base.glob(name)) for base in (ROOT, LIBRARY)), f"there is no {name}"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(\w+::\w+)`", ARCHITECTURE))))
def test_architecture_names_functions_that_are_there(name: str) -> None:
    kind, function = name.split("::")
    defined = re.compile(rf"\b{kind}::{function}\b")
    declared = re.compile(rf"\b(class|struct) {kind}\b.*?\b{function}\(", re.DOTALL)
    assert any(defined.search(text) or declared.search(text) for text in SOURCES.values()), f"there is no {name}"


def test_table_has_all_rooms_in_their_order_and_the_files_to_begin_with() -> None:
    assert [room.removeprefix("src/trellis/") for room, _ in TABLE_OF_ROOMS] == ROOMS
    for room, files in TABLE_OF_ROOMS:
        for name in re.findall(r"`([^`]+)`", files):
            assert (ROOT / room / name).is_file(), f"{room} has no {name}"


@pytest.mark.parametrize("readme", sorted(LIBRARY.rglob("README.md")), ids=lambda path: path.parent.name)
def test_rooms_name_files_that_are_there(readme: Path) -> None:
    named = re.findall(r"`([\w*]+\.(?:hpp|cpp|cu|cuh)|[\w/]+/)`", readme.read_text())
    assert named
    for name in named:
        assert list(readme.parent.glob(name)), f"{readme.parent.name} has no {name}"


@pytest.mark.parametrize("readme", sorted(PACKAGE.rglob("README.md")), ids=lambda path: path.parent.name)
def test_packages_name_modules_that_are_there(readme: Path) -> None:
    named = re.findall(r"`(\w+\.py|[\w/]+/)`", readme.read_text())
    assert named
    for name in named:
        assert (readme.parent / name).exists(), f"{readme.parent.name} has no {name}"

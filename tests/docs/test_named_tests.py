"""The tests that docs/reliability.md names are there."""

from __future__ import annotations

import re

import pytest
from pages import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text()
TEST, PLACE = r"`test_\w+`", r"`(tests/unit/[\w/.]+|tests/faults/[\w/.]+)`"
NAMED = [
    (file, test) for file, tests in re.findall(rf"(\w+): ({TEST}(?:, {TEST})*)", PAGE) for test in tests.split(", ")
]


def test_every_test_is_named_with_its_file() -> None:
    assert len(NAMED) == len(re.findall(TEST, PAGE)) > 40


def test_every_fault_has_a_test() -> None:
    faults = [line for line in PAGE.splitlines() if re.match(r"\| [^-]", line) and not line.startswith("| fault |")]
    assert len(faults) > 30
    assert [line for line in faults if not re.search(f"{TEST}|{PLACE}", line)] == []


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_it_is_there(file: str, test: str) -> None:
    (path,) = (ROOT / "tests" / "python").rglob(f"test_{file}.py")
    assert f"\ndef {test.strip('`')}(" in path.read_text()


@pytest.mark.parametrize("place", re.findall(PLACE, PAGE))
def test_files_of_tests_are_there(place: str) -> None:
    assert (ROOT / place).exists()

"""Pages have lines of at most 120 columns; rows of tables, links, and notes to the tests may be longer."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import PAGES, ROOT

ROOMS = sorted((ROOT / "src" / "trellis").rglob("README.md"))


@pytest.mark.parametrize("page", [*PAGES, *ROOMS], ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_not_too_long(page: Path) -> None:
    lines = enumerate(page.read_text().splitlines(), start=1)
    free = ("|", "<!--", "![")
    long = [number for number, line in lines if len(line) > 120 and not line.lstrip().startswith(free)]
    assert not long, f"{page.name}: lines {long} have more than 120 columns"

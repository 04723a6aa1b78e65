"""The gallery has every example, and every picture of it is small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import ROOT

GALLERY = (ROOT / "docs/gallery.md").read_text()
EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.suffix not in {".hpp", ".txt"})
PICTURES = sorted((ROOT / "docs/images/gallery").iterdir())


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_has_its_place(example: str) -> None:
    assert f"examples/{example}" in GALLERY


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_picture_is_shown_and_small(picture: Path) -> None:
    assert re.search(rf"^!\[.+\]\(images/gallery/{picture.name}\)$", GALLERY, re.MULTILINE)
    assert picture.stat().st_size < 64_000

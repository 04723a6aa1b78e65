"""Goals of expanding space at their full sizes, which takes hours: pytest -m slow, and this file.

They are those of `python bench/goals/run.py cosmology`; bench/results/ has the figures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(next(up for up in Path(__file__).parents if (up / "bench").is_dir()) / "bench/goals"))

import cosmology

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", ["pancake", "growth", "resolutions", "energy", "mass_function"])
def test_goals_are_reached(part: str, tmp_path: Path) -> None:
    rows = list(getattr(cosmology, part)(tmp_path, quick=False))
    assert [str(row) for row in rows if not row.reached] == []

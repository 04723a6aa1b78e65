"""The figures of the modelled papers are drawn."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

import draw

NAMES = {
    *(f"figure_{number:02d}" for number in range(5, 14)),
    *(f"remote_{number:02d}" for number in (3, 5, 6, 8, 10)),
    *(f"replicas_{number}" for number in (10, 11)),
    *(f"sites_{number:02d}" for number in (6, 9, 10, 11, 12, 13, 14)),
    "sites_ours",
}


def test_there_is_a_figure_for_each_of_the_papers() -> None:
    assert set(draw.FIGURES) == NAMES


@pytest.mark.parametrize("name", draw.FIGURES)
def test_a_figure_has_black_and_white(name: str) -> None:
    file = BytesIO()
    draw.draw(name).savefig(file, format="png")
    with Image.open(file) as picture:
        assert min(picture.size) > 500
        assert picture.convert("L").getextrema() == (0, 255)


def test_the_script_writes_the_figures_that_are_named(tmp_path: Path) -> None:
    command = [sys.executable, str(draw.__file__), "-o", str(tmp_path / "new"), "figure_13"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.endswith("figure_13.png\n")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["figure_13.png"]
    refused = subprocess.run([*command, "figure_99"], check=False, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "there is no figure figure_99" in refused.stderr

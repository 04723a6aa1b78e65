"""Figures that belong to no window, and their files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.io.atomic import replacing, write_all

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches."""
    from matplotlib.figure import Figure  # slow to import, and not needed by a program that draws nothing

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, output: str | Path | None) -> None:
    """Write a figure to a PNG file, whole or not at all, if there is one to write."""
    if output is None:
        return
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=150)
    with replacing(Path(output)) as file:
        write_all(file, picture.getvalue())

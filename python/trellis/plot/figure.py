"""Figures and their files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.errors import InputError
from trellis.io.atomic import replacing, write_all
from trellis.plot.style import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".pdf", ".svg")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, which belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


@contextmanager
def axes_or_new(ax: Axes | None, style: str) -> Iterator[Axes]:
    """Draw into axes, whose figure has its own looks, or into those of a new figure of pyplot, as notebooks show it."""
    if ax is not None:
        yield ax
        return
    from matplotlib import pyplot  # slow to import, and not needed by a program that draws nothing

    with drawing(style):
        yield pyplot.subplots(layout="constrained")[1]


def kind_of(output: str | Path) -> str:
    """Return the kind of a picture, by the ending of its file: png without one; ValueError for another kind."""
    ending = Path(output).suffix.lower()
    if ending not in ("", *ENDINGS):
        raise InputError(f"the picture is '{output}', but its ending must be one of {', '.join(ENDINGS)}")
    return ending[1:] or "png"


def save(figure: Figure, output: str | Path | None) -> None:
    """Write a figure to a file, whole or not at all, if there is one to write."""
    if output is None:
        return
    picture = io.BytesIO()
    figure.savefig(picture, format=kind_of(output), dpi=150, facecolor=figure.get_facecolor())
    with replacing(Path(output)) as file:
        write_all(file, picture.getvalue())

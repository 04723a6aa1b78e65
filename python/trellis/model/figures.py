"""Figures 5 to 13 of Iwasawa et al. (2020), redrawn from the equations, with the symbols of their captions.

Where the paper shows measured points, only those that Table 2 gives in numbers are drawn beside the model.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.errors import writing
from trellis.io.atomic import replacing, write_all
from trellis.model.figures_many_nodes import strong_scaling, weak_scaling
from trellis.model.figures_single_node import (
    against_angle,
    against_group,
    against_reuse,
    bandwidths,
    hypothetical_systems,
    interaction_time,
    two_machines,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[int, Callable[[Figure], None]] = {
    5: against_group,
    6: against_angle,
    7: two_machines,
    8: against_reuse,
    9: hypothetical_systems,
    10: bandwidths,
    11: weak_scaling,
    12: strong_scaling,
    13: interaction_time,
}
WIDE = (7, 12)  # those of two panels


def draw(number: int) -> Figure:
    """Return a figure by its number in the paper."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5 if number in WIDE else 5.5, 4.2), dpi=150, layout="constrained")
    FIGURES[number](figure)
    return figure


def draw_all(folder: Path) -> list[Path]:
    """Write all figures to a folder, as ``figure_05.png`` and so on; return their names."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in FIGURES:
        picture = io.BytesIO()
        draw(number).savefig(picture, format="png")
        paths.append(folder / f"figure_{number:02d}.png")
        with replacing(paths[-1]) as file:
            write_all(file, picture.getbuffer())
    return paths

"""Figures of the papers, redrawn from their equations.

Figures 5 to 13 of Iwasawa et al. (2020) have the symbols of their captions; those of Nakasato et al. (1997) are drawn
by `trellis.model.remote.figures`, those of Oikawa et al. by `trellis.model.replicas.figures`, those of Groen et al.
(2011) by `trellis.model.sites.figures`. Measured points are drawn only where the papers' tables give them in numbers.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

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
from trellis.model.remote import figures as remote
from trellis.model.replicas import figures as replicas
from trellis.model.sites import figures as sites
from trellis.model.sites.density import density_by_site

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[str, tuple[Callable[[Figure], None], bool]] = {
    "figure_05": (against_group, False),
    "figure_06": (against_angle, False),
    "figure_07": (two_machines, True),
    "figure_08": (against_reuse, False),
    "figure_09": (hypothetical_systems, False),
    "figure_10": (bandwidths, False),
    "figure_11": (weak_scaling, False),
    "figure_12": (strong_scaling, True),
    "figure_13": (interaction_time, False),
    "remote_03": (remote.boards, True),
    "remote_05": (remote.gravity, True),
    "remote_06": (remote.lists, True),
    "remote_08": (remote.tree, False),
    "remote_10": (remote.gas, False),
    "replicas_10": (replicas.efficiency, True),
    "replicas_11": (replicas.shares, True),
    "sites_06": (density_by_site, False),
    "sites_09": (sites.step_by_step, True),
    "sites_10": (sites.cosmological_speed_up, False),
    "sites_11": (sites.cosmological_efficiency, False),
    "sites_12": (sites.stellar_speed_up, False),
    "sites_13": (sites.stellar_efficiency, False),
    "sites_14": (sites.by_bandwidth, False),
    "sites_ours": (sites.both_algorithms, False),
}
"""By the name of the file, what draws it, and whether it has two panels."""


def draw(name: str) -> Figure:
    """Return a figure by its name."""
    from matplotlib.figure import Figure

    drawn, wide = FIGURES[name]
    figure = Figure(figsize=(9.5 if wide else 5.5, 4.2), dpi=150, layout="constrained")
    drawn(figure)
    return figure


def write_figure(name: str, path: Path) -> None:
    """Draw a figure and write it to a PNG file."""
    picture = io.BytesIO()
    draw(name).savefig(picture, format="png")
    with replacing(path) as file:
        write_all(file, picture.getbuffer())

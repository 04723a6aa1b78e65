"""Figures of the modelled papers, drawn from their equations.

    python bench/papers/draw.py [-o FOLDER] [NAME ...]

Writes NAME.png into FOLDER, for all names of `FIGURES` unless names are given; files that are there are replaced.
Figures 5 to 13 of Iwasawa et al. (2020) have the symbols of their captions. Measured points are drawn only where the
tables of a paper give them in numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure

import groen_figures as sites
import nakasato_figures as remote
import oikawa_figures as replicas
from groen_density import density_by_site
from iwasawa_many_nodes import strong_scaling, weak_scaling
from iwasawa_single_node import (
    against_angle,
    against_group,
    against_reuse,
    bandwidths,
    hypothetical_systems,
    interaction_time,
    two_machines,
)

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
"""A function that draws, and whether there are two panels, by the name of the file."""


def draw(name: str) -> Figure:
    """Return a figure by its name."""
    drawn, wide = FIGURES[name]
    figure = Figure(figsize=(9.5 if wide else 5.5, 4.2), dpi=150, layout="constrained")
    drawn(figure)
    return figure


def main() -> None:
    """Draw the figures that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FIGURES))
    parser.add_argument("-o", "--output", type=Path, default=Path("papers"), metavar="FOLDER")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(FIGURES))
    if unknown:
        parser.error(f"there is no figure {unknown[0]}: there are {', '.join(FIGURES)}")
    given.output.mkdir(parents=True, exist_ok=True)
    for name in given.names or FIGURES:
        draw(name).savefig(given.output / f"{name}.png")
        print(f"{given.output / name}.png")


if __name__ == "__main__":
    main()

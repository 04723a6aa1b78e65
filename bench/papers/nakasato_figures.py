"""Figures 3, 5, 6, 8 and 10 of Nakasato et al. (1997), redrawn from the equations.

The paper's points are drawn where its tables give them in numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nakasato_tables import GAS_PARTICLES, TABLE_2, TABLE_3, TABLE_5, TREE_PARTICLES
from trellis.model.remote import equations
from trellis.model.remote.cases import CASES, seconds_of
from trellis.model.remote.machine import BUILT_IN, Grape, RemoteMachine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLASSIC = BUILT_IN["classic"]
NETWORKS = {"r_LAN = 1 MB/s": BUILT_IN["classic-1m"], "r_LAN = 500 kB/s": BUILT_IN["classic-500k"]}
N = np.geomspace(1000, 60000, 50)
NEIGHBOURS = 40  # in the paper's experiments
CHIPS = 8  # on a board


def boards(figure: Figure) -> None:
    """Figure 3: gravity (G), and with neighbour lists (GN), by 1 to 5 boards on the slave itself."""
    panels = figure.subplots(1, 2, sharey=True)
    for count in range(1, 6):
        machine = replace(CLASSIC, grape=Grape(N_chip=CHIPS * count))
        label = f"{count} board{'s' if count > 1 else ''}"
        panels[0].plot(N, [equations.t_G(n, machine) for n in N], label=label)
        panels[1].plot(N, [equations.t_GN(n, NEIGHBOURS, machine) for n in N], label=label)
    for ax, case in zip(panels, ("G", "GN"), strict=True):
        _finish(ax, f"Figure 3: case {case}", "time [s]")


def gravity(figure: Figure) -> None:
    """Figure 5: gravity from the master (RG) and from the slave (G), and the network's share of it."""
    _with_share(figure, "RG", "G", "Figure 5")


def lists(figure: Figure) -> None:
    """Figure 6: as figure 5, with neighbour lists (RGN and GN)."""
    _with_share(figure, "RGN", "GN", "Figure 6")


def tree(figure: Figure) -> None:
    """Figure 8: gravity from the master, and what table 2 has of it and of a tree on the master without clustering."""
    ax = figure.subplots()
    for (network, machine), style in zip(NETWORKS.items(), ("-", "--"), strict=True):
        ax.plot(N, [equations.t_RG(n, machine) for n in N], f"k{style}", label=f"RG, {network}")
    remote, by_angle = TABLE_2[1.0]
    ax.plot(TREE_PARTICLES, remote, "ko", mfc="none", label="RG, table 2")
    for (theta, seconds), marker in zip(by_angle.items(), "^sv", strict=True):
        ax.plot(TREE_PARTICLES, seconds, marker, label=rf"tree, $\theta$ = {theta:g}, table 2")
    _finish(ax, "Figure 8", "time [s]")


def gas(figure: Figure) -> None:
    """Figure 10: a step of a gas, gravity on the slave meanwhile (PS-RG) or before (S-RGN), and GRAPE's part."""
    ax = figure.subplots()
    for color, (case, style) in enumerate({"PS-RG": "-", "S-RGN": "--", "RG": ":", "RGN": "-."}.items()):
        totals = [seconds_of(CASES[case], n, NEIGHBOURS, CLASSIC)["Total"] for n in N]
        ax.plot(N, totals, f"C{color}{style}", label=case)
    ax.plot(GAS_PARTICLES, TABLE_5["PS-RG"], "C0o", label="PS-RG, table 5")
    for step in (each for each in TABLE_3 if each.case == "S-RGN"):
        ax.plot(step.particles, step.total, "C1^", label="S-RGN, table 3" if step.particles == GAS_PARTICLES else None)
    _finish(ax, "Figure 10: a step of a gas", "time of a step [s]")


def _with_share(figure: Figure, remote: str, local: str, title: str) -> None:
    times, shares = figure.subplots(1, 2)

    def rows(case: str, machine: RemoteMachine, row: str) -> list[float]:
        return [seconds_of(CASES[case], n, NEIGHBOURS, machine)[row] for n in N]

    for (label, machine), style in zip(NETWORKS.items(), ("-", ":"), strict=True):
        times.plot(N, rows(remote, machine, "Total"), style, label=f"{remote}, {label}")
        shares.plot(N, rows(remote, machine, "Network / GRAPE"), style, label=label)
    times.plot(N, rows(local, CLASSIC, "Total"), "--", label=local)
    _finish(times, f"{title}: case {remote}", "time [s]")
    _finish(shares, f"{title}: the network's share", "messages / all")
    shares.set(yscale="linear", ylim=(0, 0.6))


def _finish(ax: Axes, title: str, y: str) -> None:
    ax.set(xscale="log", yscale="log", xlabel="number of particles N", ylabel=y)
    ax.set_title(title, fontsize="medium")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter("")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.grid(which="both", alpha=0.25, lw=0.5)
    ax.legend(fontsize="small")

"""Figures 11 and 12 of Iwasawa et al. (2020): many processes.

Each is the reference system, with the network of the K computer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from trellis.model import many_nodes
from trellis.model.step import t_step_single
from trellis.model.systems import BUILT_IN
from trellis.model.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from trellis.model.systems import System

THETA = 0.5
GROUP = 250
STEPS = 16  # n_reuse and n_dc
N_WEAK = 2**20

PARTS: list[tuple[str, str, Callable[[Work, System], float]]] = [
    (r"$T_{\mathrm{step,\,para}}$", "k-", lambda work, system: many_nodes.t_step_para(work, system, STEPS, STEPS)),
    (r"$T_{\mathrm{step,\,single}}$", "C0--", lambda work, system: t_step_single(work, system, STEPS)),
    (r"$T_{\mathrm{dc}}/n_{\mathrm{dc}}$", "C1:", lambda work, system: many_nodes.t_dc(work, system) / STEPS),
    (
        r"$T_{\mathrm{LET,\,const}}/n_{\mathrm{reuse}}$",
        "C2-.",
        lambda work, system: many_nodes.t_LET_const(work, system) / STEPS,
    ),
    (r"$T_{\mathrm{LET,\,allgather}}$", "C3--", many_nodes.t_LET_allgather),
    (r"$T_{\mathrm{LET,\,p2p}}$", "C4-.", many_nodes.t_LET_p2p),
]


def weak_scaling(figure: Figure) -> None:
    """Figure 11: 2^20 particles in each process."""
    ax = figure.subplots()
    _draw(ax, "Figure 11: $n = 2^{20}$", np.geomspace(10, 1e6, 60), lambda _: N_WEAK)


def strong_scaling(figure: Figure) -> None:
    """Figure 12: 2^30 and 2^40 particles in all."""
    for ax, power in zip(figure.subplots(1, 2), (30, 40), strict=True):
        _draw(ax, f"Figure 12: $N = 2^{{{power}}}$", np.geomspace(100, 1e6, 60), partial(_share, 2.0**power))


def _share(total: float, processes: float) -> float:
    return total / processes


def _draw(ax: Axes, title: str, processes: np.ndarray, n: Callable[[float], float]) -> None:
    system = BUILT_IN["reference"]
    works = [Work(n(p), THETA, GROUP, p) for p in processes]
    for label, style, time in PARTS:
        ax.plot(processes, [time(work, system) for work in works], style, label=label)
    ax.set(xscale="log", yscale="log", xlabel="number of processes $n_p$", ylabel="time of a step [s]")
    ax.set_title(title, fontsize="medium")
    ax.grid(alpha=0.25, lw=0.5)
    ax.legend(fontsize="small", ncols=2)

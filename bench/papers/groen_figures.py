"""Figures 9 to 14 of SUSHI, redrawn from the equations; and the same predictions for the step of this project.

Which runs figures 9 to 14 show is lost from the text: 2048^3 and 8192^3 particles follow from the memory of section
2.1.4, meshes of 256^3 and 1024^3 from the factor of 64 of section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import groen_stellar as stellar
from groen_rows import run_of
from groen_tables import TABLE_7
from trellis.model.sites import equations as eq
from trellis.model.sites.machine import BUILT_IN, SiteMachine
from trellis.model.sites.ours import predicted_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THETA = 0.5
SITES = np.arange(1, 17)
GRID = BUILT_IN["global-grid"]
COSMOLOGICAL = {(2048, 256): (128, 2048), (2048, 1024): (128, 2048), (8192, 1024): (4096, 32768)}
"""Table 9: np 1 (of a site) and np 2 (of all sites), by the cube roots of N and M."""
DIRECT = (5e6, 16, 128)
"""Table 11, the direct method: N, np 1, np 2."""
BOTH = [(512**3, 128**3, 120), (2048**3, 1024**3, 2048), (1e12, 1024**3, 65_536)]
"""Of the figure with our step: N, M and processes of all sites."""
CHANGE = 46  # section 4.4: the step after which theta is 0.5


def with_network(machine: SiteMachine, latency: float | None, bandwidth: float | None) -> SiteMachine:
    """Return the machine with another network between sites: seconds of a round trip, bytes a second."""
    new: Mapping[str, float | None] = {"latency": latency, "bandwidth": bandwidth}
    return replace(machine, wan=machine.wan.model_copy(update={k: v for k, v in new.items() if v is not None}))


def step_by_step(figure: Figure) -> None:
    """Figure 9: a step's time over 100 steps on three sites, and its communication, with 512^3 particles."""
    row = next(row for row in TABLE_7 if (row.particles, row.mesh, row.sites) == (512, 128, "HEA"))
    whole, parts = figure.subplots(1, 2)
    steps = np.arange(1, 101)
    run, machine = run_of(row, 0.3)
    runs = [run if step <= CHANGE else replace(run, theta=0.5) for step in steps]
    whole.plot(steps, [eq.t_sites(each, machine) for each in runs], "k-", label="step")
    whole.plot(steps, [eq.t_tree(each, machine) for each in runs], "k--", label="tree")
    whole.plot(steps, [eq.t_comm(each, machine) + eq.w_comm(each, machine) for each in runs], "k:", label="messages")
    for what, seconds in wide_parts(runs, machine).items():
        parts.plot(steps, seconds, label=what)
    for ax in (whole, parts):
        ax.set(xlabel="step", ylabel="seconds", ylim=(0, None))
        ax.legend(fontsize="small")
    whole.set_title("Figure 9", fontsize="medium")
    parts.set_title("messages between sites", fontsize="medium")


def wide_parts(runs: list[eq.Run], machine: SiteMachine) -> dict[str, list[float]]:
    """Return the seconds of what passes between sites, of each of some runs."""
    rate = machine.wan.bandwidth
    return {
        "latency": [eq.w_comm_l(run, machine) for run in runs],
        "mesh": [4 * run.mesh * run.sites / rate for run in runs],
        "essential trees": [eq.WIDE_TREE * eq.surface(run) / run.theta / rate for run in runs],
        "migration": [run.migrated / rate for run in runs],
    }


def cosmological_speed_up(figure: Figure) -> None:
    """Figure 10: equation (13) by the number of sites, with as many processes on each."""
    ax = figure.subplots()
    for (n, m), (of_site, _) in COSMOLOGICAL.items():
        runs = [eq.Run(n**3, m**3, THETA, of_site * s, int(s)) for s in SITES]
        ax.plot(SITES, [eq.speed_up(run, GRID) for run in runs], label=f"N = {n}³, M = {m}³")
    _ideal(ax, "Figure 10")


def cosmological_efficiency(figure: Figure) -> None:
    """Figure 11: equation (14) by the number of sites, with as many processes in all."""
    ax = figure.subplots()
    for (n, m), (_, of_all) in COSMOLOGICAL.items():
        runs = [eq.Run(n**3, m**3, THETA, of_all, int(s)) for s in SITES]
        ax.plot(SITES, [eq.efficiency(run, GRID) for run in runs], label=f"N = {n}³, M = {m}³")
    _efficiency(ax, "Figure 11")


def stellar_seconds() -> dict[str, tuple[Callable[[eq.Run], float], tuple[float, float, float]]]:
    """Return what a step of each method of table 11 takes, and N, np 1 and np 2."""
    tree = (2048.0**3, 128, 2048)
    return {
        "tree, shared steps": (lambda run: stellar.t_tree_method(run, GRID), tree),
        "tree, block steps": (lambda run: stellar.t_tree_method(run, GRID, blocks=True), tree),
        "direct, block steps": (lambda run: stellar.t_direct(run, GRID), DIRECT),
    }


def stellar_speed_up(figure: Figure) -> None:
    """Figure 12: speed-up of the tree and the direct method."""
    ax = figure.subplots()
    for what, (seconds, (n, of_site, _)) in stellar_seconds().items():
        alone = seconds(eq.Run(n, 0, THETA, of_site))
        ax.plot(SITES, [alone / seconds(eq.Run(n, 0, THETA, of_site * s, int(s))) for s in SITES], label=what)
    _ideal(ax, "Figure 12")


def stellar_efficiency(figure: Figure) -> None:
    """Figure 13: efficiency of the tree and the direct method."""
    ax = figure.subplots()
    for what, (seconds, (n, _, of_all)) in stellar_seconds().items():
        alone = seconds(eq.Run(n, 0, THETA, of_all))
        ax.plot(SITES, [alone / seconds(eq.Run(n, 0, THETA, of_all, int(s))) for s in SITES], label=what)
    _efficiency(ax, "Figure 13")


def by_bandwidth(figure: Figure) -> None:
    """Figure 14: efficiency over 8 sites by the bandwidth between them."""
    ax = figure.subplots()
    rates = np.geomspace(10e6, 10e9, 60)
    for (n, m), (_, of_all) in COSMOLOGICAL.items():
        run = eq.Run(n**3, m**3, THETA, of_all, 8)
        for latency in (0.3, 0.03) if (n, m) == (2048, 256) else (0.3,):
            values = [eq.efficiency(run, with_network(GRID, latency, rate)) for rate in rates]
            label = f"N = {n}³, M = {m}³, {latency:g} s"
            ax.plot(rates / 1e6, values, "--" if latency < 0.3 else "-", label=label)
    ax.set(xscale="log", ylim=(0, 1.02), xlabel="bandwidth between sites / (MB/s)", ylabel="efficiency over 8 sites")
    ax.grid(alpha=0.25, lw=0.5)
    ax.set_title("Figure 14", fontsize="medium")
    ax.legend(fontsize="small")


def both_algorithms(figure: Figure) -> None:
    """Draw the efficiency of the paper's step and of ours, to 16 sites and 10^12 particles."""
    ax = figure.subplots()
    for number, (n, m, p) in enumerate(BOTH):
        color = f"C{number}"
        runs = [eq.Run(n, m, THETA, p, int(s)) for s in SITES]
        ax.plot(SITES, [eq.efficiency(run, GRID) for run in runs], f"{color}--")
        ax.plot(SITES, [predicted_step(run, GRID).efficiency for run in runs], color, label=f"N = {n:.3g}, {p:,} cores")
    _efficiency(ax, "Ours, and the paper's (dashed)")


def _ideal(ax: Axes, title: str) -> None:
    ax.plot(SITES, SITES, "k:", lw=0.8)
    ax.set(xlabel="number of sites s", ylabel="speed-up", xlim=(1, SITES[-1]), ylim=(0, SITES[-1]))
    _finish(ax, title)


def _efficiency(ax: Axes, title: str) -> None:
    ax.set(xlabel="number of sites s", ylabel="efficiency", xlim=(1, SITES[-1]), ylim=(0, 1.02))
    _finish(ax, title)


def _finish(ax: Axes, title: str) -> None:
    ax.grid(alpha=0.25, lw=0.5)
    ax.set_title(title, fontsize="medium")
    ax.legend(fontsize="small")

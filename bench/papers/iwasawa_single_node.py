"""Figures 5 to 10 and 13 of Iwasawa et al. (2020): one process with 2^22 particles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from trellis.model.force import t_interaction
from trellis.model.methods import t_mean_step, t_step
from trellis.model.search import best_group
from trellis.model.step import t_step_single
from trellis.model.systems import BUILT_IN, Accelerator, Host, System
from trellis.model.work import Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N = 2**22
THETA = 0.5
REUSE = 16
GROUPS = np.geomspace(30, 8000, 25)
GROUP_LABEL = r"mean group size $\langle n_i \rangle$"
TIME_LABEL = "time of a step [s]"
MEASURED = {"G2": 0.42, "G3": 0.095}  # Table 2, totals at a group size of 230
MEASURED_GROUP = 230

# Curves of figures 5 and 6, with their symbols: label, marker, filled, method, n_reuse.
CURVES: list[tuple[str, str, bool, str, int | None]] = [
    ("C1", "o", True, "C1", 1),
    ("G1", "s", True, "G1", 1),
    ("G3, construction step (G2)", "o", False, "G2", 1),
    (r"G3, $n_{\mathrm{reuse}}$ = 2", "s", False, "G3", 2),
    (r"G3, $n_{\mathrm{reuse}}$ = 4", "^", False, "G3", 4),
    (r"G3, $n_{\mathrm{reuse}}$ = 16", "v", False, "G3", 16),
    ("G3, reusing step", "D", False, "G3", None),
]


def against_group(figure: Figure) -> None:
    """Figure 5: time of a step against the group size."""
    ax = figure.subplots()
    _draw_curves(ax, GROUPS, lambda method, reuse: [_time(method, Work(N, THETA, g), reuse) for g in GROUPS])
    _logarithmic(ax, GROUP_LABEL, TIME_LABEL, r"Figure 5: TITAN V, $n = 2^{22}$, $\theta$ = 0.5")


def against_angle(figure: Figure) -> None:
    """Figure 6: time of a step at the best group size against the opening angle."""
    ax = figure.subplots()
    angles = np.linspace(0.25, 1.0, 16)

    def times(method: str, reuse: int | None) -> list[float]:
        system, steps = BUILT_IN["titan-v"], 10**6 if reuse is None else reuse
        works = [Work(N, theta, best_group(method, N, theta, system, steps)) for theta in angles]
        return [_time(method, work, reuse) for work in works]

    _draw_curves(ax, angles, times)
    ax.set(xticks=(0.25, 0.5, 0.75, 1.0), xlabel=r"opening angle $\theta$", ylabel=TIME_LABEL, yscale="log")
    _finish(ax, r"Figure 6: TITAN V, $n = 2^{22}$, best $\langle n_i \rangle$")


def two_machines(figure: Figure) -> None:
    """Figure 7: construction and reusing step on the paper's two machines."""
    panels = figure.subplots(1, 2, sharey=True)
    machines = {"titan-v": "Xeon E5-2670 v3, TITAN V", "rtx2080": "Core i9-9820X, RTX 2080 (from data sheets)"}
    for ax, (name, title) in zip(panels, machines.items(), strict=True):
        for method, label, style, marker in (("G2", "construction", "-", "o"), ("G3", "reusing", "--", "^")):
            times = [t_step(method, Work(N, THETA, g), BUILT_IN[name]) for g in GROUPS]
            (line,) = ax.plot(GROUPS, times, style, label=f"{label} step, model")
            if name == "titan-v":
                measured = f"{label} step, Table 2"
                ax.plot(MEASURED_GROUP, MEASURED[method], marker, color=line.get_color(), label=measured)
        _logarithmic(ax, GROUP_LABEL, TIME_LABEL, f"Figure 7: {title}")


def against_reuse(figure: Figure) -> None:
    """Figure 8: time of a step on the reference system for several n_reuse."""
    ax = figure.subplots()
    for reuse, style in ((1, "-"), (4, "--"), (16, ":")):
        times = [t_step_single(Work(N, THETA, g), BUILT_IN["reference"], reuse) for g in GROUPS]
        ax.plot(GROUPS, times, style, label=rf"$n_{{\mathrm{{reuse}}}}$ = {reuse}")
    _logarithmic(ax, GROUP_LABEL, TIME_LABEL, r"Figure 8: reference system, $n = 2^{22}$, $\theta$ = 0.5")


def hypothetical_systems(figure: Figure) -> None:
    """Figure 9: time of a step on the systems of Table 4."""
    ax = figure.subplots()
    styles = {"reference": "-", "gpu2x": "--", "gpu4x": "-.", "link4x": ":", "link0.5x": (0, (6, 2, 1, 2, 1, 2))}
    for name, style in styles.items():
        times = [t_step_single(Work(N, THETA, g), BUILT_IN[name], REUSE) for g in GROUPS]
        ax.plot(GROUPS, times, linestyle=style, label=name if name == "reference" else name.upper())
    _logarithmic(ax, GROUP_LABEL, TIME_LABEL, r"Figure 9: $n = 2^{22}$, $\theta$ = 0.5, $n_{\mathrm{reuse}}$ = 16")


def bandwidths(figure: Figure) -> None:
    """Figure 10: relative time against the relative bandwidths of host and link."""
    ax = figure.subplots()
    factors = np.geomspace(0.1, 10, 41)
    times = [[best_time(with_bandwidths(host, link)) for host in factors] for link in factors]
    relative = np.array(times) / best_time(BUILT_IN["reference"])
    levels = (0.8, 0.85, 0.9, 0.95, 1, 1.2, 1.5, 2, 2.5, 3, 3.5)
    lines = ax.contour(factors, factors, relative, levels=levels, colors="C0", linewidths=1)
    ax.clabel(lines, fmt="%g", fontsize="small", colors="black")
    ax.plot(1, 1, "k+", ms=9)
    _logarithmic(
        ax,
        r"$B_{\mathrm{host}}$ relative to the reference",
        r"$B_{\mathrm{transfer}}$ relative to the reference",
        "Figure 10: time relative to the reference system",
    )


def interaction_time(figure: Figure) -> None:
    """Figure 13: time of one interaction on the accelerator, the same for every opening angle."""
    ax = figure.subplots()
    groups = np.geomspace(10, 4000, 60)
    system = BUILT_IN["titan-v"]
    ax.plot(groups, [1e12 * t_interaction(g, system) for g in groups], "k-", label="equation (A1)")
    operations = 1e12 * system.coefficients.alpha_GPU_calc * system.coefficients.n_op / system.accelerator.F_GPU
    ax.axhline(operations, color="grey", ls=":", label=r"operations alone ($F_{\mathrm{GPU}}$)")
    read = [1e12 * t_interaction(g, system) - operations for g in groups]
    ax.plot(groups, read, color="grey", ls="--", label=r"reading alone ($B_{\mathrm{GPU}}$)")
    _logarithmic(ax, GROUP_LABEL, "time of an interaction [ps]", "Figure 13: TITAN V")
    ax.set_ylim(0.5, 30)


def with_bandwidths(host: float, link: float) -> System:
    """Return the reference system with B_host and B_transfer times these factors."""
    reference = BUILT_IN["reference"]
    device = reference.accelerator
    return replace(
        reference,
        host=Host(B_host=host * reference.host.B_host),
        optional_accelerator=Accelerator(B_transfer=link * device.B_transfer, F_GPU=device.F_GPU, B_GPU=device.B_GPU),
    )


def best_time(system: System) -> float:
    """Seconds of the mean step of figures 9 and 10, at the best group size."""
    group = best_group("G3", N, THETA, system, REUSE)
    return t_step_single(Work(N, THETA, group), system, REUSE)


def _time(method: str, work: Work, reuse: int | None) -> float:
    system = BUILT_IN["titan-v"]
    return t_step(method, work, system) if reuse is None else t_mean_step(method, work, system, reuse)


def _draw_curves(ax: Axes, x: np.ndarray, times: Callable[[str, int | None], list[float]]) -> None:
    for label, marker, filled, method, reuse in CURVES:
        face = None if filled else "none"
        ax.plot(x, times(method, reuse), marker=marker, mfc=face, ms=5, lw=0.8, label=label)
    ax.set_ylim(0.05, 20)  # with room for the legend


def _logarithmic(ax: Axes, x: str, y: str, title: str) -> None:
    ax.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    _finish(ax, title)


def _finish(ax: Axes, title: str) -> None:
    ax.set_title(title, fontsize="medium")
    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    ax.grid(which="both", alpha=0.25, lw=0.5)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="small")

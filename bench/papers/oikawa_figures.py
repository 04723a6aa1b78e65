"""Figures 10 and 11 of Oikawa et al., redrawn from the equations; the measured points are those of table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oikawa_tables import TABLE_2
from trellis.model.replicas import equations
from trellis.model.replicas.machine import BUILT_IN, Exchange

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXCHANGE = Exchange()
N = np.geomspace(16, 4096, 50)
COUNTS = (64, 256, 1024, 4096)
TITLES = {"tsubame-256": "(i) 256 atoms", "tsubame-2048": "(ii) 2,048 atoms"}


def efficiency(figure: Figure) -> None:
    """Figure 10: the model's parallel efficiency by the number of devices, and what was measured."""
    panels = figure.subplots(1, 2, sharey=True)
    for ax, (system, title) in zip(panels, TITLES.items(), strict=True):
        ax.plot(N, [equations.R(n, EXCHANGE, BUILT_IN[system]) for n in N], "k-", label="equation (3)")
        measured = {n: row.measured_ratio for n, row in TABLE_2[system].items() if n > 1 and row.measured_ratio}
        ax.plot(list(measured), list(measured.values()), "ko", mfc="none", label="measured, table 2")
        ax.set(xscale="log", ylim=(0, 1.05), xlabel="number of devices n", ylabel="parallel efficiency R")
        ax.set_xticks([16, *COUNTS], minor=False)
        ax.grid(alpha=0.25, lw=0.5)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.xaxis.set_minor_formatter("")
        ax.set_title(f"Figure 10 {title}", fontsize="medium")
        ax.legend(fontsize="small")


def shares(figure: Figure) -> None:
    """Figure 11: what part of an exchange devices, client, bandwidths and latencies take."""
    panels = figure.subplots(1, 2, sharey=True)
    for ax, (system, title) in zip(panels, TITLES.items(), strict=True):
        bottom = np.zeros(len(COUNTS))
        for label, share in shares_of(system).items():
            ax.bar(range(len(COUNTS)), share, bottom=bottom, width=0.6, label=label)
            bottom += share
        ax.set(ylim=(0, 100), xlabel="number of devices n", ylabel="per cent of T(n)")
        ax.set_xticks(range(len(COUNTS)), [f"{n:,}" for n in COUNTS])
        ax.set_title(f"Figure 11 {title}", fontsize="medium")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")


def shares_of(system: str) -> dict[str, np.ndarray]:
    """Return the per cent that each part takes of T(n), for the four numbers of devices of figure 11."""
    machine = BUILT_IN[system]
    seconds = {
        "$t_{GPU}$": [equations.t_gpu(n, EXCHANGE, machine) for n in COUNTS],
        "$t_{CLT}$": [machine.client.t_clt for _ in COUNTS],
        "$t_{com,B}$": [equations.t_com_B(EXCHANGE, machine) for _ in COUNTS],
        "$t_{com,L}$": [equations.t_com_L(n, machine) for n in COUNTS],
    }
    total = np.array([equations.T(n, EXCHANGE, machine) for n in COUNTS])
    return {label: 100 * np.array(part) / total for label, part in seconds.items()}

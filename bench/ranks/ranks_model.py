"""Figures 11 and 12 of the paper: with all-gather, by its equations, and with the tree of domains, as counted.

    build/bench/bench/bench_many_ranks --model cube --particles 16 --ranks 64,512,4096,32768,262144 > counts.md
    python bench/ranks/ranks_model.py counts.md [--n 1048576] [--total 1073741824]

Each process is the paper's reference system with the K computer's network, theta 0.5, groups of 250, lists and domains
kept for 16 steps. The tree of domains gives the number of cells that stand for distant processes, and instead of
all-gather the messages and bytes that they cost, each as one to a neighbouring process. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from trellis.model import many_nodes
from trellis.model.interaction_list import close_processes, let_length
from trellis.model.step import t_step_single
from trellis.model.systems import BUILT_IN, System
from trellis.model.work import Work

THETA, GROUP, STEPS = 0.5, 250, 16  # as in the paper's figures 11 and 12; steps: n_reuse and n_dc


@dataclass(frozen=True)
class Counts:
    """Cells that a process receives and messages that it sends with the tree of domains: the mean and the most."""

    far: float
    messages: float
    bytes: float
    most_messages: float
    most_bytes: float


@dataclass(frozen=True)
class WorkWithTree(Work):
    """A step whose distant processes are the cells of the tree of domains, not a superparticle each."""

    far: float = 0

    @property
    def n_LET(self) -> float:
        close = close_processes(self.theta, self.processes)
        return let_length(self.n, self.theta, self.processes) - (self.processes - close) + self.far


def read_counts(file: Path) -> dict[int, Counts]:
    """Read the rows 'cube, RANKS, tree of domains' of bench_many_ranks."""
    counts = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 10 or not re.fullmatch(r"cube, \d+, tree of domains", cells[1]):
            continue
        far, _, _, _, messages, most_messages, kilobytes, most_kilobytes = (float(cell) for cell in cells[2:10])
        ranks = int(cells[1].split(",")[1])
        counts[ranks] = Counts(far, messages, 1e3 * kilobytes, most_messages, 1e3 * most_kilobytes)
    return counts


def t_tree(messages: float, sent: float, system: System) -> float:
    """Exchange along the tree of domains, in seconds."""
    c = system.coefficients
    return messages * c.tau_p2p + sent * c.alpha_p2p / system.network.B_inj


def row(n: float, processes: int, counts: Counts, alone: float, system: System) -> str:
    """Milliseconds of a step, and the efficiency, in which `alone` seconds on one process are what is to be done."""
    gathered = Work(n, THETA, GROUP, processes)
    tree = WorkWithTree(n, THETA, GROUP, processes, counts.far)
    lists = many_nodes.t_LET_const(gathered, system) / STEPS + many_nodes.t_LET_p2p(gathered, system)
    others = many_nodes.t_dc(gathered, system) / STEPS + lists
    exchanges = [
        many_nodes.t_LET_allgather(gathered, system),
        t_tree(counts.messages, counts.bytes, system),
        t_tree(counts.most_messages, counts.most_bytes, system),
    ]
    steps = [
        t_step_single(work, system, STEPS) + others + exchange
        for work, exchange in zip((gathered, tree, tree), exchanges, strict=True)
    ]
    values = [f"{1e3 * t:.2f}" for pair in zip(exchanges, steps, strict=True) for t in pair]
    efficiencies = [f"{alone / t:.3f}" for t in steps]
    return " | ".join([f"| {processes:,}", f"{n:,.0f}", *values, *efficiencies]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=Path, help="what bench_many_ranks printed")
    parser.add_argument("--n", type=int, default=1 << 20, help="weak scaling: particles of a process")
    parser.add_argument("--total", type=int, default=1 << 30, help="strong scaling: particles of all")
    options = parser.parse_args()
    system = BUILT_IN["reference"]
    kinds = ("all-gather", "tree, mean", "tree, busiest")
    titles = [f"{kind}: {what}" for kind in kinds for what in ("exchange ms", "step ms")]
    titles += [f"efficiency: {kind}" for kind in kinds]
    counts = read_counts(options.counts)
    for figure, weak in ((11, True), (12, False)):
        what = f"{options.n:,} particles a process" if weak else f"{options.total:,} particles in all"
        print(f"\nFigure {figure}: {what}.\n")
        print("| processes | N each | " + " | ".join(titles) + " |")
        print("|--:|" + "--:|" * (len(titles) + 1))
        for processes, of in counts.items():
            n = options.n if weak else options.total / processes
            alone = t_step_single(Work(n if weak else options.total, THETA, GROUP), system, STEPS)
            print(row(n, processes, of, alone if weak else alone / processes, system))


if __name__ == "__main__":
    main()

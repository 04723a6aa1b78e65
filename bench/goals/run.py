"""The goals of a system: what is measured here, and whether each is reached.

    python bench/goals/run.py SYSTEM [--quick] [--part NAME] > table.md

SYSTEM is remote, replica_exchange, cosmology, sites, steps, short_range, interactions or gpus.

Each row of the table has a goal, a figure, and reached, missed, or left out, with the reason. A row that is left out
counts as missed unless it needs a GPU or a program that is named. Rates are ratios to a baseline that is measured by
turns with them. --quick takes smaller sizes, and goals of their own; --part measures the rows of one function alone.
Rows are printed as they come. The exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import bonded_melt
import cosmology
import gas_steps
import gpus
import interaction_peers
import own_interactions
import remote
import replica_exchange
import short_range
import site_runs
import sites
import star_steps
import steps
from row import Row
from servers import about

Part = Callable[..., Iterator[Row]]
SYSTEMS: dict[str, tuple[Sequence[Part], Callable[[], Iterator[Row]]]] = {
    "remote": (remote.PARTS, remote.left_out),
    "replica_exchange": (replica_exchange.PARTS, replica_exchange.left_out),
    "cosmology": (cosmology.PARTS, cosmology.left_out),
    "steps": (steps.PARTS + star_steps.PARTS + gas_steps.PARTS, steps.left_out),
    "short_range": (short_range.PARTS, short_range.left_out),
    "interactions": (
        own_interactions.PARTS + interaction_peers.PARTS + bonded_melt.PARTS,
        own_interactions.left_out,
    ),
    "gpus": (gpus.PARTS, gpus.left_out),
    "sites": (sites.PARTS + site_runs.PARTS, sites.left_out),
}


def measured(system: str, only: str | None, *, quick: bool) -> Iterator[Row]:
    """Measure the goals of a system, or those of one part alone."""
    parts, others = SYSTEMS[system]
    for part in parts:
        if only in (None, part.__name__):
            with tempfile.TemporaryDirectory() as folder:
                yield from part(Path(folder), quick=quick)
    if only is None:
        yield from others()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("system", choices=list(SYSTEMS))
    options.add_argument("--quick", action="store_true")
    options.add_argument("--part", help="the name of a function that measures")
    given = options.parse_args()
    print(f"{about()} Medians of {remote.ROUNDS}.\n\n| what | goal | figure | |\n|---|---|---|---|")
    reached = []
    for row in measured(given.system, given.part, quick=given.quick):
        print(row, flush=True)
        reached.append(row.reached)
    sys.exit(any(each is not True for each in reached))


if __name__ == "__main__":
    main()

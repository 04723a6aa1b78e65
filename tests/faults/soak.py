"""Disturbs runs by faults drawn at random, and demands that nothing is lost.

    python tests/faults/soak.py --count 200 --seed 1

A case is a run of one kind, on one or two ranks, some faults after one another, and resumes until it is complete. A
case that fails is printed with its seed, which `--count 1 --seed ...` repeats: the same faults in the same order, at
moments that are the same but for how the machine shares its time.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import oracle
from disturbed_run import KINDS, DisturbedRun, unbroken
from faults import FAULTS, Fault, fill_the_disk

CHECKPOINT_EVERY = (0.0, None)  # seconds: each step; by default


class Soak:
    """Cases in a folder, which share the runs that nothing disturbs.

    Parameters
    ----------
    place : Path
        The folder.
    most_ranks : int
        1 or 2: whether runs may be on two ranks.
    """

    def __init__(self, place: Path, most_ranks: int = 2) -> None:
        self._place, self._most_ranks = place, most_ranks
        self._reference = cache(lambda kind, ranks: unbroken(place / f"{kind}-{ranks}", kind, ranks))

    def case(self, seed: int) -> Case:
        """Draw a run and its faults."""
        draw = random.Random(seed)
        kind, checkpoint_every = draw.choice(list(KINDS)), draw.choice(CHECKPOINT_EVERY)
        ranks = min(self._most_ranks, draw.choice((1, 1, 1, 1, 2)))
        possible = {fault: often for fault, often in FAULTS.items() if ranks == 1 or fault is not fill_the_disk}
        faults = draw.choices(list(possible), list(possible.values()), k=draw.randint(1, 3))
        reference = self._reference(kind, ranks)
        return Case(DisturbedRun(self._place / f"case-{seed}", kind, ranks, checkpoint_every, reference, draw), faults)

    def failure(self, seed: int) -> tuple[Case, str]:
        """Do a case; return it, and its story if something is wrong."""
        case = self.case(seed)
        run = case.run
        try:
            for fault in case.faults:
                run.story.append(f"{fault.__name__}:")
                fault(run)
            run.story.append("to the end:")
            oracle.check_process(run, run.start().ended(), 0)
        except Exception as error:
            what = f"seed {seed}: {', '.join(case.facts())}"
            return case, "\n".join([what, *run.story, f"{type(error).__name__}: {error}"])
        finally:
            run.end_all()
        shutil.rmtree(run.place)
        return case, ""


@dataclass(frozen=True)
class Case:
    """A run and the faults that disturb it."""

    run: DisturbedRun
    faults: list[Fault]

    def facts(self) -> list[str]:
        """Return what it is counted by."""
        run, named = self.run, [fault.__name__ for fault in self.faults]
        return [run.kind, f"ranks {run.ranks}", f"checkpoint_every {run.checkpoint_every}", *named]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="cases")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; those of the others follow")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    failed = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(Path(place))
        for seed in range(chosen.seed, chosen.seed + chosen.count):
            case, failure = soak.failure(seed)
            counts.update(case.facts())
            failed += failure != ""
            print(failure or f"seed {seed}: {', '.join(case.facts())}: nothing is lost", flush=True)
    for name, count in counts.items():
        print(f"{count:5d} {name}")
    print(f"{chosen.count} cases, {failed} failed, in {time.monotonic() - began:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

"""The log of messages between sites: a line of CSV for each site and logged step."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from trellis import _core
from trellis.errors import reading, writing
from trellis.io.atomic import write_text
from trellis.parallel import world
from trellis.parallel.sites import site_firsts

CLASSES = tuple(_core.traffic_classes())
# Columns with the largest value of a site's ranks, and with the sum over its ranks.
LONGEST = ("trips", "visible", "hidden", *(f"{name}_waiting" for name in CLASSES))
SUMS = tuple(f"{name}_{what}" for name in CLASSES for what in ("bytes", "messages"))
COLUMNS = ("step", "site", *LONGEST, *SUMS)


class SitesLog:
    """The traffic between sites, and the time spent waiting for it, since the line before; written by the first rank.

    All ranks make the same calls. Their values travel with the messages of the next step. Nothing is written in a run
    on one site.

    Parameters
    ----------
    path : Path
        The file.
    keep_until : int
        Last step whose lines are kept of a file that is there; -1 keeps none.
    """

    def __init__(self, path: Path, *, keep_until: int = -1) -> None:
        self._path = path
        self._names = _core.site_names()
        if not self._names:
            return
        world.on_first(lambda: self._begin(keep_until))
        self._gather = _core.DeferredGather()
        self._posted: int | None = None  # the step of the values under way
        self._before = _core.wide_traffic()

    def _begin(self, keep_until: int) -> None:
        kept = []
        if keep_until >= 0 and self._path.exists():
            with reading(self._path):
                lines = self._path.read_text().splitlines()[1:]
            steps = [line.partition(",")[0] for line in lines]
            kept = [
                line for line, step in zip(lines, steps, strict=True) if step.isdecimal() and int(step) <= keep_until
            ]
        write_text(self._path, "\n".join([",".join(COLUMNS), *kept]) + "\n")

    def record(self, step: int) -> None:
        """Record this rank's traffic until now, and write down the values of all ranks recorded last."""
        if not self._names:
            return
        self.complete()
        now = _core.wide_traffic()
        self._gather.post(array("d", (now[name] - self._before[name] for name in LONGEST + SUMS)).tobytes())
        self._posted, self._before = step, now

    def complete(self) -> None:
        """Write down the values under way."""
        if not self._names or self._posted is None:
            return
        of_ranks = np.array([np.frombuffer(each) for each in self._gather.collect()])
        firsts = site_firsts()
        lines = []
        for site, (begin, end) in enumerate(zip(firsts, [*firsts[1:], len(of_ranks)], strict=True)):
            longest, all_together = of_ranks[begin:end].max(axis=0), of_ranks[begin:end].sum(axis=0)
            values = [*longest[: len(LONGEST)], *all_together[len(LONGEST) :]]
            lines.append(f"{self._posted},{self._names[site]},{','.join(f'{value:.10g}' for value in values)}\n")
        if world.rank() == 0:
            with writing(self._path), self._path.open("a") as file:
                file.write("".join(lines))
        self._posted = None

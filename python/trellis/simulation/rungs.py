"""The rungs of the particles of all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol, cast

from trellis.parallel import world


class WithRungs(Protocol):
    """A simulation whose particles may have rungs."""

    @property
    def rung_use(self) -> dict[str, list[int] | int] | None:
        """The rungs of this rank's particles in the last step, if steps are individual."""


@dataclass(frozen=True)
class RungUse:
    """The rungs of all particles in the last longest step.

    Attributes
    ----------
    particles : list of int
        Particles of each rung, from 0 to the deepest in use, when the step began.
    updates : int
        Steps of all particles together.
    level_updates : int
        Forces computed on a particle, of all levels together.
    """

    particles: list[int]
    updates: int
    level_updates: int

    def in_use(self) -> list[int]:
        """Return the rungs that have particles."""
        return [rung for rung, count in enumerate(self.particles) if count > 0]


def rung_use_of_all(simulation: WithRungs) -> RungUse | None:
    """Return the rungs in the last step, of all ranks, which all call this; None unless steps are individual."""
    own = simulation.rung_use
    if own is None:
        return None
    ranks = world.gather(cast("dict[str, Any]", own))
    counts = zip_longest(*(each["particles"] for each in ranks), fillvalue=0)
    updates, of_levels = (sum(each[name] for each in ranks) for name in ("updates", "level_updates"))
    return RungUse([sum(each) for each in counts], updates, of_levels)

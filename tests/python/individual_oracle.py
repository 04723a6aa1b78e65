"""The slow oracle of individual time steps: the same splitting in NumPy, by direct sums (Springel et al. 2021, 4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _sets_of_levels(first: int, deepest: int) -> list[tuple[int, ...]]:
    """Return all choices of the rungs that become levels; the last one does."""
    others = range(first, deepest)
    return [(*some, deepest) for count in range(len(others) + 1) for some in combinations(others, count)]


def _cost(rung: NDArray[np.int64], levels: tuple[int, ...]) -> float:
    """Return the number of forces on particles that levels compute in a longest step, with 100 more for each time."""
    counts = [int((rung > above).sum()) for above in (-1, *levels[:-1])]
    return float(sum(2**level * (count + 100) for level, count in zip(levels, counts, strict=True)))


@dataclass
class Oracle:
    """Particles under softened gravity, G = 1, each with its own step.

    Attributes
    ----------
    position, velocity : array, shape (N, 3)
        The particles, which are moved.
    mass : array, shape (N,)
        Their masses.
    softening, longest, eta : float
        As of `trellis.Gravity` and `trellis.IndividualSteps`.
    """

    position: Floats
    velocity: Floats
    mass: Floats
    softening: float
    longest: float
    eta: float

    def __post_init__(self) -> None:
        self.rung = np.zeros(len(self.mass), dtype=int)
        self.all = np.arange(len(self.mass))
        self.whole = self.forces(self.all)
        self.updates = 0

    def forces(self, rows: NDArray[np.int64]) -> Floats:
        """Return the accelerations of some particles by each other."""
        x = self.position[rows]
        apart = x[None] - x[:, None]
        distance2 = (apart**2).sum(axis=2) + self.softening**2
        return np.asarray((self.mass[rows][None, :, None] * apart / distance2[..., None] ** 1.5).sum(axis=1))

    def choose(self, rows: NDArray[np.int64], level: int) -> None:
        """Give particles that end a step the longest next one that they may take."""
        size = np.linalg.norm(self.whole[rows], axis=1)
        allowed = np.sqrt(2 * self.eta * self.softening / size)
        rung = np.maximum(level, np.ceil(np.log2(self.longest / allowed))).astype(int)
        first, deepest = max(level, 1), int(rung.max())
        if deepest >= first:
            deeper = rung[rung >= first]
            levels = min(_sets_of_levels(first, deepest), key=lambda levels: _cost(deeper, levels))
            rung[rung >= first] = np.array(levels)[np.searchsorted(levels, deeper)]
        self.rung[rows] = rung

    def step(self) -> None:
        """Take one longest step."""
        self.level(self.all, 0, self.forces(self.all), chosen=False)

    def level(self, rows: NDArray[np.int64], level: int, own: Floats, *, chosen: bool) -> Floats:
        """Take a step of a level, whose forces at the beginning are `own`; return those at the end."""
        if not chosen:
            self.choose(rows, level)
        length = self.longest / 2**level
        deeper = rows[self.rung[rows] > level]
        below = self.forces(deeper)
        others = self.whole[rows] - own
        self.kick(rows, own, deeper, below, length / 2)
        slow = rows[self.rung[rows] == level]
        self.updates += len(slow)
        self.position[slow] += length * self.velocity[slow]
        if len(deeper) > 0:
            below = self.level(deeper, level + 1, below, chosen=True)
            below = self.level(deeper, level + 1, below, chosen=False)
        own = self.forces(rows)
        self.whole[rows] = others + own
        self.kick(rows, own, deeper, below, length / 2)
        return own

    def kick(self, rows: NDArray[np.int64], own: Floats, deeper: NDArray[np.int64], below: Floats, time: float) -> None:
        """Kick particles by the pairs of a level that are not of the level below."""
        self.velocity[rows] += time * own
        self.velocity[deeper] -= time * below

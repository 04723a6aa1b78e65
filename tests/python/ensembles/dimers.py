"""Particles with excluded pairs, and direct sums over the others in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from own_pairs import LENNARD_JONES

import trellis as tr

Floats = NDArray[np.float64]


def dimers(count: int, side: float, seed: int = 1) -> tuple[tr.ParticleSet, Floats]:
    """Return particles in pairs that are far too near each other to act, and pairs of ids with factors.

    Those of a pair do not act on each other; as many others at random do not, or act by a factor.
    """
    random = np.random.default_rng(seed)
    edge = int(np.ceil((count / 2) ** (1 / 3)))
    cells = np.indices([edge] * 3).reshape(3, -1).T[random.permutation(edge**3)[: (count + 1) // 2]]
    towards = random.normal(size=cells.shape)
    towards *= 0.1 / np.linalg.norm(towards, axis=1, keepdims=True)
    position = np.stack([1.5 * cells - towards, 1.5 * cells + towards], axis=1).reshape(-1, 3)[:count]
    particles = tr.ParticleSet.from_columns(position=position + 0.75, mass=random.uniform(0.5, 2, count))
    if side:
        particles.box = [[0.0] * 3, [max(1.5 * edge, side)] * 3]
    factors = {(k, k + 1): 0.0 for k in range(0, count - 1, 2)}
    near = np.argwhere(np.linalg.norm(position[None] - position[:, None], axis=-1) < 2.0)
    for one, other in random.permutation(near)[:count]:
        if one < other:
            factors.setdefault((one, other), random.choice([0.0, 0.5, 1.7]))
    pairs = [(*pair[:: random.choice([-1, 1])], factor) for pair, factor in factors.items()]
    mixed = particles[random.permutation(count)].copy()
    return mixed, np.array([*pairs, pairs[0]], dtype=float)


def pairs_directly(particles: tr.ParticleSet, pairs: Floats) -> tuple[Floats, float]:
    """Return forces and energy of energy-shifted Lennard-Jones atoms with these factors, in double precision."""
    x, row = np.asarray(particles.position), np.argsort(np.asarray(particles.id))
    d = x[None] - x[:, None]
    low, high = np.asarray(particles.box)
    if np.isfinite(high - low).all():
        d -= (high - low) * np.round(d / (high - low))
    r = np.linalg.norm(d, axis=-1)
    factor = 1 - np.eye(len(r))
    one, other = row[pairs[:, :2].astype(int)].T
    factor[one, other] = factor[other, one] = pairs[:, 2]
    counts = (r < 2.0) & (factor > 0)
    r = np.where(counts, r, 1.0)
    energy = np.where(counts, factor * (4 * (r**-12 - r**-6) - 4 * (2.0**-12 - 2.0**-6)), 0)
    slope = np.where(counts, -4 * factor * (12 * r**-13 - 6 * r**-7), 0)
    return np.einsum("ij,ijc->ic", slope / r, d), 0.5 * float(energy.sum())


EXCLUDING: dict[str, Callable[[Any], tr.Force]] = {
    "cpp": lambda pairs: tr.LennardJones(cutoff=2.0, truncation="energy-shifted", exclude=pairs),
    "python": lambda pairs: tr.pair_potential(
        LENNARD_JONES, cutoff=2.0, truncation="energy-shifted", eps=1.0, sigma=1.0, exclude=pairs
    ),
}

"""Seeds that are made of the particles at a start: the same start, the same seed, on any number of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.parallel import gather
from trellis.particles import ParticleSet

Seeded = TypeVar("Seeded", _core.Thermostat, _core.Barostat)
Words = NDArray[np.uint64]

SEEDS = 2**32  # systems of an ensemble count in the higher half


def seed_of(given: Seeded) -> int | None:
    """Return the seed of a thermostat or barostat; None if it has none."""
    seed: int | None = given.settings.get("seed")
    return seed


def with_seed(given: Seeded, particles: ParticleSet | Sequence[ParticleSet], of_start: int | None = None) -> Seeded:
    """Return a thermostat or barostat with a seed: its own, or one of the ids, positions and velocities at the start.

    Of one set all ranks call this, each with its particles; of several sets each rank has all. of_start: the seed that
    a run began with, which it keeps.
    """
    settings = getattr(given, "settings", {})
    if settings.get("seed", 0) is not None:
        return given
    if of_start is not None:
        return type(given)(**{**settings, "seed": of_start})
    if isinstance(particles, ParticleSet):
        whole = sum(gather(_fingerprint(particles))) % 2**64
    else:
        whole = 0
        for each in particles:
            whole = int(_mixed(np.array([whole + _fingerprint(each)], dtype=object) % 2**64)[0])
    return type(given)(**{**settings, "seed": whole % SEEDS})


def _fingerprint(particles: ParticleSet) -> int:
    """Return a number of 64 bits that does not hang on the order of rows."""
    words = np.ascontiguousarray(particles.id).astype(np.uint64)
    for name in ("position", "velocity"):
        for axis in range(3):
            words = _mixed(words ^ np.ascontiguousarray(getattr(particles, name)[:, axis] + 0.0).view(np.uint64))
    return int(words.sum(dtype=np.uint64))


def _mixed(given: object) -> Words:
    """Return words in which each bit hangs on all bits of the given one (splitmix64, Steele et al. 2014)."""
    words = np.asarray(given).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))

"""Seeds that are made of the particles at a start: the same start, the same seed, on any number of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.parallel import gather
from trellis.particles import ParticleSet

Words = NDArray[np.uint64]

Held = TypeVar("Held", bound=_core.Thermostat | _core.Barostat)

SEEDS = 2**32  # systems of an ensemble count in the higher half


def seed_of(given: _core.Thermostat | _core.Barostat | None) -> int | None:
    """Return the seed of a thermostat or barostat; None if it has none."""
    seed: int | None = _settings(given).get("seed")
    return seed


def with_seeds(
    thermostat: _core.Thermostat | None,
    barostat: _core.Barostat | None,
    particles: ParticleSet,
    of_start: tuple[int | None, int | None] = (None, None),
) -> tuple[_core.Thermostat | None, _core.Barostat | None]:
    """Return both with a seed: their own, or one of the ids, positions and velocities at the start.

    All ranks call this, each with its particles. of_start: the seeds that a run began with, which it keeps.
    """
    return _with_seed(thermostat, particles, of_start[0]), _with_seed(barostat, particles, of_start[1])


def start_seeds(given: _core.Thermostat | _core.Barostat | None, systems: Sequence[ParticleSet]) -> list[int]:
    """Return a seed for each of several systems, of its own particles; none if all have that of `given`."""
    return [] if given is None or _has_seed(given) else [_fingerprint(each) % SEEDS for each in systems]


def _with_seed(given: Held | None, particles: ParticleSet, of_start: int | None) -> Held | None:
    if given is None or _has_seed(given):
        return given
    seed = sum(gather(_fingerprint(particles))) % SEEDS if of_start is None else of_start
    make: Any = type(given)
    made: Held = make(**{**_settings(given), "seed": seed})
    return made


def _has_seed(given: _core.Thermostat | _core.Barostat) -> bool:
    """Return whether a seed is given, or there are no random numbers."""
    return _settings(given).get("seed", 0) is not None


def _settings(given: object) -> dict[str, Any]:
    found: dict[str, Any] = getattr(given, "settings", {})
    return found


def _fingerprint(particles: ParticleSet) -> int:
    """Return a number of 64 bits that does not depend on the order of rows."""
    words = np.ascontiguousarray(particles.id).astype(np.uint64)
    for name in ("position", "velocity"):
        for axis in range(3):
            words = _mixed(words ^ np.ascontiguousarray(getattr(particles, name)[:, axis] + 0.0).view(np.uint64))
    return int(words.sum(dtype=np.uint64))


def _mixed(given: object) -> Words:
    """Return words in which each bit depends on all bits of the given one (splitmix64, Steele et al. 2014)."""
    words = np.asarray(given).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))

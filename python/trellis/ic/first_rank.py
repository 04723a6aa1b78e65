"""Initial conditions with several ranks: the first one makes the particles, and the first forces spread them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from trellis import world
from trellis.particles import ParticleSet

Arguments = ParamSpec("Arguments")


def on_first_rank(make: Callable[Arguments, ParticleSet]) -> Callable[Arguments, ParticleSet]:
    """Make a model's particles on rank 0, and none on the others."""

    @wraps(make)
    def on_this_rank(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ParticleSet:
        return make(*args, **kwargs) if world.rank() == 0 else ParticleSet(0)

    return on_this_rank

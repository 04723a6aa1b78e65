"""Initial conditions with several ranks: the first one makes the particles, and the first forces spread them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.parallel import world
from trellis.particles import ParticleSet

Arguments = ParamSpec("Arguments")


def on_first_rank(make: Callable[Arguments, ParticleSet]) -> Callable[Arguments, ParticleSet]:
    """Make a model's particles on rank 0, and none on the others."""

    @checked_arguments()
    @wraps(make)
    def on_this_rank(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ParticleSet:
        return make(*args, **kwargs) if world.rank() == 0 else ParticleSet(0)

    return on_this_rank


def columns_on_all_ranks(make: Callable[Arguments, ParticleSet]) -> Callable[Arguments, ParticleSet]:
    """Make a model's particles on rank 0, and on the others none, with the same columns in the same box."""

    @checked_arguments()
    @wraps(make)
    def on_this_rank(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ParticleSet:
        made = ParticleSet(0)

        def layout() -> tuple[list[tuple[str, int, str, str]], NDArray[np.float64]]:
            nonlocal made
            made = make(*args, **kwargs)
            return [_declaration(made, name) for name in made.public_fields], made.box

        fields, box = world.on_first(layout)
        if world.rank() > 0:
            for name, components, unit, meaning in fields:
                if name not in made.field_names:
                    made.add_field(name, components, unit, meaning)
            made.box = box
        return made

    return on_this_rank


def _declaration(particles: ParticleSet, name: str) -> tuple[str, int, str, str]:
    shape = particles.column(name).shape
    return (name, shape[1] if len(shape) > 1 else 1, *particles.field_info(name))

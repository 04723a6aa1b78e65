"""Particles that are added to a simulation or removed between two steps: checks, with the same result on all ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.joining import check_distinct, check_same_box, check_same_fields, highest, lowest_twice
from trellis.particles.row_selection import whole_numbers
from trellis.simulation.engine import Core, Engine
from trellis.simulation.gas_checks import complete_beside_gas

Result = TypeVar("Result")


def newcomers_for(particles: ParticleSet, added: ParticleSet, engine: Engine, core: Core) -> ParticleSet:
    """Return a copy of the particles to be added, with the columns of the forces; all ranks call this.

    Raises
    ------
    ValueError
        On all ranks, if they do not fit those that are there, or an id is there twice.
    """
    newcomers = _on_all_ranks(lambda: _checked(particles, added, engine, core))
    ids = np.concatenate(world.gather(newcomers.id))
    twice = [lowest_twice(ids), lowest_twice(np.concatenate([particles.id, np.unique(ids)]))]
    ranks = world.gather((twice, highest([particles, newcomers])))
    check_distinct([each for found, _ in ranks for each in found], max(last for _, last in ranks))
    return newcomers


def rows_that_stay(particles: ParticleSet, ids: int | Sequence[int] | ArrayLike) -> NDArray[np.int64]:
    """Return the rows of this rank without those of some ids, which any rank may give; all ranks call this.

    Raises
    ------
    ValueError
        On all ranks, if a particle is on none of them, or an id is no whole number.
    """
    wanted = _on_all_ranks(lambda: _as_ids(ids))
    every = np.unique(np.concatenate(world.gather(wanted)))
    found = np.logical_or.reduce(world.gather(np.isin(every, particles.id)))
    if not found.all():
        raise _core.InputError(f"there is no particle of id {every[~found][0]}")
    return np.flatnonzero(~np.isin(particles.id, every))


def put_back(particles: ParticleSet, before: ParticleSet) -> None:
    """Give a set the rows that it had, of which `before` is a copy."""
    particles.replace_rows(np.empty(0, dtype=np.int64), len(before))
    for name in before.field_names:
        particles.column(name)[...] = before.column(name)


def _checked(particles: ParticleSet, added: ParticleSet, engine: Engine, core: Core) -> ParticleSet:
    newcomers = added.copy()
    for name in ("position", "velocity", "mass"):
        newcomers.check_finite(name)
    if len(newcomers) > 0:  # a rank that adds none has no fields to give
        complete_beside_gas(newcomers, particles, engine.forces)
        engine.attach(newcomers, core)
        if "image" in particles.field_names:
            newcomers.count_images()
        check_same_fields(particles, newcomers, ("the simulation", "the particles to be added"))
        if np.isfinite(newcomers.region).any():
            check_same_box(particles, newcomers)
    return newcomers


def _as_ids(ids: int | Sequence[int] | ArrayLike) -> NDArray[np.uint64]:
    given = np.atleast_1d(whole_numbers(ids))
    if (given < 0).any():
        raise _core.InputError(f"there is no particle of id {given.min()}")
    return given.astype(np.uint64)


def _on_all_ranks(check: Callable[[], Result]) -> Result:
    """Make a check on all ranks; if it fails on any, the InputError of the first of them is that of all."""
    done: list[Result] = []
    why = None
    try:
        done.append(check())
    except _core.InputError as error:
        why = str(error)
    failures = [each for each in world.gather(why) if each is not None]
    if failures:
        raise _core.InputError(failures[0])
    return done[0]

"""Joining two particle sets into one, and adding the rows of one to another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.particles.columns import declaration, declare, public_fields

Set = TypeVar("Set", bound=_core.ParticleSet)


def joined(first: Set, second: Set) -> Set:
    """Return a new set with the particles of both, in their order; see `ParticleSet.__add__`."""
    check_same_fields(first, second, ("the first particle set", "the second"))
    check_same_box(first, second)
    ids = np.concatenate([first.column("id"), second.column("id")])
    check_distinct([lowest_twice(ids)], highest([first, second]))
    made = type(first)(first.size + second.size)
    made.set_region(first.region)
    for name in public_fields(first):
        declare(made, declaration(first, name))
        np.concatenate([first.column(name), second.column(name)], out=made.column(name))
    return made


def append(particles: _core.ParticleSet, newcomers: _core.ParticleSet) -> None:
    """Add the particles of another set behind the rows of this one; fields that the newcomers lack are zero there."""
    size = particles.size
    particles.replace_rows(np.arange(size), newcomers.size)
    for name in newcomers.field_names:
        if name in particles.field_names:
            particles.column(name)[size:] = newcomers.column(name)


def check_same_fields(first: _core.ParticleSet, second: _core.ParticleSet, names: tuple[str, str]) -> None:
    """Raise a ValueError that calls the sets by `names` if their fields differ, but for those of forces alone."""
    for lacking, other, (lacks, has) in ((first, second, names), (second, first, names[::-1])):
        missing = [name for name in public_fields(other) if name not in lacking.field_names]
        if missing:
            raise _core.InputError(
                f"{_fields(missing)} of {has} {'is' if len(missing) == 1 else 'are'} not in {lacks}:"
                " particles that are joined have the same fields (add_field adds one)"
            )
    for name in public_fields(first):
        here, there = declaration(first, name), declaration(second, name)
        if here.components != there.components:
            raise _core.InputError(
                f"field '{name}' has {here.components} components in {names[0]}, but {there.components} in {names[1]}"
            )
        if here.unit != there.unit:
            raise _core.InputError(
                f"field '{name}' has the unit '{here.unit}' in {names[0]}, but '{there.unit}' in {names[1]}"
            )


def check_same_box(first: _core.ParticleSet, second: _core.ParticleSet) -> None:
    """Raise a ValueError if one set is in another box than the other."""
    if not np.array_equal(first.region, second.region):
        raise _core.InputError(
            f"one box is {second.region.tolist()}, but the other {first.region.tolist()}: particles that are joined"
            " are in the same box"
        )


def check_distinct(twice: Iterable[int | None], last: int) -> None:
    """Raise a ValueError that names the lowest of some ids that are there twice, and those that are free."""
    found = [each for each in twice if each is not None]
    if found:
        raise _core.InputError(
            f"id {min(found)} is there twice: each particle has an id of its own, and those above {last} are free"
            f" (such as more.id += {last + 1})"
        )


def highest(sets: Iterable[_core.ParticleSet]) -> int:
    """Return the highest id; -1 without particles."""
    return max((int(particles.column("id").max()) for particles in sets if particles.size > 0), default=-1)


def lowest_twice(ids: NDArray[np.uint64]) -> int | None:
    """Return the lowest of the ids that are there more than once."""
    ordered = np.sort(ids)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    return int(twice[0]) if len(twice) > 0 else None


def _fields(names: list[str]) -> str:
    return f"field{'s' if len(names) > 1 else ''} {', '.join(repr(name) for name in names)}"

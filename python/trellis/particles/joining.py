"""Joining two particle sets into one, and adding the rows of one to another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.notes import warn
from trellis.particles.columns import columns_of, declaration, declare, fill, public_fields
from trellis.particles.known_fields import COMPUTED, GAS, KNOWN, OF_GAS, default_of

ENERGY = "internal_energy"  # which a gas has

Set = TypeVar("Set", bound=_core.ParticleSet)


def joined(first: Set, second: Set) -> Set:
    """Return a new set with the particles of both, in their order; see `ParticleSet.__add__`."""
    first, second = completed(first, second), completed(second, first)
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


def completed(particles: Set, other: _core.ParticleSet) -> Set:
    """Return a set with the fields of known meaning that another has: itself, or a copy where any is missing.

    Where only one of the sets is a gas, both have types. A UserWarning names the fields that were filled, and their
    defaults, but for those that forces compute, and those of a gas where no particle is of that type.
    """
    sets = (particles, other)
    if len({ENERGY in each.field_names for each in sets}) == 2 and all(each.size > 0 for each in sets):
        wanted = {"type": KNOWN["type"]}
    else:
        wanted = {}
    wanted |= {name: declaration(other, name) for name in public_fields(other) if name in KNOWN or name in COMPUTED}
    missing = [field for name, field in wanted.items() if name not in particles.field_names]
    if not missing:
        return particles
    made = type(particles)(particles.size)
    fill(made, columns_of(particles))
    noted, no_gas = [], "type" in particles.field_names and bool((particles.column("type") != GAS).all())
    for field in missing:
        declare(made, field)
        if field.name in KNOWN:
            value = default_of(field.name, of_gas=ENERGY in particles.field_names)
            made.column(field.name)[...] = value
            if not (no_gas and field.name in OF_GAS):
                noted.append(f"{field.name} = {value:g}")
    if noted and particles.size > 0:
        warn(f"{particles.size} of the particles that are joined lack columns, which get defaults: {', '.join(noted)}")
    return made


def append(particles: _core.ParticleSet, newcomers: _core.ParticleSet) -> None:
    """Add the particles of another set behind the rows of this one; fields that the newcomers lack are zero there."""
    size = particles.size
    particles.replace_rows(np.arange(size), newcomers.size)
    for name in newcomers.field_names:
        if name in particles.field_names:
            particles.column(name)[size:] = newcomers.column(name)


def check_same_fields(first: _core.ParticleSet, second: _core.ParticleSet, names: tuple[str, str]) -> None:
    """Raise a ValueError that calls the sets by `names` if their fields differ, but for those that are computed."""
    for lacking, other, (lacks, has) in ((first, second, names), (second, first, names[::-1])):
        missing = [name for name in public_fields(other) if name not in [*lacking.field_names, *COMPUTED]]
        if missing:
            raise _core.InputError(
                f"{_fields(missing)} of {has} {'is' if len(missing) == 1 else 'are'} not in {lacks}:"
                " particles that are joined have the same fields (add_field adds one)"
            )
    for name in public_fields(first):
        if name not in second.field_names:
            continue
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


def check_own_ids(ids: NDArray[np.uint64]) -> None:
    """Raise a ValueError if ids are not all different."""
    twice = lowest_twice(ids)
    if twice is not None:
        raise _core.InputError(f"id {twice} is there twice, but each particle has an id of its own")


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

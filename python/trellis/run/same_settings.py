"""Check that all ranks are about to do the same run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from trellis.errors import InputError
from trellis.parallel import world
from trellis.parallel.sites import place_of


def check_same_settings(settings: Mapping[str, object]) -> None:
    """Raise the same ValueError on all ranks, which call this, if settings of any differ from those of rank 0."""
    digests = world.gather(hashlib.sha256(repr(sorted(settings.items())).encode()).digest())
    unlike = next((rank for rank, digest in enumerate(digests) if digest != digests[0]), None)
    if unlike is None:
        return
    of_all = world.gather(dict(settings))
    first, other = of_all[0], of_all[unlike]
    name = next(name for name in [*first, *other] if first.get(name) != other.get(name))
    raise InputError(
        f"'{name}' is {other.get(name, 'not given')} {_at(unlike)}, but {first.get(name, 'not given')} {_at(0)}:"
        " all ranks need the same parameters and the same Trellis"
    )


def _at(rank: int) -> str:
    place = place_of(rank)
    return f"at {place}" if place.startswith("the site") else f"on {place}"

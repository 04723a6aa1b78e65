"""Check that all ranks are about to do the same run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from trellis.errors import InputError
from trellis.parallel import world


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
        f"'{name}' is {other.get(name, 'not given')} on rank {unlike}, but {first.get(name, 'not given')} on rank 0:"
        " all ranks need the same parameters and the same Trellis"
    )

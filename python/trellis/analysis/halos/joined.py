"""Groups of rows that are joined pair by pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def join(parent: NDArray[np.int64], one: NDArray[np.int64], other: NDArray[np.int64]) -> None:
    """Make one group of the groups of each pair; the lowest row of a group stands for it, before and after."""
    while True:
        one, other = parent[one], parent[other]
        apart = one != other
        if not apart.any():
            return
        one, other = one[apart], other[apart]
        np.minimum.at(parent, np.maximum(one, other), np.minimum(one, other))
        while True:  # each row points to the lowest one of its group
            further = parent[parent]
            if (further == parent).all():
                break
            parent[:] = further

"""Random numbers that depend on a counter and a key alone, all at once: Philox 4x32-10 (Salmon et al. 2011)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LOW = np.uint64(0xFFFFFFFF)


def philox(counter: tuple[Words, Words, Words, Words], key: tuple[int, int]) -> tuple[Words, Words, Words, Words]:
    """Return four random words of 32 bits for each counter.

    Parameters
    ----------
    counter : four arrays of uint32, of one shape
        The counters.
    key : (int, int)
        Two words of 32 bits.
    """
    c0, c1, c2, c3 = counter
    for turn in range(ROUNDS):
        first, second = (c.astype(np.uint64) * m for c, m in zip((c0, c2), MULTIPLIERS, strict=True))
        k0, k1 = (np.uint32((k + turn * w) & 0xFFFFFFFF) for k, w in zip(key, WEYL, strict=True))
        c0, c2 = (
            (second >> np.uint64(32)).astype(np.uint32) ^ c1 ^ k0,
            (first >> np.uint64(32)).astype(np.uint32) ^ c3 ^ k1,
        )
        c1, c3 = (second & LOW).astype(np.uint32), (first & LOW).astype(np.uint32)
    return c0, c1, c2, c3

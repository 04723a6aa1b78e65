"""Functions that a run calls after some steps, as users give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from trellis.arguments import shown
from trellis.errors import InputError


def callback_pairs(callbacks: Iterable[Any]) -> list[tuple[int, Callable[[Any], object]]]:
    """Return pairs of a number of steps and a function; ValueError for anything else."""
    allowed = "callbacks are pairs of a number of steps and a function, such as callbacks=[(10, f)]"
    if callable(callbacks) or not isinstance(callbacks, Iterable):
        raise InputError(f"callbacks is {shown(callbacks)}, but {allowed}")
    pairs = []
    for pair in callbacks:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"a callback is {shown(pair)}, but {allowed}")
        every, call = pair
        if not callable(call) or isinstance(every, bool) or not isinstance(every, (int, float)) or every != int(every):
            raise InputError(f"a callback is ({shown(every)}, {shown(call)}), but {allowed}")
        if every < 1:
            raise InputError(f"a callback is wanted every {every} steps, but the least is every 1")
        pairs.append((int(every), call))
    return pairs

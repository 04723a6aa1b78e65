"""The sites of a run: machines far apart, each with some of the ranks; of a run on one machine, one site.

All functions but `site_firsts`, `is_site_first` and `place_of` are collective (see `trellis.parallel.world`).
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from trellis import _core
from trellis.parallel.ending import end_on_error
from trellis.parallel.world import any_rank, enter_call, gather, on_first, rank

Result = TypeVar("Result")

LinkGiven = tuple[int | None, int | None, int | None, str]


def site_firsts() -> list[int]:
    """Return the first rank of each site, which has that site's folder; of a run on one site, 0."""
    return _core.site_begins()


def is_site_first() -> bool:
    """Return whether this is the first rank of its site."""
    return rank() in site_firsts()


def place_of(number: int) -> str:
    """Return where a rank is, as sentences name it: its site, or of a run on one site its number."""
    names = _core.site_names()
    return f"the site {names[bisect_right(site_firsts(), number) - 1]}" if names else f"rank {number}"


def site_speeds() -> dict[str, float]:
    """Return the speed of a rank of each site, by the site's name; empty if all are equal."""
    speeds = _core.site_speeds()
    return dict(zip(_core.site_names(), speeds, strict=True)) if speeds else {}


def set_site_speeds(speeds: Mapping[str, float]) -> None:
    """Share work by `speeds`, the same on all ranks; a site that is not named counts as fast as the others on average.

    Nothing happens if none is named.
    """
    names = _core.site_names()
    known = [speeds[name] for name in names if name in speeds]
    if known:
        _core.set_site_speeds([speeds.get(name, sum(known) / len(known)) for name in names])


def join_sites(
    ring: Sequence[str],
    name: str,
    *,
    wait: float,
    grace: float,
    speeds: Sequence[float] = (),
    links: Mapping[int, LinkGiven] | None = None,
    relays: Mapping[int, int] | None = None,
) -> None:
    """Wait for the other sites; from then on the ranks of all are those of this run.

    Parameters
    ----------
    ring : sequence of str
        HOST:PORT of each site, the same at all.
    name : str
        The site that is here: HOST, or HOST:PORT.
    wait : float
        Seconds to wait for the others.
    grace : float
        Seconds that a site may be silent before it counts as dead.
    speeds : sequence of float
        Speed of a rank of each site, compared with others; empty if equal.
    links : mapping, optional
        Settings of the link to each other site, by its number: streams, bytes of a chunk, bytes a second, and
        HOST:PORT of a forwarder, or empty. None: found.
    relays : mapping, optional
        The site that passes messages on to another one, by number.

    Raises
    ------
    ValueError
        If there is no such site, or a key is not trusted.
    RuntimeError
        If a site has not come in time.
    """
    say = lambda sentence: print(sentence, file=sys.stderr)  # noqa: E731
    _core.join_sites(list(ring), name, wait, grace, list(speeds), dict(links or {}), dict(relays or {}), say)
    sys.excepthook = end_on_error


def leave_sites() -> None:
    """End the messages between sites, which all ranks call last."""
    _core.leave_sites()


class DeferredFlags:
    """Flags of all ranks after each step: on one site those of this step, between sites those of the step before.

    Between sites they travel with the messages of the step, and no rank waits for them. All ranks make the same calls.

    Parameters
    ----------
    call : str
        The name that ranks compare.
    """

    def __init__(self, call: str) -> None:
        self._call = call
        self._gather = _core.DeferredGather() if len(site_firsts()) > 1 else None
        self._begun = False

    def any(self, *flags: bool) -> tuple[bool, ...]:
        """Return, for each flag, whether any rank has it set."""
        if self._gather is None:
            return any_rank(*flags, call=self._call)
        collected = self._gather.collect() if self._begun else [bytes(len(flags))]
        self._gather.post(bytes(flags))
        self._begun = True
        return tuple(any(of_all) for of_all in zip(*collected, strict=True))


def on_site_firsts(make: Callable[[], Result]) -> Result:
    """Call `make` on the first rank of each site; all ranks of a site have its result, any error is that of all."""
    if len(site_firsts()) == 1:
        return on_first(make)
    enter_call("world.on_site_firsts")
    done: tuple[Result | None, Exception | None] = (None, None)
    if is_site_first():
        try:
            done = (make(), None)
        except Exception as failure:
            done = (None, failure)
    of_all = gather(done)
    for _, error in of_all:
        if error is not None:
            raise error
    value: Result = of_all[max(first for first in site_firsts() if first <= rank())][0]  # type: ignore[assignment]
    return value

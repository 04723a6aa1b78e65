"""Links between sites: what they reach, in which order sites make the best ring, and files that go over them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from trellis import _core
from trellis.errors import InputError, reading
from trellis.io.atomic import replacing, write_all
from trellis.parallel import world
from trellis.parallel.sites import is_site_first, place_of, site_firsts

BLOCK = 1 << 23  # bytes of a message
LONGEST = 64  # blocks sent in one go
LONG_ENOUGH = 1.0  # seconds of a transfer that shows a rate
PINGS = 5
MOST_ORDERED = 8  # sites of which all orders are compared
WORTH_A_RELAY = 1.5  # times the rate of the direct link


@dataclass(frozen=True)
class LinkRate:
    """What was measured from one site to another.

    Attributes
    ----------
    round_trip : float
        Seconds, the shortest of some.
    rate : float
        Bytes a second.
    """

    round_trip: float
    rate: float


Rates = Mapping[tuple[int, int], LinkRate]


def measure_links() -> dict[tuple[int, int], LinkRate]:
    """Return what the link from each site to each other reaches, on all ranks; all of them call this.

    One pair is measured at a time, in both directions one after the other. Transfers grow until one takes a second.
    """
    firsts = site_firsts()
    own: dict[tuple[int, int], LinkRate] = {}
    for a, b in itertools.permutations(range(len(firsts)), 2):
        world.enter_call("measure_links")
        if world.rank() == firsts[a]:
            own[a, b] = _measured(firsts[b])
        elif world.rank() == firsts[b]:
            _answer(firsts[a])
    return {pair: rate for each in world.gather(own) for pair, rate in each.items()}


def _measured(other: int) -> LinkRate:
    round_trip = min(_seconds(other, 0) for _ in range(PINGS))
    block, blocks = bytes(BLOCK), 1
    while True:
        seconds = max(_seconds(other, blocks, block) - round_trip, 1e-9)
        if seconds >= LONG_ENOUGH or blocks >= LONGEST:
            break
        blocks = min(2 * blocks, LONGEST)
    _core.world().send(other, b"end")
    return LinkRate(round_trip, blocks * BLOCK / seconds)


def _seconds(other: int, blocks: int, block: bytes = b"") -> float:
    """Return the seconds until the other site has these blocks, and its answer is here."""
    begin = time.perf_counter()
    _core.world().send(other, str(blocks).encode())
    for _ in range(blocks):
        _core.world().send(other, block)
    _core.world().receive(other)
    return time.perf_counter() - begin


def _answer(other: int) -> None:
    while (blocks := _core.world().receive(other)) != b"end":
        for _ in range(int(blocks)):
            _core.world().receive(other)
        _core.world().send(other, b"here")


def best_ring(sites: int, rates: Rates) -> list[int]:
    """Return the order of the sites in which the slowest link between neighbours is the fastest; the first stays first.

    Of orders that are equal in this, it is that of the shortest round trips. More than 8 sites keep their order.
    """
    order = list(range(sites))
    if sites > MOST_ORDERED:
        return order

    def quality(rest: tuple[int, ...]) -> tuple[float, float]:
        ring = [0, *rest]
        pairs = list(zip(ring, [*ring[1:], 0], strict=True))
        slowest = min(min(rates[a, b].rate, rates[b, a].rate) for a, b in pairs)
        return slowest, -sum(rates[a, b].round_trip for a, b in pairs)

    best = max((tuple(order[1:]), *itertools.permutations(order[1:])), key=quality)
    return [0, *best]


def relays(sites: int, rates: Rates) -> dict[tuple[int, int], int]:
    """Return, for each pair of sites of which a third one makes a much faster way, that third one."""
    found = {}
    for a, b in itertools.permutations(range(sites), 2):
        ways = {c: min(rates[a, c].rate, rates[c, b].rate) for c in range(sites) if c not in (a, b)}
        if ways and max(ways.values()) > WORTH_A_RELAY * rates[a, b].rate:
            found[a, b] = max(ways, key=lambda c: ways[c])
    return found


def copy_file(path: Path, source: int, *, overwrite: bool) -> int:
    """Copy a file of one site to the others, under the same path there; all ranks call this.

    Parameters
    ----------
    path : Path
        The file: relative to the folder of each site's process.
    source : int
        The site that has it, from 0.
    overwrite : bool
        Whether files that are there are replaced.

    Returns
    -------
    int
        Its bytes, on all ranks.

    Raises
    ------
    ValueError
        If it is not there to be read, or is in the way at another site.
    """
    firsts = site_firsts()
    here = is_site_first() and world.rank() != firsts[source]
    in_the_way = world.gather(here and path.exists() and not overwrite)
    if any(in_the_way):
        raise InputError(f"'{path}' is at {place_of(in_the_way.index(True))} already: --overwrite replaces it")
    size, why = world.gather(_size_or_why(path) if world.rank() == firsts[source] else (0, ""))[firsts[source]]
    if why:
        raise InputError(why)
    if world.rank() == firsts[source]:
        with reading(path), path.open("rb") as file:
            _send(file, size, [first for first in firsts if first != world.rank()])
    elif here:
        with replacing(path) as file:
            for _ in range(0, size, BLOCK):
                write_all(file, _core.world().receive(firsts[source]))
    world.enter_call("copy_file: everywhere")
    return size


def _size_or_why(path: Path) -> tuple[int, str]:
    try:
        with reading(path), path.open("rb"):
            return path.stat().st_size, ""
    except InputError as error:
        return 0, str(error)


def _send(file: BinaryIO, size: int, targets: list[int]) -> None:
    for begin in range(0, size, BLOCK):
        block = file.read(min(BLOCK, size - begin))
        for target in targets:
            _core.world().send(target, block)

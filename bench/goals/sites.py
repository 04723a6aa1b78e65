"""Goals for links between sites, over an emulated wide-area link between two network namespaces.

    TRELLIS_WANEM=FOLDER chrt -r 1 python bench/goals/run.py sites

emulates it by the program `wanem` in that folder (emulated_network.py); where that or `bench_wide_area` is missing,
rows are left out. On a busy machine the emulator is late; `chrt -r 1` lets it and both ends run before other programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

from emulated_network import address_of, at_all_sites, network, program, trusted_ring
from row import Row, row_of

SITES = 2


def measured(
    folder: Path, *options: str, round_trip: float, loss: float = 0, cut: tuple[float, float] | None = None
) -> Any:
    """Return the measurements of the second site; cut: seconds from the start to a cut, and seconds that it lasts."""
    ring = trusted_ring(folder, [address_of(site) for site in range(SITES)])
    command = [str(program("wide_area")), "--ring", ",".join(ring), *options, "--site"]
    with network(folder, SITES, round_trip, loss) as cut_link:
        at = [Timer(cut[0], cut_link, [True]), Timer(sum(cut), cut_link, [False])] if cut else []
        return at_all_sites([[*command, str(site)] for site in range(SITES)], at)[1]


def bulk(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Measure the payload of a link that is kept busy; the first seconds do not count."""
    for round_trip, loss, goal in ((150, 0.0, 850), (300, 0.0, 850), (150, 1e-4, 800)):
        if quick and round_trip == 300:
            continue

        def measure(round_trip: float = round_trip, loss: float = loss, goal: float = goal) -> tuple[str, bool]:
            seconds, skip = ("14", "7") if quick else ("60", "10")
            got = measured(folder, "--seconds", seconds, "--skip", skip, round_trip=round_trip, loss=loss)
            return f"{got['mbit']:.0f} Mbit/s, {got['streams']} streams", got["mbit"] >= goal

        lost = f", loss {loss:g}" if loss else ""
        yield row_of(f"a link of 1 Gbit/s, {round_trip} ms{lost}", f">= {goal} Mbit/s", measure)


def bursts(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Time messages of 64 MiB, one every two seconds, from the sending call to arrival."""

    def measure() -> tuple[str, bool]:
        options = ["--what", "bursts", "--bytes", str(64 << 20), "--seconds", "16" if quick else "40"]
        got = measured(folder, *options, round_trip=300)
        return f"{got['mean']:.2f} s, {got['most']:.2f} at most", got["mean"] <= 1.0

    yield row_of("64 MiB every 2 s, 1 Gbit/s, 300 ms", "<= 1.0 s", measure)


def cut(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Cut the link while it is busy; every message that comes is compared with what was sent."""
    silent = 6 if quick else 30

    def measure() -> tuple[str, bool]:
        seconds = str(silent + (12 if quick else 20))
        got = measured(folder, "--seconds", seconds, "--skip", "1", round_trip=150, cut=(6, silent))
        return f"resumed after {got['pause']:.1f} s, every message once and the same", got["pause"] >= silent - 1

    yield row_of(f"cut of {silent} s", "resumed, nothing lost or doubled, same bits", measure)


def left_out() -> Iterator[Row]:
    """No goal here needs a GPU or a program that is named."""
    yield from ()


PARTS = [bulk, bursts, cut]

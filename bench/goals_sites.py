"""Goals for links between sites, over an emulated wide-area link between two network namespaces.

The link is made by the program `wanem` in the folder $TRELLIS_WANEM, or by `tc netem`; namespaces need the rights of
root. `bench_wide_area` is looked for in $TRELLIS_BENCH, otherwise in build/bench. Where one is missing, rows are left
out.

    TRELLIS_WANEM=FOLDER chrt -r 1 python bench/goals.py sites

On a busy machine the emulator is late and what is measured is the processor; `chrt -r 1` gives it, and the two ends,
processor time before all other programs.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from goals_row import Row

import trellis as tr

ENDS = (("goals-first", "10.114.0.1"), ("goals-second", "10.114.0.2"))
PORT = 7737
QUEUE = 50  # milliseconds that a packet may wait before the narrowest part
MBIT = 1000

Cut = Callable[[bool], None]


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True)


def _inside(name: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", name, *words]


@contextmanager
def _by_wanem(folder: Path, program: Path, delay: float, loss: float) -> Iterator[Cut]:
    ready = folder / "wanem.ready"
    (a, address_a), (b, address_b) = ENDS
    options = {"nsA": a, "nsB": b, "devA": "wan", "devB": "wan", "mbit": MBIT, "delay-ms": delay, "queue-ms": QUEUE,
               "loss": loss, "mtu": 1500, "ready": ready, "maxsec": 3000}  # fmt: skip
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with subprocess.Popen([program, *words], stderr=subprocess.DEVNULL) as emulator:
        try:
            while not (ready.exists() and ready.stat().st_size > 0):
                if emulator.poll() is not None:
                    raise OSError(f"{program} has ended with {emulator.returncode}")
                time.sleep(0.05)
            for name, own, other in ((a, address_a, address_b), (b, address_b, address_a)):
                _run(*_inside(name, "ip", "addr", "add", own, "peer", other, "dev", "wan"))
                _run(*_inside(name, "ip", "link", "set", "wan", "mtu", "1500", "txqueuelen", "20000", "up"))
            yield lambda cut: emulator.send_signal(signal.SIGSTOP if cut else signal.SIGCONT)
        finally:
            emulator.send_signal(signal.SIGCONT)
            emulator.terminate()


@contextmanager
def _by_netem(delay: float, loss: float) -> Iterator[Cut]:
    (a, _), (b, _) = ENDS
    _run("ip", "link", "add", "wan", "netns", a, "type", "veth", "peer", "name", "wan", "netns", b)
    limit = int(MBIT * 1e6 / 8 / 1500 * (delay + QUEUE) / 1000)

    def shape(verb: str, lost: float) -> None:
        for name, _ in ENDS:
            words = (
                f"tc qdisc {verb} dev wan root netem rate {MBIT}mbit delay {delay}ms loss {100 * lost}% limit {limit}"
            )
            _run(*_inside(name, *words.split()))

    shape("add", loss)
    for name, own in ENDS:
        _run(*_inside(name, "ip", "addr", "add", f"{own}/24", "dev", "wan"))
        _run(*_inside(name, "ip", "link", "set", "wan", "up"))
    yield lambda cut: shape("change", 1.0 if cut else loss)


@contextmanager
def link(folder: Path, round_trip: float, loss: float) -> Iterator[Cut]:
    """Make two namespaces and a link of that round trip in milliseconds; yields what cuts and heals it."""
    emulator = Path(os.environ.get("TRELLIS_WANEM", "")) / "wanem"
    try:
        for name, _ in ENDS:
            _run("ip", "netns", "add", name)
            _run(*_inside(name, "ip", "link", "set", "lo", "up"))
        by_wanem = "TRELLIS_WANEM" in os.environ and emulator.exists()
        made = _by_wanem(folder, emulator, round_trip / 2, loss) if by_wanem else _by_netem(round_trip / 2, loss)
        with made as cut:
            yield cut
    finally:
        for name, _ in ENDS:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def _program() -> Path:
    folder = os.environ.get("TRELLIS_BENCH", Path(__file__).parents[1] / "build/bench")
    program = Path(folder) / "bench_wide_area"
    if not program.exists():
        raise OSError(f"{program} is not built (TRELLIS_BENCH=ON)")
    return program


def measured(
    folder: Path, *options: str, round_trip: float, loss: float = 0, cut: tuple[float, float] | None = None
) -> Any:
    """Return what the second site measures; cut: after so many seconds, for so many."""
    os.environ["TRELLIS_HOME"] = str(folder)
    key = tr._core.fingerprint()
    ring = [f"{address}:{PORT}" for _, address in ENDS]
    for place in ring:
        tr._core.add_key("trusted", place, key)
    program = _program()
    with link(folder, round_trip, loss) as cut_link:
        command = [str(program), "--ring", ",".join(ring), *options]
        sites = [
            subprocess.Popen(_inside(name, *command, "--site", str(site)), stdout=subprocess.PIPE, text=True)
            for site, (name, _) in enumerate(ENDS)
        ]
        timers = [Timer(at, cut_link, [state]) for at, state in ((cut[0], True), (sum(cut), False))] if cut else []
        for timer in timers:
            timer.start()
        said = [site.communicate()[0] for site in sites]
        for timer in timers:
            timer.join()
    if any(site.returncode != 0 for site in sites):
        raise OSError("a site has ended with an error")
    return json.loads(said[1])


def _row(what: str, goal: str, measure: Callable[[], tuple[str, bool]]) -> Row:
    try:
        figure, met = measure()
    except (OSError, subprocess.CalledProcessError) as error:
        return Row(what, goal, None, None, str(getattr(error, "stderr", None) or error).strip())
    return Row(what, goal, figure, met)


def bulk(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Measure the payload of a link that is kept busy; the first ten seconds do not count."""
    for round_trip, loss, goal in ((150, 0.0, 850), (300, 0.0, 850), (150, 1e-4, 800)):
        if quick and round_trip == 300:
            continue

        def measure(round_trip: float = round_trip, loss: float = loss, goal: float = goal) -> tuple[str, bool]:
            got = measured(folder, "--seconds", "20" if quick else "60", round_trip=round_trip, loss=loss)
            return f"{got['mbit']:.0f} Mbit/s, {got['streams']} streams", got["mbit"] >= goal

        lost = f", loss {loss:g}" if loss else ""
        yield _row(f"a link of 1 Gbit/s, {round_trip} ms{lost}", f">= {goal} Mbit/s", measure)


def bursts(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Time messages of 64 MiB, one every two seconds, from the call that sends until it is there."""

    def measure() -> tuple[str, bool]:
        options = ["--what", "bursts", "--bytes", str(64 << 20), "--seconds", "20" if quick else "40"]
        got = measured(folder, *options, round_trip=300)
        return f"{got['mean']:.2f} s, {got['most']:.2f} at most", got["mean"] <= 1.0

    yield _row("64 MiB every 2 s, 1 Gbit/s, 300 ms", "<= 1.0 s", measure)


def cut(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Cut the link while it is busy; every message that comes is compared with what was sent."""
    silent = 10 if quick else 30

    def measure() -> tuple[str, bool]:
        got = measured(folder, "--seconds", str(silent + 20), "--skip", "1", round_trip=150, cut=(8, silent))
        return f"resumed after {got['pause']:.1f} s, every message once and the same", got["pause"] >= silent - 1

    yield _row(f"cut of {silent} s", "resumed, nothing lost or doubled, same bits", measure)


def left_out() -> Iterator[Row]:
    """No goal here needs a GPU or a named peer."""
    yield from ()


PARTS = [bulk, bursts, cut]

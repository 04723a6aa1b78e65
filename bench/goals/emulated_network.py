"""Emulated networks between sites: a network namespace for each site, and a link between any two of them.

Links are made by the program `wanem` in the folder $TRELLIS_WANEM, or by `tc netem`; namespaces need the rights of
root. The programs that run there are looked for in $TRELLIS_BENCH, otherwise in build/bench.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import trellis as tr

PORT = 7737
QUEUE = 50  # ms that a packet may wait at the bottleneck
MBIT = 1000

Cut = Callable[[bool], None]
Pair = tuple[int, int]


def name_of(site: int) -> str:
    """Return the name of a site's namespace."""
    return f"goals-site{site}"


def address_of(site: int) -> str:
    """Return the address of a site, the same on all of its links."""
    return f"10.114.0.{site + 1}"


def inside(site: int, *words: str) -> list[str]:
    """Return the command that runs `words` at a site."""
    return ["ip", "netns", "exec", name_of(site), *words]


def trusted_ring(folder: Path, addresses: Sequence[str]) -> list[str]:
    """Return HOST:PORT of sites at these addresses, which trust each other by keys in this folder."""
    os.environ["TRELLIS_HOME"] = str(folder)
    ring = [f"{address}:{PORT + site}" for site, address in enumerate(addresses)]
    for address in ring:
        tr._core.add_key("trusted", address, tr._core.fingerprint())
    return ring


def program(name: str) -> Path:
    """Return the path of a program of bench/; raises OSError if it is not built."""
    folder = os.environ.get("TRELLIS_BENCH", Path(__file__).parents[2] / "build/bench")
    found = Path(folder) / f"bench_{name}"
    if not found.exists():
        raise OSError(f"{found} is not built (TRELLIS_BENCH=ON)")
    return found


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True)


def _join(pair: Pair) -> None:
    """Give both ends of a link their addresses."""
    for own, other in (pair, pair[::-1]):
        device = f"wan{other}"
        _run(*inside(own, "ip", "addr", "add", address_of(own), "peer", address_of(other), "dev", device))
        _run(*inside(own, "ip", "link", "set", device, "mtu", "1500", "txqueuelen", "20000", "up"))


def _before_its_users() -> list[str]:
    """Return words that let an emulator run before sites of real-time priority, so that no packet is late."""
    if os.sched_getscheduler(0) not in (os.SCHED_RR, os.SCHED_FIFO):
        return []
    return ["chrt", "-r", str(os.sched_getparam(0).sched_priority + 1)]


@contextmanager
def _by_wanem(folder: Path, emulator: Path, pair: Pair, mbit: float, delay: float, loss: float) -> Iterator[Cut]:
    (a, b), ready = pair, folder / f"wanem{pair[0]}{pair[1]}.ready"
    options = {"nsA": name_of(a), "nsB": name_of(b), "devA": f"wan{b}", "devB": f"wan{a}", "mbit": mbit,
               "delay-ms": delay, "queue-ms": QUEUE, "loss": loss, "mtu": 1500, "ready": ready,
               "maxsec": 3000}  # fmt: skip
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    with subprocess.Popen([*_before_its_users(), str(emulator), *words], stderr=subprocess.DEVNULL) as process:
        try:
            while not (ready.exists() and ready.stat().st_size > 0):
                if process.poll() is not None:
                    raise OSError(f"{emulator} has ended with {process.returncode}")
                time.sleep(0.05)
            _join(pair)
            yield lambda cut: process.send_signal(signal.SIGSTOP if cut else signal.SIGCONT)
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()


@contextmanager
def _by_netem(pair: Pair, mbit: float, delay: float, loss: float) -> Iterator[Cut]:
    a, b = pair
    ends = (f"wan{b}", "netns", name_of(a)), (f"wan{a}", "netns", name_of(b))
    _run("ip", "link", "add", *ends[0], "type", "veth", "peer", "name", *ends[1])
    limit = int(mbit * 1e6 / 8 / 1500 * (delay + QUEUE) / 1000)

    def shape(verb: str, lost: float) -> None:
        for own, other in (pair, pair[::-1]):
            how = f"netem rate {mbit}mbit delay {delay}ms loss {100 * lost}% limit {limit}"
            _run(*inside(own, *f"tc qdisc {verb} dev wan{other} root {how}".split()))

    shape("add", loss)
    _join(pair)
    yield lambda cut: shape("change", 1.0 if cut else loss)


@contextmanager
def network(
    folder: Path, sites: int, round_trip: float, loss: float = 0, mbit: Mapping[Pair, float] | None = None
) -> Iterator[Cut]:
    """Make sites, and a link between any two of them.

    Parameters
    ----------
    folder : Path
        Folder for files of the emulators.
    sites : int
        Number of sites.
    round_trip : float
        Round trip of each link in milliseconds.
    loss : float
        Share of the packets that each link loses.
    mbit : mapping, optional
        Mbit/s of links by pair of sites, the lower number first; else `MBIT`.

    Yields
    ------
    callable
        Function that cuts all links, given True, or restores them.
    """
    emulator = Path(os.environ.get("TRELLIS_WANEM", "")) / "wanem"
    by_wanem = "TRELLIS_WANEM" in os.environ and emulator.exists()
    try:
        for site in range(sites):
            _run("ip", "netns", "add", name_of(site))
            _run(*inside(site, "ip", "link", "set", "lo", "up"))
        with ExitStack() as made:
            cuts = []
            for pair in itertools.combinations(range(sites), 2):
                how = ((mbit or {}).get(pair, MBIT), round_trip / 2, loss)
                link = _by_wanem(folder, emulator, pair, *how) if by_wanem else _by_netem(pair, *how)
                cuts.append(made.enter_context(link))

            def cut_all(cut: bool) -> None:
                for each in cuts:
                    each(cut)

            yield cut_all
    finally:
        for site in range(sites):
            subprocess.run(["ip", "netns", "delete", name_of(site)], check=False, capture_output=True)


@contextmanager
def forwarder(site: int, listen: int, to: str) -> Iterator[str]:
    """Start `trellis forward` at a site; yields its HOST:PORT."""
    words = ["-m", "trellis", "forward", "--listen", str(listen), "--to", to]
    with subprocess.Popen(inside(site, sys.executable, *words), stdout=subprocess.DEVNULL) as process:
        try:
            yield f"{address_of(site)}:{listen}"
        finally:
            process.terminate()


def at_all_sites(words: Sequence[Sequence[str]], at: Sequence[Timer] = ()) -> list[Any]:
    """Run a command at each site of a network; return the JSON that each prints, None where it prints nothing.

    Parameters
    ----------
    words : sequence of sequences of str
        Command of each site.
    at : sequence of Timer
        Timers that are started with the commands.

    Raises
    ------
    OSError
        If a command ends with an error.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(inside(site, *each), env=environment, stdout=subprocess.PIPE, text=True)
        for site, each in enumerate(words)
    ]
    for timer in at:
        timer.start()
    outputs = [each.communicate()[0] for each in running]
    for timer in at:
        timer.join()
    if any(each.returncode != 0 for each in running):
        raise OSError("a site has ended with an error")
    return [json.loads(each) if each else None for each in outputs]

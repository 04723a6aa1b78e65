"""Goals for runs over several sites: counted in runs on this machine, and measured over emulated links."""

from __future__ import annotations

import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from emulated_network import MBIT, Pair, address_of, at_all_sites, forwarder, network, program, trusted_ring
from row import Row, row_of

import trellis as tr
from trellis.model.sites.equations import Run, wide_bytes
from trellis.model.sites.machine import Exchange, WideNetwork
from trellis.model.sites.ours import step_over_sites

RUN = """
[ic]
model = "plummer"
particles = {particles}
[gravity]
softening = 0.02
[run]
until = {until}
timestep = 0.001
snapshot_every = 1000
log_every = 1000000
checkpoint_every = 1e6
output = "out"
[sites]
ring = [{ring}]
"""
SITES = 3
BAD = 20  # Mbit/s of a bad link
RELAY_PORT = 7747
STEPS = (20, 120)  # two runs, whose difference is steps alone, without start and end


def _trips(folder: Path, particles: int, steps: int) -> float:
    """Return the sequential trips between sites in a run over three sites, each a process of this machine."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(SITES)]
    names = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for name, each in zip(names, sockets, strict=True):
        tr._core.add_key("trusted", name, tr._core.fingerprint())
        each.close()
    file = folder / "sites.toml"
    ring = ", ".join(f'"{name}"' for name in names)
    file.write_text(RUN.format(particles=particles, until=0.001 * steps, ring=ring))
    running = []
    for site, name in enumerate(names):
        here = folder / f"{steps}-{site}"
        here.mkdir()
        words = [sys.executable, "-m", "trellis", "run", str(file), "--site", name, "--wait", "60s"]
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
        running.append(subprocess.Popen(words, cwd=here, env=one_thread, stdout=subprocess.PIPE, text=True))
    outputs = [each.communicate()[0] for each in running]
    found = re.search(r"([\d.]+) trips one after another in ", outputs[0])
    if found is None:
        raise OSError("a site has ended with an error")
    return steps * float(found[1])


def trips(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Count the sequential trips between three sites in a step; two are a round trip."""
    what, goal = "sequential wide-area round trips in a step, 3 sites, hidden and visible", "<= 2 (SUSHI: 18)"
    os.environ["TRELLIS_HOME"] = str(folder)
    try:
        few, many = (_trips(folder, 2000 if quick else 20_000, steps) for steps in STEPS)
    except OSError as error:
        yield Row(what, goal, None, None, str(error))
        return
    total = (many - few) / (STEPS[1] - STEPS[0]) / 2
    yield Row(what, goal, f"{total:.1f}", total <= 2)


def _loopback(folder: Path, sites: int, *options: str) -> Any:
    """Return the output of `bench_forces_of_sites`, whose sites are threads of one process."""
    ring = trusted_ring(folder, ["127.0.0.1"] * sites)
    command = [str(program("forces_of_sites")), "--ring", ",".join(ring), *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def forces(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the forces of all particles on four sites of two ranks with those on one rank."""
    n, accuracy = 4000 if quick else 20_000, 1e-3

    def measure() -> tuple[str, bool]:
        words = ["--ranks", "2", "--particles", str(n), "--accuracy", str(accuracy), "--checks", "1000"]
        got = _loopback(folder, 4, *words)
        figure = f"RMS {got['difference']:.1e}; errors {got['error']:.1e}, of one rank {got['error_of_one']:.1e}"
        return figure, max(got["difference"], got["error"]) <= accuracy

    yield row_of(f"forces on 4 sites x 2 ranks against one rank, N = {n}",
                 f"within the criterion's own error, {accuracy:g}", measure)  # fmt: skip


def neighbour_bytes(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Count the bytes to a neighbour in a step, and those of equation (12) for the same number of particles."""
    side, accuracy, theta = 16 if quick else 64, 1e-2, 0.5
    n = 2 * side**3
    seed = wide_bytes(Run(particles=n, mesh=n / 64, theta=theta, processes=2, sites=2))

    def measure() -> tuple[str, bool]:
        words = ["--particles", str(n), "--accuracy", str(accuracy), "--compress", "1"]
        own = _loopback(folder, 2, *words)["bytes"]
        return f"{own / 1e3:.0f} kB of {seed / 1e3:.0f} kB: {own / seed:.2f}", own <= seed / 5

    yield row_of(f"bytes between neighbouring sites a step, 2 x {side}^3 clustered, accuracy {accuracy:g}, compressed",
                 f"<= a fifth of equation (12), theta {theta}, mesh of N / 64", measure)  # fmt: skip


@dataclass(frozen=True)
class EmulatedStep:
    """Steps whose force is emulated, and whose messages are as long as those of `side`^3 particles.

    Attributes
    ----------
    side : int
        Cube root of the number of particles in the paper's equation (12), which gives the bytes.
    seconds : float
        Time of the force in a step.
    round_trip : float
        Round trip between any two sites in milliseconds.
    steps, skip : int
        Measured steps, and steps before them.
    share : float
        Share of the bytes of equation (12) that are sent.
    """

    side: int
    seconds: float
    round_trip: float = 300
    steps: int = 8
    skip: int = 2
    share: float = 1

    def bytes_to_neighbour(self, sites: int) -> int:
        """Return the padding: equation (12) with a mesh of 128^3 and an opening angle of 0.3."""
        run = Run(particles=self.side**3, mesh=128**3, theta=0.3, processes=sites, sites=sites)
        return round(self.share * wide_bytes(run))


QUICK = EmulatedStep(256, 0.4, round_trip=60, share=0.2)  # a fifth of 2 s and 300 ms


def emulated(folder: Path, sites: int, of: EmulatedStep, mbit: Mapping[Pair, float] | None = None,
              relay: tuple[Pair, int] | None = None) -> tuple[list[Any], float]:  # fmt: skip
    """Return the measurements of each site, and the share of this machine's processors that all processes took.

    relay: a pair of sites, the lower first, and the third site that relays between them.
    """
    ring = trusted_ring(folder, [address_of(site) for site in range(sites)])
    options = {"ring": ",".join(ring), "seconds": of.seconds, "bytes": of.bytes_to_neighbour(sites),
               "steps": of.steps, "skip": of.skip}  # fmt: skip
    command = [str(program("emulated_steps")), *(str(w) for k, v in options.items() for w in (f"--{k}", v))]
    words = [[*command, "--site", str(site)] for site in range(sites)]
    begin, before = time.perf_counter(), _processor_seconds()
    with ExitStack() as around:
        around.enter_context(network(folder, sites, of.round_trip, mbit=mbit))
        if relay is not None:
            (first, second), third = relay
            via = around.enter_context(forwarder(third, RELAY_PORT, ring[first]))
            words[first] += ["--via", via, "--to", str(second)]
            words[second] += ["--via", via, "--to", str(first)]
        got = at_all_sites(words)
    available = (os.cpu_count() or 1) * (time.perf_counter() - begin)
    return got, (_processor_seconds() - before) / available


def _processor_seconds() -> float:
    """Return the processor seconds of ended children of this process: sites, emulators, forwarders."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def predicted(of: EmulatedStep, sites: int) -> float:
    """Return the predicted seconds of an emulated step, none of whose force needs data of other sites."""
    wan = WideNetwork(latency=1e-3 * of.round_trip, bandwidth=1e6 / 8 * MBIT)
    size = of.bytes_to_neighbour(sites)
    return step_over_sites(of.seconds, of.seconds, size, wan, Exchange(behind=1)).seconds


def visible_trips(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Count the trips that ranks wait for while there is a force to compute, without padded messages."""
    of = replace(QUICK if quick else EmulatedStep(256, 2.0), share=0)

    def measure() -> tuple[str, bool]:
        shown = max(each["visible"] for each in emulated(folder, SITES, of)[0]) / 2
        return f"{shown:.2f}", shown < 0.005

    what = f"of these visible, {of.round_trip:g} ms, {of.seconds:g} s of compute a step"
    yield row_of(what, "0", measure)


def emulated_steps(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Measure the efficiency of steps whose force is emulated: seconds of the force over those of a step."""
    off = []  # measured over predicted
    cases = [(EmulatedStep(512, 20.0), 0.95), (EmulatedStep(256, 2.0, steps=16), 0.80)]
    for of, goal in [(QUICK, 0.80)] if quick else cases:
        for sites in (3,) if quick else (2, 3, 4):

            def measure(sites: int = sites, of: EmulatedStep = of, goal: float = goal) -> tuple[str, bool]:
                got, busy = emulated(folder, sites, of)
                step = max(each["step"] for each in got)
                off.append(step / predicted(of, sites))
                trips = f"{got[0]['trips'] / 2:.2f} round trips"
                figure = f"{100 * of.seconds / step:.1f} %, a step {step:.2f} s, {trips}, processors {100 * busy:.0f} %"
                return figure, of.seconds / step >= goal

            padding = f"{1e-6 * of.bytes_to_neighbour(sites):.0f} MB to a neighbour"
            what = (
                f"{sites} sites, {of.round_trip:g} ms, {of.seconds:g} s of compute a step, N = {of.side}^3, {padding}"
            )
            yield row_of(what, f">= {100 * goal:g} % efficiency (equation 14)", measure)

    def compare() -> tuple[str, bool]:
        if not off:
            raise OSError("no step was measured")
        return f"{min(off):.2f} to {max(off):.2f} times predicted", 0.85 <= min(off) <= max(off) <= 1.15

    yield row_of("steps of the model against these", "within 15 %", compare)


def relayed(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a ring whose first link is bad and relayed by the third site with a ring of good links."""
    of = QUICK if quick else EmulatedStep(256, 2.0)

    def measure() -> tuple[str, bool]:
        runs = emulated(folder, 3, of), emulated(folder, 3, of, {(0, 1): BAD}, ((0, 1), 2))
        good, bad = (max(each["step"] for each in got) for got, _ in runs)
        return f"{bad / good:.2f}: {bad:.2f} s of {good:.2f} s", bad <= 1.3 * good

    yield row_of(f"one bad link of three, {BAD} Mbit/s, relayed", "<= 1.3 times a good ring's step", measure)


PARTS = [trips, visible_trips, forces, neighbour_bytes, emulated_steps, relayed]

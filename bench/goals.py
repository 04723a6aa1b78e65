"""The goals of a system, what was measured here, and whether they are met.

    python bench/goals.py remote|replica_exchange|cosmology|sites [--quick] [--part NAME] > table.md

Each row of the table has a goal, a figure, and met, missed, or left out, with the reason. A row that is left out
counts as missed unless it needs a GPU or a program that is named. Rates are ratios to a baseline that is measured by
turns with them. --quick takes smaller sizes, and goals of their own; --part measures the rows of one function alone.
Rows are printed as they come. The exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import goals_baseline
import goals_cosmology
import goals_link
import goals_many
import goals_replicas
import goals_site_runs
import goals_sites
import numpy as np
from goals_row import Row
from remote_servers import about, places, server

import trellis as tr

ROUNDS = 5
PAUSES = [0, 0.001, 0.005, 0.01, 0.02, 0.05]  # s without anything to do


def bulk(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare copies to a device with the same bytes over a bare connection of the same kind."""
    size = (16 if quick else 64) << 20
    for kind, (where, address) in places(folder).items():
        with server(folder, *where):
            ratios = []
            for _ in range(ROUNDS):
                bare = goals_baseline.rate(kind, folder, size)
                exchanges = (tr._core.Exchange([address], up=size), tr._core.Exchange([address], down=size))
                up, down = (size / median(each.seconds() for _ in range(3)) for each in exchanges)
                ratios.append((up / bare, down / bare, bare))
        up, down, bare = (median(each) for each in zip(*ratios, strict=True))
        figure = f"{up:.2f} up, {down:.2f} down; bare {bare / 1e9:.2f} GB/s"
        yield Row(f"bulk, {kind}", ">= 0.85 of the bare connection", figure, min(up, down) >= 0.85)


def idleness(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the round trip to a device that has had nothing to do for a while with that to a busy one.

    A processor that has done something else meanwhile takes longer for a bare connection as well.
    """
    where, address = places(folder)["TLS"]
    rounds = 21 if quick else 101
    with server(folder, *where):
        exchange = tr._core.Exchange([address], up=8, down=8)
        exchange.seconds()
        taken: dict[float, list[float]] = {pause: [] for pause in PAUSES}
        for _ in range(rounds):
            for pause, seconds in taken.items():
                time.sleep(pause)
                seconds.append(exchange.seconds())
        del exchange
    trips = [median(seconds) for seconds in taken.values()]
    bare = goals_baseline.round_trips(PAUSES, rounds)
    slower, bare_slower = (max(each) / each[0] for each in (trips, bare))
    microseconds, bare_microseconds = (", ".join(f"{1e6 * trip:.0f}" for trip in each) for each in (trips, bare))
    pauses = ", ".join(f"{1e3 * pause:g}" for pause in PAUSES)
    yield Row(f"round trip by TLS after {pauses} ms of idleness", "<= 1.5 of that at once, or as bare TCP",
              f"{slower:.2f} (bare {bare_slower:.2f}); {microseconds} us, bare {bare_microseconds}",
              slower <= max(1.5, bare_slower))  # fmt: skip


def predicted(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare an exchange by loopback with what the model says after `trellis devices --measure`."""
    where, address = places(folder)["TLS"]
    with server(folder, *where):
        yield goals_link.prediction("loopback", goals_link.messages(1 << (13 if quick else 16), address))


def simulation(n: int, device: str, spares: Sequence[str] = (), *, compress: bool = False) -> tr.Simulation:
    """Return a sphere with lists that are reused (G3)."""
    force = tr.Gravity(theta=0.5, softening=0.02, method="tree", lists="reuse", reuse_steps=8, compress=compress)
    return tr.Simulation(tr.ic.plummer(n, seed=1), [force], 1e-4, device=device, spares=spares)


def reusing_step(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a reusing step on a device behind a Unix socket with one on the same device here."""
    n = 1 << (16 if quick else 20)
    where, address = places(folder)["Unix socket"]
    with server(folder, *where):
        here, there = simulation(n, "cpu"), simulation(n, address)
        ratios, use = [], {}
        for sim in (here, there):
            sim.run(steps=1)
        for _ in range(ROUNDS):
            seconds = []
            for sim in (here, there):
                while sim.step_count % 8 != 0:
                    sim.step()
                sim.step()
                begin = time.perf_counter()
                sim.run(steps=4)
                seconds.append(time.perf_counter() - begin)
            ratios.append(seconds[1] / seconds[0])
            use = there.device_use[0]
        del here, there, sim
    ratio = median(ratios)
    yield Row(f"G3 reusing step over a Unix socket, N = {n}", "<= 1.05 of that here", f"{ratio:.3f}", ratio <= 1.05)
    trips = use["round_trips"]
    yield Row("round trips of a reusing step, G3", "1", f"{trips}", trips == 1)


def wire_bytes(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Count the bytes of a reusing step over a network: all data on their way, cells' rows among them."""
    n = 1 << (16 if quick else 20)
    where, address = places(folder)["loopback"]
    with server(folder, *where):
        for what, compress, goal in (("", False, 14), (", compressed", True, 6)):
            sim = simulation(n, address, compress=compress)
            sim.run(steps=4)
            use = sim.device_use[0]
            del sim
            up, down = use["bytes_up"] / n, use["bytes_down"] / n
            yield Row(f"wire bytes a particle, G3 reusing{what}", f"<= {goal} up, <= 16 down",
                      f"{up:.1f} up, {down:.1f} down", up <= goal and down <= 16)  # fmt: skip


def killed(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Kill the server in the middle of a step; a spare takes its place."""
    n = 1 << (14 if quick else 17)
    where, address = places(folder)["Unix socket"]
    with server(folder, *where) as process:
        sim, unbroken = simulation(n, address, spares=["cpu"]), simulation(n, "cpu")
        sim.run(steps=2)
        begin = time.perf_counter()
        unbroken.run(steps=2)
        step = 0.5 * (time.perf_counter() - begin)
        unbroken.run(steps=1)
        subprocess.Popen(["sh", "-c", f"sleep {0.3 * step}; kill -{signal.SIGKILL} {process.pid}"])
        begin = time.perf_counter()
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            sim.run(steps=1)
        seconds = time.perf_counter() - begin
        same = np.array_equal(sim.particles.position, unbroken.particles.position)
    figure = f"{seconds:.2f} s, a step {step:.2f} s, {'same' if same else 'other'} bits, {len(noted)} device replaced"
    yield Row("server killed in the middle of a step", "<= 1 s and two steps, same bits", figure,
              same and seconds <= 1 + 2 * step)  # fmt: skip


def trips(folder: Path, *, resident: bool) -> tuple[float, float]:
    """Return the most round trips of a step that constructs lists, and of one that reuses them."""
    where, address = places(folder)["Unix socket"]
    with server(folder, *where):
        force = tr.Gravity(theta=0.5, softening=0.02, method="tree", lists="reuse", reuse_steps=4)
        sim = tr.Simulation(tr.ic.plummer(1 << 14, seed=1), [force], 1e-4, device=address, resident=resident)
        most = {True: 0.0, False: 0.0}
        for _ in range(64):  # of which the first find the number of batches
            made = sim.list_use[0]["constructions"]
            sim.step()
            constructs = sim.list_use[0]["constructions"] > made
            most[constructs] = max(most[constructs], sim.device_use[0]["round_trips"])
        del sim
    return most[True], most[False]


def construction_trips(folder: Path, **_: bool) -> Iterator[Row]:
    """Count the round trips of a step that constructs lists."""
    constructing, _reusing = trips(folder, resident=False)
    yield Row("round trips of a construction step, G3", "<= 2", f"{constructing:.0f}", constructing <= 2)


def resident_trips(folder: Path, **_: bool) -> Iterator[Row]:
    """Count the round trips of steps of particles that stay on the device (G4), the wait for their end among them."""
    constructing, reusing = trips(folder, resident=True)
    figure = f"{constructing:.0f}, reusing {reusing:.0f}"
    yield Row("round trips of a step, G4", "<= 4, reusing 1", figure, constructing <= 4 and reusing <= 1)


Part = Callable[..., Iterator[Row]]
SYSTEMS: dict[str, tuple[Sequence[Part], Callable[[], Iterator[Row]]]] = {
    "remote": (
        [
            bulk,
            idleness,
            predicted,
            reusing_step,
            wire_bytes,
            construction_trips,
            resident_trips,
            killed,
            goals_many.scatter,
            goals_many.held,
            goals_link.shares,
        ],
        lambda: iter(()),
    ),
    "replica_exchange": (goals_replicas.PARTS, goals_replicas.left_out),
    "cosmology": (goals_cosmology.PARTS, goals_cosmology.left_out),
    "sites": (goals_sites.PARTS + goals_site_runs.PARTS, goals_sites.left_out),
}


def measured(system: str, only: str | None, *, quick: bool) -> Iterator[Row]:
    """Measure the goals of a system, or those of one part alone."""
    parts, others = SYSTEMS[system]
    for part in parts:
        if only in (None, part.__name__):
            with tempfile.TemporaryDirectory() as folder:
                yield from part(Path(folder), quick=quick)
    if only is None:
        yield from others()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("system", choices=list(SYSTEMS))
    options.add_argument("--quick", action="store_true")
    options.add_argument("--part", help="the name of a function that measures")
    given = options.parse_args()
    print(f"{about()} Medians of {ROUNDS}.\n\n| what | goal | figure | |\n|---|---|---|---|")
    met = []
    for row in measured(given.system, given.part, quick=given.quick):
        print(row, flush=True)
        met.append(row.met)
    sys.exit(any(each is not True for each in met))


if __name__ == "__main__":
    main()

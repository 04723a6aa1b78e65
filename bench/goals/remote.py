"""Goals of a device of another process: copies, round trips, reusing steps, bytes, and a server that is killed."""

from __future__ import annotations

import signal
import subprocess
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import bare_connections
import links
import many_devices
import numpy as np
from row import Row
from servers import addresses, server

import trellis as tr

ROUNDS = 5
PAUSES = [0, 0.001, 0.005, 0.01, 0.02, 0.05]  # s of idleness


def bulk(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare copies to a device with the same bytes over a bare connection of the same kind."""
    size = (16 if quick else 64) << 20
    for kind, (where, address) in addresses(folder).items():
        with server(folder, *where):
            ratios = []
            for _ in range(ROUNDS):
                bare = bare_connections.rate(kind, folder, size)
                exchanges = (tr._core.Exchange([address], up=size), tr._core.Exchange([address], down=size))
                up, down = (size / median(each.seconds() for _ in range(3)) for each in exchanges)
                ratios.append((up / bare, down / bare, bare))
        up, down, bare = (median(each) for each in zip(*ratios, strict=True))
        figure = f"{up:.2f} up, {down:.2f} down; bare {bare / 1e9:.2f} GB/s"
        yield Row(f"bulk, {kind}", ">= 0.85 of the bare connection", figure, min(up, down) >= 0.85)


def idleness(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the round trip to a device after a pause with the round trip to a busy one.

    A bare connection takes longer after a pause as well, since the processor has done other work meanwhile.
    """
    where, address = addresses(folder)["TLS"]
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
    bare = bare_connections.round_trips(PAUSES, rounds)
    slower, bare_slower = (max(each) / each[0] for each in (trips, bare))
    microseconds, bare_microseconds = (", ".join(f"{1e6 * trip:.0f}" for trip in each) for each in (trips, bare))
    pauses = ", ".join(f"{1e3 * pause:g}" for pause in PAUSES)
    yield Row(f"round trip by TLS after {pauses} ms of idleness", "<= 1.5 of that at once, or as bare TCP",
              f"{slower:.2f} (bare {bare_slower:.2f}); {microseconds} us, bare {bare_microseconds}",
              slower <= max(1.5, bare_slower))  # fmt: skip


def predicted(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare an exchange by loopback with the prediction of the model after `trellis devices --measure`."""
    where, address = addresses(folder)["TLS"]
    with server(folder, *where):
        yield links.prediction("loopback", links.messages(1 << (13 if quick else 16), address))


def simulation(n: int, device: str, spares: Sequence[str] = (), *, compress: bool = False) -> tr.Simulation:
    """Return a sphere of n particles whose lists are reused (method G3)."""
    force = tr.Gravity(theta=0.5, softening=0.02, method="tree", lists="reuse", reuse_steps=8, compress=compress)
    return tr.Simulation(tr.ic.plummer(n, seed=1), [force], 1e-4, device=device, spares=spares)


def reusing_step(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a reusing step on a device behind a Unix socket with one on the same device in this process."""
    n = 1 << (16 if quick else 20)
    where, address = addresses(folder)["Unix socket"]
    with server(folder, *where):
        local, remote = simulation(n, "cpu"), simulation(n, address)
        ratios, use = [], {}
        for sim in (local, remote):
            sim.run(steps=1)
        for _ in range(ROUNDS):
            seconds = []
            for sim in (local, remote):
                while sim.step_count % 8 != 0:
                    sim.step()
                sim.step()
                begin = time.perf_counter()
                sim.run(steps=4)
                seconds.append(time.perf_counter() - begin)
            ratios.append(seconds[1] / seconds[0])
            use = remote.device_use[0]
        del local, remote, sim
    ratio = median(ratios)
    yield Row(
        f"G3 reusing step over a Unix socket, N = {n}", "<= 1.05 of that in this process", f"{ratio:.3f}", ratio <= 1.05
    )
    trips = use["round_trips"]
    yield Row("round trips of a reusing step, G3", "1", f"{trips}", trips == 1)


def wire_bytes(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Count the bytes of a reusing step over a network, cells' rows among them."""
    n = 1 << (16 if quick else 20)
    where, address = addresses(folder)["loopback"]
    with server(folder, *where):
        for packed, compress, goal in (("", False, 14), (", compressed", True, 6)):
            sim = simulation(n, address, compress=compress)
            sim.run(steps=4)
            use = sim.device_use[0]
            del sim
            up, down = use["bytes_up"] / n, use["bytes_down"] / n
            yield Row(f"wire bytes a particle, G3 reusing{packed}", f"<= {goal} up, <= 16 down",
                      f"{up:.1f} up, {down:.1f} down", up <= goal and down <= 16)  # fmt: skip


def killed(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Kill the server in the middle of a step; a spare takes its place."""
    n = 1 << (14 if quick else 17)
    where, address = addresses(folder)["Unix socket"]
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
    figure = f"{seconds:.2f} s, a step {step:.2f} s, {'same' if same else 'other'} bits, devices replaced: {len(noted)}"
    yield Row("server killed in the middle of a step", "<= 1 s and two steps, same bits", figure,
              same and seconds <= 1 + 2 * step)  # fmt: skip


def trips(folder: Path, *, resident: bool) -> tuple[float, float]:
    """Return the most round trips of a construction step and of a reusing step."""
    where, address = addresses(folder)["Unix socket"]
    with server(folder, *where):
        force = tr.Gravity(theta=0.5, softening=0.02, method="tree", lists="reuse", reuse_steps=4)
        sim = tr.Simulation(tr.ic.plummer(1 << 14, seed=1), [force], 1e-4, device=address, resident=resident)
        most = {True: 0.0, False: 0.0}
        for _ in range(64):  # the first steps find the number of batches
            made = sim.list_use[0]["constructions"]
            sim.step()
            constructs = sim.list_use[0]["constructions"] > made
            most[constructs] = max(most[constructs], sim.device_use[0]["round_trips"])
        del sim
    return most[True], most[False]


def construction_trips(folder: Path, **_: bool) -> Iterator[Row]:
    """Count the round trips of a construction step."""
    constructing, _reusing = trips(folder, resident=False)
    yield Row("round trips of a construction step, G3", "<= 2", f"{constructing:.0f}", constructing <= 2)


def resident_trips(folder: Path, **_: bool) -> Iterator[Row]:
    """Count the round trips of steps of particles that stay on the device (G4), the wait for their end among them."""
    constructing, reusing = trips(folder, resident=True)
    figure = f"{constructing:.0f}, reusing {reusing:.0f}"
    yield Row("round trips of a step, G4", "<= 4, reusing 1", figure, constructing <= 4 and reusing <= 1)


def left_out() -> Iterator[Row]:
    """No goal here needs a GPU or a program that is named."""
    yield from ()


PARTS = [
    bulk,
    idleness,
    predicted,
    reusing_step,
    wire_bytes,
    construction_trips,
    resident_trips,
    killed,
    many_devices.scatter,
    many_devices.held,
    links.shares,
]

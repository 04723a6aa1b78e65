"""Goals of replica exchange over very many devices, which servers of this machine rehearse."""

from __future__ import annotations

import os
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import goals_baseline
import numpy as np
from goals_row import Row
from remote_servers import server

import trellis as tr

REPLICAS = 14  # of each device (Oikawa et al.)
A_SERVER = 64  # devices
STEPS = 100  # from exchange to exchange
SECONDS = {256: 2.58e-3, 2048: 33.6e-3}  # of a replica's 100 steps on their GPU, by its atoms
ROUNDS = 5


class Served(NamedTuple):
    """A server, and how its devices are reached by TLS."""

    process: subprocess.Popen[str]
    there: list[str]


@contextmanager
def servers(folder: Path, lent: Iterable[Sequence[str]]) -> Iterator[list[Served]]:
    """Start a server for each list of names of devices."""
    os.environ["TRELLIS_HOME"] = str(folder)
    key = tr._core.fingerprint()
    tr._core.add_key("allowed", "bench", key)
    with ExitStack() as stack:
        started = []
        for names in lent:
            port = goals_baseline.free_port()
            tr._core.add_key("trusted", f"127.0.0.1:{port}", key)
            lends = [word for name in names for word in ("--device", name)]
            process = stack.enter_context(server(folder, "--host", "127.0.0.1", "--port", str(port), *lends))
            started.append(Served(process, [f"trellis://127.0.0.1:{port}/{name}" for name in names]))
        yield started


def of_servers(names: Sequence[str]) -> list[Sequence[str]]:
    """Return the names of devices, so many to a server."""
    return [names[begin : begin + A_SERVER] for begin in range(0, len(names), A_SERVER)]


@contextmanager
def devices(folder: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """Serve devices, so many to a server, and return how they are reached by TLS."""
    with servers(folder, of_servers(names)) as started:
        yield [name for each in started for name in each.there]


def rehearsals(seconds: Sequence[float]) -> list[str]:
    """Return names of devices whose kernels take so long, and whose results are drawn."""
    return [f"rehearsal:{each:.6f}:1#{number}" for number, each in enumerate(seconds)]


def replicas(
    there: list[str],
    scheme: str = "neighbours",
    devices: int | None = None,
    grace: float = 30.0,
    steps: int = STEPS,
) -> tr.ReplicaExchange:
    """Return replicas of one particle each: their size matters to a device that computes alone.

    devices: as many replicas as these have, if it is not `there`. steps: from exchange to exchange.
    """
    particle = tr.ParticleSet(1)
    particle.mass = 1.0
    count = REPLICAS * (devices or len(there))
    bath = tr.Langevin(temperature=1.0, relaxation_time=1.0)
    ensemble = tr.Ensemble([particle] * count, None, timestep=0.01, thermostat=bath, device=there, grace=grace)
    ladder = tr.geometric_temperatures(1.0, 2.0, count)
    return tr.ReplicaExchange(ensemble, ladder, exchange_every=steps, scheme=scheme)  # type: ignore[arg-type]


def seconds_of(calls: int, take: Callable[[int], object]) -> float:
    """Return the seconds of a call, the median of rounds of so many."""
    found = []
    for number in range(ROUNDS + 1):
        begin = time.perf_counter()
        take(calls)
        if number > 0:
            found.append((time.perf_counter() - begin) / calls)
    return median(found)


def calls_of(there: list[str], calls: int) -> dict[bool, float]:
    """Return the seconds of a call that brings the last energies, and of one with potential energies of all steps."""
    exchange = replicas(there)

    def of_each_step(calls: int) -> None:
        for _ in range(calls):
            exchange.ensemble.advance(STEPS, every=1, energies="potential")

    return {False: seconds_of(calls, exchange._core.run), True: seconds_of(calls, of_each_step)}


def efficiencies(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a call of all devices with what the devices themselves take."""
    count = 64 if quick else 1024
    goals = {(2048, False): 0.98, (256, False): 0.9, (2048, True): 0.97, (256, True): 0.8}
    for atoms, own in SECONDS.items():
        seconds = REPLICAS * own
        with devices(folder, rehearsals([seconds] * count)) as there:
            taken = calls_of(there, max(2, round(1.0 / seconds)))
        for of_each_step, each in taken.items():
            goal, share = goals[atoms, of_each_step], seconds / each
            what = f"all {STEPS} potential energies of each" if of_each_step else "last energies"
            yield Row(
                f"efficiency, {count:,} devices of {REPLICAS} replicas, {atoms:,} atoms, {what}",
                f">= {goal}", f"{share:.3f}; {1e3 * (each - seconds):.1f} ms beside {1e3 * seconds:.1f}", share >= goal,
            )  # fmt: skip


def slow_device(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Have one device in a hundred take twice as long, in the asynchronous scheme."""
    count, of_part = 64 if quick else 1024, 0.5 * REPLICAS * SECONDS[2048]
    slow = max(1, round(count / 100))
    own = np.where(np.arange(count) % (count // slow) == 0, 2 * of_part, of_part)
    with devices(folder, rehearsals(own.tolist())) as there:
        exchange = replicas(there, "asynchronous")
        exchange._core.run(2)
        begin = time.perf_counter()
        came = len(exchange._core.run(20)[0])
        seconds = time.perf_counter() - begin
        del exchange
    rate = (0.5 * REPLICAS / own).sum()
    share = came / seconds / rate
    yield Row(
        f"asynchronous, {count:,} devices, one in a hundred twice as slow",
        ">= 0.95 of the sum of their rates", f"{share:.3f}, with the end, where the slow ones are waited for",
        share >= 0.95,
    )  # fmt: skip


def killed_devices(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Kill three devices in a hundred, whose replicas go on elsewhere; each replica takes its own time on a device.

    Its bits are compared, so the servers compute what others only draw: one step, which takes the time of a hundred.
    """
    count, lost, exchanges = (64, 2, 24) if quick else (1024, 30, 150)
    grace, goal = (1.0, 0.85) if quick else (2.0, 0.94)
    names = [f"rehearsal:{SECONDS[2048]:.6f}#{number}" for number in range(count)]
    before: list[float] = []
    with servers(folder, [names[:lost], *of_servers(names[lost:])]) as started:
        exchange = replicas([name for each in started for name in each.there], grace=grace, steps=1)
        exchange.ensemble._core.divide(REPLICAS)
        history = exchange.run(1)
        for _ in range(4):
            begin = time.perf_counter()
            history = history.joined([exchange.run(1)])
            before.append(time.perf_counter() - begin)
        started[0].process.kill()
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that others have taken over
            history = history.joined([exchange.run(exchanges)])
        taken = time.perf_counter() - begin
        del exchange
    here = replicas(["host"], devices=count, steps=1).run(history.exchanges)
    same = np.array_equal(history.state, here.state) and np.array_equal(history.potential, here.potential)
    share = exchanges * median(before) * count / (count - lost) / taken
    yield Row(
        f"{lost} of {count:,} devices of {REPLICAS} replicas killed, 2,048 atoms, {exchanges} exchanges since",
        f"the same bits, >= {goal} of what {count - lost:,} devices can do",
        f"{'the same bits' if same else 'other bits'}, {share:.3f}, with {grace:g} s until they count as lost",
        same and share >= goal,
    )  # fmt: skip


def clients_time(_folder: Path, **_: bool) -> Iterator[Row]:
    """Time what the client decides between two calls, by calls with it and without."""
    count = 1024
    exchange = replicas(rehearsals([0.0] * count))
    advance = exchange.ensemble._core.advance
    taken: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(200):
        for exchanges, take in ((True, lambda: exchange._core.run(1)), (False, lambda: advance(STEPS, STEPS))):
            begin = time.perf_counter()
            take()
            taken[exchanges].append(time.perf_counter() - begin)
    milliseconds = 1e3 * (median(taken[True]) - median(taken[False]))
    figure = f"{milliseconds:.2f} ms"
    yield Row(
        f"the client's time for an exchange of {REPLICAS * count:,} replicas", "<= 0.5 ms", figure, milliseconds <= 0.5
    )


def left_out() -> Iterator[Row]:
    """The goals that need a GPU or a peer."""
    yield Row("a GPU, 256 atoms a system", ">= 2 G atom-steps/s", None, None, "tools/gpu_check.sh prints it")


PARTS = [efficiencies, slow_device, killed_devices, clients_time]

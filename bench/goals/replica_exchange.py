"""Goals of replica exchange over a thousand devices, which servers of this machine emulate."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
from emulated_devices import devices, emulated, names_by_server, servers
from replicas import REPLICAS, SECONDS, STEPS, replicas
from row import Row

ROUNDS = 5


def seconds_of(calls: int, take: Callable[[int], object]) -> float:
    """Return the seconds of a call: the median over rounds of `calls` calls."""
    found = []
    for number in range(ROUNDS + 1):
        begin = time.perf_counter()
        take(calls)
        if number > 0:
            found.append((time.perf_counter() - begin) / calls)
    return median(found)


def calls_of(addresses: list[str], calls: int) -> dict[bool, float]:
    """Return the seconds of a call that returns the last energies, and of one that returns those of all steps."""
    exchange = replicas(addresses)

    def of_each_step(calls: int) -> None:
        for _ in range(calls):
            exchange.ensemble.advance(STEPS, every=1, energies="potential")

    return {False: seconds_of(calls, exchange._core.run), True: seconds_of(calls, of_each_step)}


def efficiencies(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the seconds of a call over all devices with those of one device."""
    count = 64 if quick else 1024
    goals = {(2048, False): 0.98, (256, False): 0.9, (2048, True): 0.97, (256, True): 0.8}
    for atoms, own in SECONDS.items():
        seconds = REPLICAS * own
        with devices(folder, emulated([seconds] * count)) as addresses:
            taken = calls_of(addresses, max(2, round(1.0 / seconds)))
        for of_each_step, each in taken.items():
            goal, share = goals[atoms, of_each_step], seconds / each
            what = f"all {STEPS} potential energies of each" if of_each_step else "last energies"
            yield Row(
                f"efficiency, {count:,} devices of {REPLICAS} replicas, {atoms:,} atoms, {what}",
                f">= {goal}", f"{share:.3f}; {1e3 * (each - seconds):.1f} ms beside {1e3 * seconds:.1f}", share >= goal,
            )  # fmt: skip


def slow_device(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Measure the asynchronous scheme where one device in a hundred takes twice as long."""
    count, each_half = 64 if quick else 1024, 0.5 * REPLICAS * SECONDS[2048]
    slow = max(1, round(count / 100))
    own = np.where(np.arange(count) % (count // slow) == 0, 2 * each_half, each_half)
    with devices(folder, emulated(own.tolist())) as addresses:
        exchange = replicas(addresses, "asynchronous")
        exchange._core.run(2)
        begin = time.perf_counter()
        came = len(exchange._core.run(20)[0])
        seconds = time.perf_counter() - begin
        del exchange
    rate = (0.5 * REPLICAS / own).sum()
    share = came / seconds / rate
    yield Row(
        f"asynchronous, {count:,} devices, one in a hundred twice as slow",
        ">= 0.95 of the sum of their rates", f"{share:.3f}, the wait for the slow ones at the end included",
        share >= 0.95,
    )  # fmt: skip


def killed_devices(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Kill three devices in a hundred, whose replicas go on elsewhere; a device computes its replicas one by one.

    Bits are compared, so these devices compute a step, which takes the time of a hundred, instead of drawing results.
    """
    count, lost, exchanges = (64, 2, 24) if quick else (1024, 30, 150)
    grace, goal = (1.0, 0.85) if quick else (2.0, 0.94)
    names = [f"rehearsal:{SECONDS[2048]:.6f}#{number}" for number in range(count)]
    before: list[float] = []
    with servers(folder, [names[:lost], *names_by_server(names[lost:])]) as started:
        exchange = replicas([name for each in started for name in each.addresses], grace=grace, steps=1)
        exchange.ensemble._core.divide(REPLICAS)
        history = exchange.run(1)
        for _ in range(4):
            begin = time.perf_counter()
            history = history.joined([exchange.run(1)])
            before.append(time.perf_counter() - begin)
        started[0].process.kill()
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that other devices have taken over
            history = history.joined([exchange.run(exchanges)])
        taken = time.perf_counter() - begin
        del exchange
    unbroken = replicas(["host"], devices=count, steps=1).run(history.exchanges)
    same = np.array_equal(history.state, unbroken.state) and np.array_equal(history.potential, unbroken.potential)
    share = exchanges * median(before) * count / (count - lost) / taken
    yield Row(
        f"{lost} of {count:,} devices of {REPLICAS} replicas killed, 2,048 atoms, {exchanges} exchanges since",
        f"the same bits, >= {goal} of the rate of {count - lost:,} devices",
        f"{'the same bits' if same else 'other bits'}, {share:.3f}, the {grace:g} s until they count as lost included",
        same and share >= goal,
    )  # fmt: skip


def clients_time(_folder: Path, **_: bool) -> Iterator[Row]:
    """Time the client's decisions between two calls: calls with exchanges less calls without."""
    count = 1024
    exchange = replicas(emulated([0.0] * count))
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
    """Yield the goals that need a GPU."""
    yield Row("a GPU, 256 atoms a system", ">= 2 G atom-steps/s", None, None, "tools/gpu_check.sh prints it")


PARTS = [efficiencies, slow_device, killed_devices, clients_time]

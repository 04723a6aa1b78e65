"""The model of replica exchange, calibrated at three numbers of devices and compared with measurements at others.

    python bench/goals/replica_model.py [--quick] > table.md

The replicas of Oikawa et al., 14,336 of 256 atoms (--quick: 3,584), are spread over devices that servers of this
machine emulate. Exchanges over three numbers of devices give the client's constants; exchanges over other numbers are
predicted with them: the goal is 10 %. Prints a Markdown table; the exit code is 1 if the goal is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from math import inf
from pathlib import Path

from emulated_devices import devices, emulated
from replicas import REPLICAS, SECONDS, replicas
from servers import about

from trellis.model.replicas import Exchange, ReplicaMachine, calibrated, pipelined
from trellis.model.replicas.machine import Device, Download, Launch, Upload

OWN = SECONDS[256]
GOAL = 0.1
LOOPBACK = ReplicaMachine(
    "this machine",
    device=Device(t_gpu0=OWN),
    upload=Upload(latency=5e-5, bandwidth=1e9),
    download=Download(latency=5e-5, bandwidth=1e9),
    launch=Launch(latency=0),
)
"""TLS over loopback; latencies and bandwidths are small beside the client's time."""


def measured(count: int, total: int) -> float:
    """Return the seconds of an exchange over `count` devices: the fastest of many, since other programs run here."""
    share = total // count
    with tempfile.TemporaryDirectory() as folder, devices(Path(folder), emulated([share * OWN] * count)) as addresses:
        exchange = replicas(addresses, devices=total // REPLICAS)
        exchange._core.run(2)
        fastest = inf
        for _ in range(max(6, round(4.0 / (share * OWN)))):
            begin = time.perf_counter()
            exchange._core.run(1)
            fastest = min(fastest, time.perf_counter() - begin)
        del exchange
    return fastest


def main() -> None:
    """Measure, calibrate and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller numbers")
    quick = parser.parse_args().quick
    total = REPLICAS * (256 if quick else 1024)
    given, asked = ((8, 32, 128), (16, 64, 256)) if quick else ((32, 128, 512), (64, 256, 1024))
    exchange = Exchange(total, 1)
    found = {count: measured(count, total) for count in sorted((*given, *asked))}
    machine = calibrated(LOOPBACK, exchange, {count: found[count] for count in given})
    print(f"{about()} {total:,} replicas of 256 atoms; microseconds of the client: a call and an answer")
    print(f"{1e6 * machine.client.t_call:.1f} each, a replica {1e6 * machine.client.t_replica:.3f}.\n")
    print("| devices | predicted, ms | measured, ms | predicted / measured | |\n|---|---|---|---|---|")
    worst = 0.0
    for count in found:
        predicted = pipelined.t_synchronous(count, exchange, machine)
        ratio = predicted / found[count]
        worst = worst if count in given else max(worst, abs(ratio - 1))
        note = "calibrated with" if count in given else ""
        print(f"| {count:,} | {1e3 * predicted:.1f} | {1e3 * found[count]:.1f} | {ratio:.3f} | {note} |")
    print(f"\nWorst of those not calibrated with: {100 * worst:.1f} %; goal: {100 * GOAL:.0f} %.")
    sys.exit(worst > GOAL)


if __name__ == "__main__":
    main()

"""Goals for a client of thousands of devices: many connections to one server, each by its own loopback address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import bare_connections
from row import Row
from servers import server

import trellis as tr

A_CONNECTION = 8  # devices
CALLS = 64  # in flight for each device
ROUNDS = 5


def addresses(port: int, count: int) -> list[str]:
    """Return `count` addresses of the processor, one for each connection to the server at a port."""
    key = tr._core.fingerprint()
    tr._core.add_key("allowed", "bench", key)
    hosts = [f"127.0.{1 + number // 250}.{1 + number % 250}:{port}" for number in range(count)]
    for host in hosts:
        tr._core.add_key("trusted", host, key)
    return [f"trellis://{host}/cpu" for host in hosts]


def resident_bytes(process: int | str) -> int:
    """Return the resident memory of a process in bytes; 'self': this one."""
    found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return 1024 * int(found[1])


def scatter(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare 1 KiB to each of many devices and back with the same bytes over bare connections."""
    devices, port = 128 if quick else 1024, bare_connections.free_port()
    connections = devices // A_CONNECTION
    with server(folder, "--port", str(port)):
        there = addresses(port, connections)
        exchange = tr._core.Exchange([address for address in there for _ in range(A_CONNECTION)], up=1024, down=1024)
        exchange.seconds()
        ratios = []
        for _ in range(ROUNDS):
            bare = bare_connections.scatter(folder, connections, 1024 * A_CONNECTION)
            ours = median(exchange.seconds() for _ in range(bare_connections.SCATTERS))
            ratios.append((ours / bare, ours / devices, bare / devices))
        del exchange
    ratio, ours, bare = (median(each) for each in zip(*ratios, strict=True))
    figure = f"{ratio:.2f}; {1e6 * ours:.1f} us a device, bare {1e6 * bare:.1f}"
    yield Row(f"1 KiB to each of {devices:,} devices and back, TLS", "<= 1.25 of a bare scatter", figure, ratio <= 1.25)


def held(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Measure the memory of an idle connection on either side while a client holds many devices."""
    devices, port = 512 if quick else 4096, bare_connections.free_port()
    connections = devices // A_CONNECTION
    what, goal = f"devices that a client holds, {A_CONNECTION} a connection", f">= {devices:,}, <= 256 KiB a connection"
    with server(folder, "--port", str(port)) as process:
        there = addresses(port, connections)
        first = tr._core.Exchange([there[0]])  # so that memory needed once is not counted
        before = resident_bytes("self"), resident_bytes(process.pid)
        try:
            exchange = tr._core.Exchange([address for address in there for _ in range(A_CONNECTION)], launches=CALLS)
        except (RuntimeError, ValueError) as error:
            return (yield Row(what, goal, f"not {devices:,}: {error}", reached=False))
        after = resident_bytes("self"), resident_bytes(process.pid)
        exchange.seconds()
        del exchange, first
    client, served = ((late - early) / connections / 1024 for early, late in zip(before, after, strict=True))
    figure = f"{devices:,} with {CALLS} calls each; {client:.0f} KiB a connection here, {served:.0f} at the server"
    yield Row(what, goal, figure, max(client, served) <= 256)

"""Processes of this machine that are sites of a run."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable

RUN = """
[ic]
model = "plummer"
particles = 300
[gravity]
softening = 0.05
[run]
until = 0.1
timestep = 0.01
output = "out"
snapshot_every = 0.05
checkpoint_every = 0
[sites]
ring = [{ring}]
"""

Sites = Callable[..., list["subprocess.Popen[str]"]]


def free_ports(count: int) -> list[int]:
    """Ports that no other program has just now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def ended(running: list[subprocess.Popen[str]]) -> list[tuple[int, str]]:
    """Wait for all sites; exit code and output of each."""
    found = []
    for each in running:
        try:
            out, err = each.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            for other in running:
                other.kill()
            raise
        found.append((each.returncode, out + err))
    return found

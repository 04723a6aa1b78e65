"""Processes of this machine that are sites of a run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from trellis import _core

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


def trusted_names(count: int) -> list[str]:
    """Names of as many sites of this machine, which trust its key."""
    names = [f"127.0.0.1:{port}" for port in free_ports(count)]
    own = _core.fingerprint()
    for name in names:
        _core.add_key("trusted", name, own)
    return names


def start_sites(tmp_path: Path, count: int) -> Sites:
    """Make a parameter file for `count` sites; the result starts them, each in a folder of its own."""
    names = trusted_names(count)
    file = tmp_path / "run.toml"

    def given(option: str) -> str:
        for site, name in enumerate(names):
            option = option.replace(f"SITE{site}", name)
        return option

    def sites(
        *options: str,
        of: list[int] | None = None,
        own: dict[int, list[str]] | None = None,
        text: str = RUN,
    ) -> list[subprocess.Popen[str]]:
        which = list(range(count)) if of is None else of
        ring = [names[site] for site in which]
        file.write_text(text.format(ring=", ".join(f'"{name}"' for name in ring)))
        running = []
        for site in which:
            folder = tmp_path / f"site{site}"
            folder.mkdir(exist_ok=True)
            more = [*(own or {}).get(site, []), *(given(option) for option in options)]
            running.append(begun_in(folder, "run", str(file), "--site", names[site], "--wait", "60s", *more))
        return running

    return sites


def begun_in(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Begin a command of ``trellis`` in a folder, on one thread."""
    return python_in(folder, "-m", "trellis", *words)


def python_in(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Begin Python with these options in a folder, on one thread."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


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

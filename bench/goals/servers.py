"""Servers on this machine, and the addresses of their devices, for goals of devices of other processes."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import bare_connections

import trellis as tr


def about() -> str:
    """Return the machine and the commit, for the line above a table."""
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    info = tr.info()
    processor = platform.processor() or platform.machine()
    machine = f"{processor}, {os.cpu_count()} cores, {info['threads']} threads, SIMD {info['SIMD']}"
    return f"{machine}, {info['network']}. Commit {commit}."


@contextmanager
def server(folder: Path, *where: str, prefix: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """Run a server whose keys lie in the folder and trust themselves; prefix: words before its command."""
    os.environ["TRELLIS_HOME"] = str(folder)
    command = [*prefix, sys.executable, "-m", "trellis", "serve", *where]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("event=serving" in line for line in process.stderr), f"the server has ended with {process.wait()}"
        rest = Thread(target=process.stderr.read, daemon=True)  # a full pipe would stop the server
        rest.start()
        try:
            yield process
        finally:
            process.kill()
            rest.join()


def addresses(folder: Path) -> dict[str, tuple[list[str], str]]:
    """Return for each kind of connection the arguments of a server and the address of its processor."""
    os.environ["TRELLIS_HOME"] = str(folder)
    key = tr._core.fingerprint()
    tr._core.add_key("allowed", "bench", key)
    port = bare_connections.free_port()
    tr._core.add_key("trusted", f"127.0.0.1:{port}", key)
    return {
        "Unix socket": (["--unix", f"{folder}/socket"], f"unix:{folder}/socket/cpu"),
        "loopback": (["--plain", str(port)], f"plain://127.0.0.1:{port}/cpu"),
        "TLS": (["--host", "127.0.0.1", "--port", str(port)], f"trellis://127.0.0.1:{port}/cpu"),
    }

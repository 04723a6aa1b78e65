"""Emulated devices that servers of this machine lend: their kernels take a given time and may draw their results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import Popen
from typing import NamedTuple

import bare_connections
from servers import server

import trellis as tr

A_SERVER = 64  # devices


class Served(NamedTuple):
    """A server, and the TLS addresses of its devices.

    Attributes
    ----------
    process : Popen
        The server.
    addresses : list of str
        Those of its devices.
    """

    process: Popen[str]
    addresses: list[str]


@contextmanager
def servers(folder: Path, lent: Iterable[Sequence[str]]) -> Iterator[list[Served]]:
    """Start a server for each list of names of devices in `lent`."""
    os.environ["TRELLIS_HOME"] = str(folder)
    key = tr._core.fingerprint()
    tr._core.add_key("allowed", "bench", key)
    with ExitStack() as stack:
        started = []
        for names in lent:
            port = bare_connections.free_port()
            tr._core.add_key("trusted", f"127.0.0.1:{port}", key)
            lends = [word for name in names for word in ("--device", name)]
            process = stack.enter_context(server(folder, "--host", "127.0.0.1", "--port", str(port), *lends))
            started.append(Served(process, [f"trellis://127.0.0.1:{port}/{name}" for name in names]))
        yield started


def names_by_server(names: Sequence[str]) -> list[Sequence[str]]:
    """Return the names of devices in parts of `A_SERVER`."""
    return [names[begin : begin + A_SERVER] for begin in range(0, len(names), A_SERVER)]


@contextmanager
def devices(folder: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """Serve devices, `A_SERVER` to a server, and yield their TLS addresses."""
    with servers(folder, names_by_server(names)) as started:
        yield [name for each in started for name in each.addresses]


def emulated(seconds: Sequence[float]) -> list[str]:
    """Return names of devices whose kernels take these seconds and draw their results at random."""
    return [f"rehearsal:{each:.6f}:1#{number}" for number, each in enumerate(seconds)]

"""``trellis serve``: lend this machine's devices to other machines."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from trellis import _core
from trellis.cli.messages import say
from trellis.cli.served_clients import ServerLog
from trellis.errors import InputError, writing
from trellis.paths import from_home

USUAL_PORT = 7735


def serve(
    device: Annotated[
        list[str] | None,
        typer.Option(help="A device to lend, or several as in cpu*64; may be repeated. By default all."),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(help="Bytes of each device to lend. By default all of a GPU's, half of this machine's.", min=1),
    ] = None,
    kernels: Annotated[
        list[Path] | None,
        typer.Option(help="A library with interactions of your own (TRELLIS_PROVIDE_KERNELS); may be repeated."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address of this machine at which to listen.")] = "0.0.0.0",
    port: Annotated[int, typer.Option(help="The port at which to listen, with TLS; 0: any.")] = USUAL_PORT,
    port_file: Annotated[
        Path | None, typer.Option(help="A file into which host and port are written once clients may come.")
    ] = None,
    unix_socket: Annotated[
        str | None, typer.Option("--unix", help="Listen on a Unix socket of this path instead: for this user alone.")
    ] = None,
    plain: Annotated[
        int | None, typer.Option(help="Listen on this port of 127.0.0.1 instead, without TLS: for all users here.")
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Serve one client over standard input and output, as ssh:// does.")
    ] = False,
) -> None:
    """Lend this machine's devices to others, until a signal ends it.

    Who may come is said by `trellis keys allow`; over a Unix socket and ssh, this user may. Each event is a line of the
    log; on a terminal a table below it shows the clients and what they have, and lines say who comes and goes.
    """
    if stdio and sys.stdin.isatty():
        raise InputError("standard input is a terminal: --stdio is for a client such as ssh://HOST/cpu")
    if unix_socket == "":
        raise InputError("--unix is empty: allowed is the path of a new socket")
    _note_open_libraries(kernels or [])
    with_tls = not (stdio or unix_socket is not None or plain is not None)

    log = ServerLog()
    with log.shown():
        _core.serve(
            devices=device or [],
            memory=memory,
            kernels=[str(from_home(path)) for path in kernels or []],
            tls=(host, port) if with_tls else None,
            plain_port=plain,
            unix_socket=unix_socket,
            stdio=stdio,
            started=partial(_started, log, port_file, unix_socket),
            log=log.write,
        )


def _started(log: ServerLog, port_file: Path | None, unix_socket: str | None, ports: Mapping[str, int]) -> None:
    """Say at which ports and socket clients may come, whose numbers are now known."""
    if "tls" in ports:
        _say_how_to_come(ports["tls"])
    if port_file is not None:
        _write_port(port_file, ports)
    log.write("serving", [*((name, str(number)) for name, number in ports.items()), ("unix", unix_socket or "none")])


def _note_open_libraries(kernels: Sequence[Path]) -> None:
    """Print a note for each library of kernels that others can change, since the server runs what is in it."""
    for library in kernels:
        for path in (library, from_home(library).resolve().parent):
            with suppress(OSError):
                state = from_home(path).stat()
                if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or state.st_uid not in (os.geteuid(), 0):
                    say("note", f"{path} can be written by others: they can change what this server runs")


def _say_how_to_come(port: int) -> None:
    """Print the lines that a client needs."""
    name = socket.gethostname()
    host = name if port == USUAL_PORT else f"{name}:{port}"
    print(f"the key of this machine: {_core.fingerprint()}", file=sys.stderr)
    print(f"a client runs once:      trellis keys trust {host} {_core.fingerprint()}", file=sys.stderr)
    print("and here, for its key:   trellis keys allow [NAME] FINGERPRINT", file=sys.stderr)
    print(f"its devices are then:    trellis devices trellis://{host}", file=sys.stderr, flush=True)


def _write_port(path: Path, ports: Mapping[str, int]) -> None:
    """Write host and port of the server into a file, which appears complete."""
    number = ports.get("tls", ports.get("plain", 0))
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with writing(path):
        draft.write_text(f"{socket.gethostname()}:{number}\n")
        draft.replace(path)

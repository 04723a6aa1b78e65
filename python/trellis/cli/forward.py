"""``trellis forward``: pass the connections between sites on where there is no direct way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from trellis import _core
from trellis.cli.messages import log_line
from trellis.errors import InputError


def forward(
    listen: Annotated[str, typer.Option(help="PORT, or HOST:PORT of this machine, at which to listen; port 0: any.")],
    to: Annotated[str, typer.Option(help="HOST:PORT of the site, or of the next forwarder.")],
    connections: Annotated[int, typer.Option(help="The most connections at once.", min=1)] = 256,
) -> None:
    """Pass connections on to a site that has no direct way in, until a signal ends it.

    What passes is encrypted between the sites: the forwarder has no key, and sees no contents. Each event is a line of
    the log on standard error.
    """
    host, _, port = listen.rpartition(":")
    if not port.isdecimal():
        raise InputError(f"--listen is '{listen}': allowed is PORT or HOST:PORT")

    def log(event: str, facts: Sequence[tuple[str, str]]) -> None:
        print(log_line(event, facts), file=sys.stderr, flush=True)

    _core.forward(
        host=host.strip("[]") or "0.0.0.0",
        port=int(port),
        to=to,
        connections=connections,
        started=lambda got: log("forwarding", [("port", str(got)), ("to", to)]),
        log=log,
    )

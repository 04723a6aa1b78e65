"""Asks the command server for commands: ``python command_client.py SERVER ARGUMENT...`` is ``trellis ARGUMENT...``.

It imports little, since its own start counts.
"""

from __future__ import annotations

import json
import os
import socket
import sys


def begin(server: str, outputs: list[int], **request: object) -> socket.socket:
    """Have a command begin, by `command_server.become`; its exit code comes when it has ended."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(server)
    socket.send_fds(connection, [json.dumps(request).encode()], outputs)
    return connection


if __name__ == "__main__":
    server, *arguments = sys.argv[1:]
    where = {"folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    with begin(server, [1, 2], arguments=arguments, **where, largest_file=-1, pixels=False) as connection:
        sys.exit(int(connection.recv(16)))

"""The log of a server and, on a terminal, a table of its clients, which is made of the events of the log."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from trellis.cli.messages import log_line


@dataclass
class Client:
    """A session: its user and address, the devices that it has opened with the bytes used of each, and its state."""

    who: str
    peer: str
    state: str = "connected"
    devices: list[tuple[str, int]] = field(default_factory=list)


class ServedClients:
    """The open sessions."""

    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}

    def note(self, event: str, facts: Mapping[str, str]) -> bool:
        """Take note of an event; return whether the table shows all of it, not a key or why a client goes."""
        session = facts.get("session", "")
        if event == "opened":
            self._clients[session] = Client(facts["client"], facts["peer"])
        elif event == "closed":
            self._clients.pop(session, None)
        elif session in self._clients:
            client = self._clients[session]
            if event == "resumed":
                client.peer, client.state = facts["peer"], "connected"
            elif event == "waiting":
                client.state = f"waited for ({facts['why']})"
            elif event == "lent":
                client.devices.append((facts["device"], int(facts["memory"])))
            elif event == "returned":
                client.devices.remove((facts["device"], int(facts["memory"])))
        return event in ("lent", "returned", "waiting")

    def table(self) -> Table:
        """Return the table, a row each."""
        count = len(self._clients)
        title = f"{count or 'no'} client{'' if count == 1 else 's'}"
        table = Table("session", "client", "from", "devices", "memory", "", title=title, box=None, title_justify="left")
        for session, client in list(self._clients.items()):
            memory = sum(size for _, size in client.devices) / 2**30
            names = ", ".join(name for name, _ in client.devices) or "none"
            cells = (session, client.who, client.peer, names, f"{memory:.1f} GiB", client.state)
            table.add_row(*map(Text, cells))  # a client calls itself what it likes, [/] too
        return table


class ServerLog:
    """The log of a server, on standard error; on a terminal, a table below it shows who is there."""

    def __init__(self) -> None:
        self._clients = ServedClients()
        self._console = Console(stderr=True, force_terminal=sys.stderr.isatty())
        self._shows_table = self._console.is_terminal and not self._console.is_dumb_terminal

    def shown(self) -> AbstractContextManager[object]:
        """Return a context in which the table, if there is one, is shown."""
        return Live(get_renderable=self._clients.table, console=self._console) if self._shows_table else nullcontext()

    def write(self, event: str, facts: Sequence[tuple[str, str]]) -> None:
        """Write a line, unless the table shows all of it."""
        if not (self._clients.note(event, dict(facts)) and self._shows_table):
            print(log_line(event, facts), file=sys.stderr, flush=True)

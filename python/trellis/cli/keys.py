"""``trellis keys``: which servers this user trusts, and which clients may come."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from trellis import _core
from trellis.errors import InputError

keys = typer.Typer(help="Show and change whose keys are trusted and allowed.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(help="A name without spaces.")]
Fingerprint = Annotated[str, typer.Argument(help="sha256: and 43 characters, as `trellis keys` shows it there.")]


@keys.callback()
def show(context: typer.Context) -> None:
    """Show the key of this user on this machine, and all that are known."""
    if context.invoked_subcommand is not None:
        return
    console = Console(soft_wrap=True)
    console.print(f"this user's key: {_core.fingerprint()}", highlight=False)
    table = Table("", Column("name", overflow="fold"), Column("fingerprint", no_wrap=True), box=None)
    for list_name, meaning in (("trusted", "server"), ("allowed", "client")):
        for name, fingerprint in _core.known_keys(list_name):
            table.add_row(meaning, Text(name), fingerprint)
    if table.row_count:
        console.print(table)


@keys.command()
def trust(
    host: Annotated[str, typer.Argument(help="The server, HOST or HOST:PORT, as in its devices' addresses.")],
    fingerprint: Fingerprint,
) -> None:
    """Trust the key that a server has shown when it was started."""
    _core.add_key("trusted", host, fingerprint)


@keys.command()
def allow(
    name: Annotated[str, typer.Argument(help="A name without spaces; left out, the key's first letters.")],
    fingerprint: Annotated[str | None, typer.Argument(help="As `trellis keys` shows it there.")] = None,
) -> None:
    """Let the client with this key use the devices that `trellis serve` lends here."""
    if fingerprint is None:
        name, fingerprint = name.removeprefix("sha256:")[:8], name
    _core.add_key("allowed", name, fingerprint)


@keys.command()
def remove(which: Annotated[str, typer.Argument(help="A name or fingerprint.")]) -> None:
    """Trust and allow a key no longer; sessions that are open go on."""
    if _core.remove_key("trusted", which) + _core.remove_key("allowed", which) == 0:
        raise InputError(f"no key has the name or fingerprint '{which}': `trellis keys` shows those that are known")

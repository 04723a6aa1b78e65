"""``trellis sites``: what the links between sites reach, and files that go over them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from trellis import _core
from trellis.cli.output import Overwrite
from trellis.cli.sites import join_ring
from trellis.config import load
from trellis.errors import InputError
from trellis.parallel import world
from trellis.parallel.sites import leave_sites
from trellis.run.site_links import Rates, best_ring, copy_file, measure_links, relays

sites = typer.Typer(help="Measure the links between sites, and copy files over them.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="Parameter file with the section [sites].")]
Site = Annotated[str, typer.Option(metavar="HOST[:PORT]", help="Which one of sites.ring this is.")]
Wait = Annotated[str, typer.Option(metavar="TIME", help="How long to wait for the other sites: 90s, 30m, 2h.")]


@sites.command()
def check(file: File, site: Site, wait: Wait = "10m") -> None:
    """Measure round trip and rate of all pairs, and propose an order of the ring; started at all sites."""
    ring = _join(file, site, wait)
    rates = measure_links()
    console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    table = Table("from", "to", "round trip", "Mbit/s", box=None)
    for (a, b), link in sorted(rates.items()):
        cells = (ring[a], ring[b], f"{1e3 * link.round_trip:.1f} ms", f"{8e-6 * link.rate:.0f}")
        table.add_row(*map(Text, cells))
    console.print(table)
    _propose(console, ring, rates)
    leave_sites()


@sites.command()
def cp(
    file: File,
    path: Annotated[Path, typer.Argument(help="The file to copy, seen from the folder in which each site starts.")],
    site: Site,
    source: Annotated[str, typer.Option("--from", metavar="HOST[:PORT]", help="The site that has it.")],
    wait: Wait = "10m",
    overwrite: Overwrite = False,
) -> None:
    """Copy a file of one site to all others, over the links of a run; started at all sites."""
    ring = _join(file, site, wait)
    size = copy_file(path, _core.site_named(ring, source), overwrite=overwrite)
    Console(soft_wrap=True, highlight=False, markup=False).print(f"'{path}', {size / 1e6:.1f} MB, is at all sites.")
    leave_sites()


def _join(file: Path, site: str, wait: str) -> list[str]:
    world.check_launch()
    found = load(file).sites
    if found is None:
        raise InputError(f"'{file}' has no section [sites] with the ring")
    join_ring(found, site, wait)
    return list(found.ring)


def _propose(console: Console, ring: list[str], rates: Rates) -> None:
    best = [ring[site] for site in best_ring(len(ring), rates)]
    if best == ring:
        console.print("The ring is in its best order.")
    else:
        names = ", ".join(f'"{name}"' for name in best)
        console.print(f"Better: ring = [{names}]")
    for (a, b), c in relays(len(ring), rates).items():
        faster = min(rates[a, c].rate, rates[c, b].rate) / rates[a, b].rate
        console.print(f"{ring[a]} would reach {ring[b]} {faster:.1f} times as fast by way of {ring[c]}:")
        console.print(f'[sites.link."{ring[a]}-{ring[b]}"]\nrelay = "{ring[c]}"')

"""The section of a run over several sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from trellis import _core
from trellis.config.parameters import Parameters, parameter
from trellis.errors import InputError
from trellis.parallel.sites import LinkGiven


class LinkParameters(Parameters):
    """What a user says of one link; what is not given is found from its measured round trip and rate."""

    streams: int | None = parameter(None, "connections at once, over which messages are spread", ge=1, le=64)
    chunk: int | None = parameter(
        None, "bytes of a message that travel as one; if not given, 262144", unit="bytes", ge=4096, le=4 << 20
    )
    pacing: float | None = parameter(
        None, "what all streams together send at most, each way; 0: no limit", unit="Mbit/s", ge=0
    )
    via: str | None = parameter(
        None,
        "HOST:PORT of a forwarder that leads to the site which is earlier in the ring: the later one connects there",
        min_length=1,
    )

    relay: str | None = parameter(None, "a third site, which passes on what these two send to each other", min_length=1)

    def of_link(self) -> LinkGiven:
        """Return the same in bytes a second, for world.join_sites."""
        bytes_a_second = None if self.pacing is None else round(self.pacing * 1e6 / 8)
        return self.streams, self.chunk, bytes_a_second, self.via or ""


class SitesParameters(Parameters):
    """Which machines share the run."""

    ring: Sequence[str] = parameter(
        ..., "the sites, in their order: HOST:PORT of each, at which its first rank listens", min_length=2
    )
    speeds: Sequence[float] | Literal["measured"] = parameter(
        [],
        "how fast a rank of each site is, compared with the others; if not given, all are equally fast",
        allowed="list of numbers, or `measured`: by the first forces",
    )
    grace: float = parameter(
        120.0, "how long a site may be silent before it counts as dead", unit="seconds", ge=1, le=3600
    )
    snapshots: Literal["gathered", "each"] = parameter(
        "gathered",
        "where they are written: gathered at the first site, or at each its own particles, as files of one snapshot",
    )
    link: Mapping[str, LinkParameters] = parameter(
        {},
        "links that a user has settings for",
        allowed='[sites.link."A-B"] with two of the ring, see below',
    )


def links_given(sites: SitesParameters, site: int) -> dict[int, LinkGiven]:
    """Return what is given of the links of a site, by the number of the other one, for world.join_sites."""
    pairs = {link_named(sites.ring, name, "sites.link"): given for name, given in sites.link.items()}
    return {sum(pair) - site: given.of_link() for pair, given in pairs.items() if site in pair}


def relays_given(sites: SitesParameters, site: int) -> dict[int, int]:
    """Return the sites that a site reaches by way of a third one, and that one, for world.join_sites."""
    relays = relays_of(sites, "sites.link")
    return {sum(pair) - site: third for pair, third in relays.items() if site in pair}


def relays_of(sites: SitesParameters, source: str) -> dict[tuple[int, int], int]:
    """Return the third site by way of which two sites reach each other, by the numbers of the two."""
    pairs = {name: link_named(sites.ring, name, source) for name in sites.link}
    return {
        pairs[name]: _core.site_named(list(sites.ring), given.relay)
        for name, given in sites.link.items()
        if given.relay is not None
    }


def link_named(ring: Sequence[str], name: str, source: str) -> tuple[int, int]:
    """Return the numbers of the two sites of a link, the lower first; names of hosts may have dashes as well."""
    words = name.split("-")
    for k in range(1, len(words)):
        try:
            pair = sorted(_core.site_named(list(ring), "-".join(each)) for each in (words[:k], words[k:]))
        except InputError:
            continue
        if pair[0] != pair[1]:
            return pair[0], pair[1]
    raise InputError(
        f"{source}: there is no link 'sites.link.\"{name}\"': its name must be those of two sites of the ring with a"
        f' dash between them, such as "{ring[0]}-{ring[1]}"'
    )

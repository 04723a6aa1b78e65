"""Machines of the model of SUSHI: cores of supercomputers, the networks inside them and between them, and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from trellis.config import Parameters
from trellis.config.parameters import parameter
from trellis.model.machine_file import cited, find_machine, sections_of

MIB = 2**20
FITTED = "table 6, lost from the text: fitted to tables 7 and 8"
ROUND = "table 10, lost from the text: as table 5"


class Cores(Parameters):
    """What a core takes, the mean of a run's cores, and what the slowest site takes for the transform."""

    tau_tree: float = cited(5.4e-9, "time of one interaction", ROUND, "s")
    tau_fft: float = cited(5.1e-9, "time of one operation of the Fourier transform", ROUND, "s")
    tau_mesh: float = cited(5.8e-7, "time of the mesh operations of a particle", ROUND, "s")


class LocalNetwork(Parameters):
    """The network inside a site."""

    latency: float = cited(9e-5, "lambda_lan, round-trip time", FITTED, "s", ge=0)
    bandwidth: float = cited(550.0 * MIB, "sigma_lan, transfer rate", FITTED, "byte/s")


class WideNetwork(Parameters):
    """The network between sites."""

    latency: float = cited(0.3, "lambda_wan, round-trip time between neighbours", "section 5", "s", ge=0)
    bandwidth: float = cited(400e6, "sigma_wan, transfer rate", "section 5", "byte/s")
    shared: bool = parameter(
        False, "whether all sites use one line, as those of a star do, not a link for each pair of neighbours (ours)"
    )


class Exchange(Parameters):
    """What a step of this project sends between sites."""

    round_trips: float = cited(1.0625, "round trips of a step, one after another", "ours, counted", ge=0)
    hidden: float = cited(1.0, "those of them that go behind the force", "ours, counted", ge=0)
    behind: float = cited(0.9, "share of the force that needs nothing of other sites", "ours, assumed", ge=0, le=1)
    theta: float = cited(0.7, "opening angle between sites, with moments of higher order", "ours, assumed")
    b_entry: float = cited(
        6, "compressed size of a particle or cell", "ours, fitted to 2 x 64^3 particles in clusters", "byte", ge=0
    )
    b_moments: float = cited(4096, "moments of a site's root, and its part of the cuts", "ours, assumed", "byte", ge=0)


SECTIONS: dict[str, type[Parameters]] = {
    "cores": Cores,
    "lan": LocalNetwork,
    "wan": WideNetwork,
    "exchange": Exchange,
}


@dataclass(frozen=True)
class SiteMachine:
    """Sites of equal speed; all that is not given is that of the global grid of section 5."""

    name: str
    cores: Cores = field(default_factory=Cores)
    lan: LocalNetwork = field(default_factory=LocalNetwork)
    wan: WideNetwork = field(default_factory=WideNetwork)
    exchange: Exchange = field(default_factory=Exchange)


class Site(NamedTuple):
    """A column of table 2 or 5: seconds of an interaction, an operation of the transform, a particle on the mesh."""

    tau_tree: float
    tau_fft: float
    tau_mesh: float


DAS_3 = {
    "VU": Site(5.9e-9, 5.0e-9, 2.4e-6),
    "UvA": Site(6.4e-9, 5.0e-9, 2.4e-6),
    "LIACS": Site(5.4e-9, 5.7e-9, 2.4e-6),
    "TU": Site(5.9e-9, 5.0e-9, 1.9e-6),
    "MM": Site(5.9e-9, 5.0e-9, 2.4e-6),
}
"""Table 2, in the order in which sites join."""

GBBP = {
    "A": Site(5.4e-9, 5.1e-9, 5.8e-7),
    "H": Site(3.9e-9, 3.4e-9, 7.8e-7),
    "E": Site(4.0e-9, 3.4e-9, 7.8e-7),
    "T": Site(4.3e-9, 3.4e-9, 7.8e-7),
}
"""Table 5: Amsterdam (Huygens), Espoo near Helsinki (Louhi), Edinburgh (HECToR), Tokyo (CFCA)."""

DAS_3_LAN = LocalNetwork(latency=1.47e-4, bandwidth=100 * MIB)
DAS_3_WAN = WideNetwork(latency=3e-3, bandwidth=50 * MIB, shared=True)
GBBP_WAN = WideNetwork(latency=0.279, bandwidth=50 * MIB)

BUILT_IN = {
    machine.name: machine
    for machine in (
        SiteMachine("global-grid"),
        SiteMachine("medium-range-grid", wan=WideNetwork(latency=0.03)),
        SiteMachine("das-3", Cores(tau_tree=5.9e-9, tau_fft=5.7e-9, tau_mesh=2.4e-6), lan=DAS_3_LAN, wan=DAS_3_WAN),
        SiteMachine("gbbp", Cores(tau_tree=4.4e-9, tau_fft=5.1e-9, tau_mesh=7.3e-7), wan=GBBP_WAN),
    )
}


def cores_of(sites: Sequence[Site], shares: Sequence[float] | None = None) -> Cores:
    """Return the cores of a run over several sites.

    Tables 3, 4, 7 and 8 follow from the mean over sites of tau_tree and tau_mesh, and from the largest tau_fft, since
    each site makes the whole transform by itself.

    Parameters
    ----------
    sites : sequence of Site
        The sites.
    shares : sequence of float or None
        What part of all cores each has; all the same if None.
    """
    weights = shares or [1 / len(sites)] * len(sites)
    return Cores(
        tau_tree=sum(w * site.tau_tree for w, site in zip(weights, sites, strict=True)),
        tau_fft=max(site.tau_fft for site in sites),
        tau_mesh=sum(w * site.tau_mesh for w, site in zip(weights, sites, strict=True)),
    )


def with_network(machine: SiteMachine, latency: float | None, bandwidth: float | None) -> SiteMachine:
    """Return the machine with another network between sites: seconds of a round trip, bytes a second."""
    new: Mapping[str, float | None] = {"latency": latency, "bandwidth": bandwidth}
    return replace(machine, wan=machine.wan.model_copy(update={k: v for k, v in new.items() if v is not None}))


def find_site_machine(name: str) -> SiteMachine:
    """Return the built-in machine of that name, or the one that the file of that name describes.

    Raises
    ------
    ValueError
        With one sentence: there is neither, or what is wrong with the file.
    """
    return find_machine(name, BUILT_IN, load_site_machine)


def load_site_machine(path: Path) -> SiteMachine:
    """Read a TOML file with any of `SECTIONS`."""
    sections: dict[str, Any] = sections_of(path, SECTIONS)
    return SiteMachine(path.stem, **sections)

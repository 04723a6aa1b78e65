"""Machines of the model of SUSHI: cores of supercomputers, networks inside them and between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from trellis.config import Parameters
from trellis.config.parameters import parameter
from trellis.model.machine_file import Machines, cited

MIB = 2**20
FITTED = "table 6, lost from the text: fitted to tables 7 and 8"
ROUND = "table 10, lost from the text: as table 5"


class Cores(Parameters):
    """Seconds of a core: the mean of a run's cores, but for the transform those of the slowest site."""

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
    """Messages of a step of this project between sites."""

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

MACHINES = Machines(SiteMachine, SECTIONS, BUILT_IN)
"""Built in or from a file with any of `SECTIONS`."""

find_site_machine, symbols = MACHINES.find, MACHINES.symbols

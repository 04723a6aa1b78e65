"""Machines of the model of a remote device: a GRAPE, its slave, the network and the master."""

from __future__ import annotations

from dataclasses import dataclass, field

from trellis.config import Parameters
from trellis.model.machine_file import Machines, cited

BUS_BYTES = 16  # bytes a neighbour over the bus: two buffers, each read twice, words of 4 bytes (before equation 11)
VME = 3.5e6  # byte/s (equation 11)


def a_6(b_SPEC: float) -> float:
    """Equation (12): seconds in which a slave of that SPECint92 enters a neighbour into the list of a particle.

    This is a_5 + a_6 as the paper fits it to two machines, without the a_5 of equation (11). It is above 0, and the
    fit holds, for a b_SPEC below 57.
    """
    return 1.9e-5 - 2.5e-7 * b_SPEC - BUS_BYTES / VME


class Grape(Parameters):
    """The accelerator, and the bus between it and the slave."""

    N_chip: float = cited(40, "chips that work at once, eight on a board", "equation 5")
    t_pair: float = cited(5.0e-8, "time of a pair on a chip, a clock period of 20 MHz", "equation 5", "s")
    r_BUS: float = cited(VME, "transfer rate of the bus from which neighbours are read", "equation 11", "byte/s")


class Slave(Parameters):
    """The machine to which the accelerator is connected."""

    a_2: float = cited(2.0e-5, "time to transfer a particle and its force over the bus", "equation 5", "s", ge=0)
    a_3: float = cited(4.0e-5, "time for all else that the slave does for a particle", "equation 5", "s", ge=0)
    a_6: float = cited(a_6(26.4), "time to enter a neighbour into a list", "equation 12 for SPECint92 26.4", "s", ge=0)
    slowness: float = cited(20, "time of the gas on the slave over that on the master", "section 4.1")


class Transfer(Parameters):
    """Messages one way: S bytes take latency + S / bandwidth."""

    latency: float = cited(0, "time of an empty message", "equation 3 has none", "s", ge=0)
    bandwidth: float = cited(571e3, "transfer rate r_LAN", "equation 16: 80 bytes in 1.4e-4 s", "byte/s")


class Launch(Parameters):
    """The call by which the device begins."""

    latency: float = cited(0, "time from the call until the device begins", "equation 3 has none", "s", ge=0)


class Messages(Parameters):
    """Bytes over the network."""

    b_up: float = cited(16, "size of a particle that is sent: position, mass", "before equation 6", "byte")
    b_down: float = cited(16, "size of a result that comes back: force, potential", "before equation 6", "byte")
    b_neighbour: float = cited(2, "size of an entry of the neighbour lists", "equation 13", "byte")


class Master(Parameters):
    """The machine on which the main program runs."""

    t_SPH: float = cited(1.2e-4, "time of the gas, a particle", "table 3", "s", ge=0)
    t_misc: float = cited(4.0e-6, "time of all else but forces, a particle", "table 3", "s", ge=0)
    t_search: float = cited(2.0e-4, "time to find neighbours by a tree, a particle", "section 4.2.1", "s", ge=0)
    widening: float = cited(
        1, "neighbours of case PS-RGN over those of other cases", "section 4.2.2 has no number", ge=1
    )


SECTIONS: dict[str, type[Parameters]] = {
    "grape": Grape,
    "slave": Slave,
    "upload": Transfer,
    "download": Transfer,
    "launch": Launch,
    "messages": Messages,
    "master": Master,
}


@dataclass(frozen=True)
class RemoteMachine:
    """A master, a network, and a slave with its accelerator; all that is not given is the paper's."""

    name: str
    grape: Grape = field(default_factory=Grape)
    slave: Slave = field(default_factory=Slave)
    upload: Transfer = field(default_factory=Transfer)
    download: Transfer = field(default_factory=Transfer)
    launch: Launch = field(default_factory=Launch)
    messages: Messages = field(default_factory=Messages)
    master: Master = field(default_factory=Master)


# Figures 4 and 5: SPARC Classic with five boards, SPARC Station 10 (SPECint92 50.2) with three. The least and the
# largest r_LAN of section 3.3.1 are those of both networks.
BUILT_IN = {
    machine.name: machine
    for machine in (
        RemoteMachine("classic"),
        RemoteMachine("classic-500k", upload=Transfer(bandwidth=500e3), download=Transfer(bandwidth=500e3)),
        RemoteMachine("classic-1m", upload=Transfer(bandwidth=1e6), download=Transfer(bandwidth=1e6)),
        RemoteMachine("ss-10", grape=Grape(N_chip=24), slave=Slave(a_6=a_6(50.2))),
    )
}

MACHINES = Machines(RemoteMachine, SECTIONS, BUILT_IN)
"""Built in or from a file with any of `SECTIONS`."""

find_remote_machine, symbols = MACHINES.find, MACHINES.symbols

"""Machines of the model of replica exchange: a client, its network and many devices."""

from __future__ import annotations

from dataclasses import dataclass, field

from trellis.config import Parameters
from trellis.model.machine_file import Machines, cited

N_REP = 14_336  # replicas of the paper; 14,366 in section 4.3 is a slip


@dataclass(frozen=True)
class Exchange:
    """Replicas and energies of an exchange.

    Attributes
    ----------
    replicas : int
        N_rep, the number of replicas.
    energies : int
        M_exch, number of energies of each replica that come back from the steps between two exchanges.
    """

    replicas: int = N_REP
    energies: int = 100


class Device(Parameters):
    """A device, and the work of a replica on it."""

    t_gpu0: float = cited(37.034 / N_REP, "time of a replica's steps between two exchanges", "section 4.1", "s")
    slowest: float = cited(1, "time of the slowest device over that of the mean one", "ours", ge=1)


class Upload(Parameters):
    """Messages to a device: S bytes take latency + S / bandwidth."""

    latency: float = cited(9.23e-6, "L_U, time of an empty message", "section 4.2.2", "s", ge=0)
    bandwidth: float = cited(1960e6, "B_U, transfer rate", "section 4.2.1", "byte/s")


class Download(Parameters):
    """Messages from a device."""

    latency: float = cited(31.7e-6, "L_D, time of an empty message", "section 4.2.2", "s", ge=0)
    bandwidth: float = cited(850e6, "B_D, transfer rate", "section 4.2.1", "byte/s")


class Launch(Parameters):
    """The call by which a device begins."""

    latency: float = cited(5.96e-6, "L_K, time of a launch", "section 4.2.2", "s", ge=0)


class Messages(Parameters):
    """Messages of the paper's exchange."""

    uploads: float = cited(2, "messages to a device: temperatures, flags", "equation 6")
    b_up: float = cited(4, "size of a replica in each of them", "section 3.4", "byte")
    b_down: float = cited(4, "size of an energy that comes back", "section 3.4", "byte")


class Client(Parameters):
    """The machine on which the program runs that makes the exchanges."""

    t_clt: float = cited(7.96e-3, "time of the client's own work in the paper's exchange", "section 4.3", "s", ge=0)
    t_call: float = cited(2e-6, "client's time to send a device's call", "ours, assumed until calibrated", "s", ge=0)
    t_answer: float = cited(
        2e-6, "client's time to read a device's answer", "ours, assumed until calibrated", "s", ge=0
    )
    t_replica: float = cited(3e-8, "client's time to decide on a replica", "ours, assumed until calibrated", "s", ge=0)


class Local(Parameters):
    """The program on one machine with one device, without a network."""

    t_other: float = cited(37.059 - 37.034, "T_local(1) beyond the time of the replicas' steps", "section 4", "s", ge=0)


SECTIONS: dict[str, type[Parameters]] = {
    "device": Device,
    "upload": Upload,
    "download": Download,
    "launch": Launch,
    "messages": Messages,
    "client": Client,
    "local": Local,
}


@dataclass(frozen=True)
class ReplicaMachine:
    """A client, a network, and equal devices; all that is not given is the paper's, with replicas of 256 atoms."""

    name: str
    device: Device = field(default_factory=Device)
    upload: Upload = field(default_factory=Upload)
    download: Download = field(default_factory=Download)
    launch: Launch = field(default_factory=Launch)
    messages: Messages = field(default_factory=Messages)
    client: Client = field(default_factory=Client)
    local: Local = field(default_factory=Local)


# TSUBAME 2.5: replicas of 256 and of 2,048 atoms, 100 steps between two exchanges.
BUILT_IN = {
    machine.name: machine
    for machine in (
        ReplicaMachine("tsubame-256"),
        ReplicaMachine("tsubame-2048", device=Device(t_gpu0=482.367 / N_REP), local=Local(t_other=482.883 - 482.367)),
    )
}

MACHINES = Machines(ReplicaMachine, SECTIONS, BUILT_IN)
"""Built in or from a file with any of `SECTIONS`."""

find_replica_machine, symbols = MACHINES.find, MACHINES.symbols

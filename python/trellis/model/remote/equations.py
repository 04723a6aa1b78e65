"""Equations (2) to (16) of Nakasato et al. (1997). Seconds; `neighbours` is the mean number of a particle's neighbours.

Where the paper divides bytes by r_LAN, a message here takes latency + bytes / bandwidth; in the paper's machines all
latencies are 0, and both bandwidths are r_LAN. Equation (12) is `machine.a_6`.
"""

from __future__ import annotations

from trellis.model.remote.machine import BUS_BYTES, RemoteMachine


def a_1(machine: RemoteMachine) -> float:
    """Equation (5): a pair on all chips."""
    return machine.grape.t_pair / machine.grape.N_chip


def a_5(machine: RemoteMachine) -> float:
    """Equation (11): a neighbour is read over the bus."""
    return BUS_BYTES / machine.grape.r_BUS


def a_8(machine: RemoteMachine) -> float:
    """Equation (13): a neighbour comes back over the network."""
    return machine.messages.b_neighbour / machine.download.bandwidth


def a_7(neighbours: float, machine: RemoteMachine) -> float:
    """Equation (10): the neighbours of a particle come back over the network."""
    return a_8(machine) * neighbours


def t_G(n: float, machine: RemoteMachine) -> float:
    """Equation (2), case G: gravity, on the machine that has the accelerator."""
    return a_1(machine) * n**2 + (machine.slave.a_2 + machine.slave.a_3) * n


def t_upload(n: float, machine: RemoteMachine) -> float:
    """Equations (3) and (6), the way to the slave: positions and masses."""
    return machine.upload.latency + machine.messages.b_up * n / machine.upload.bandwidth


def t_download(n: float, machine: RemoteMachine) -> float:
    """Equations (3) and (6), the way back: forces and potentials."""
    return machine.download.latency + machine.messages.b_down * n / machine.download.bandwidth


def t_LAN(n: float, machine: RemoteMachine) -> float:
    """Equations (3) and (6): all messages for gravity."""
    return t_upload(n, machine) + machine.launch.latency + t_download(n, machine)


def t_RG(n: float, machine: RemoteMachine) -> float:
    """Equation (4), case RG: gravity, for a program on the master."""
    return t_G(n, machine) + t_LAN(n, machine)


def t_GN(n: float, neighbours: float, machine: RemoteMachine) -> float:
    """Equation (8), case GN: gravity and neighbour lists, on the machine that has the accelerator."""
    return t_G(n, machine) + (a_5(machine) + machine.slave.a_6) * neighbours * n


def t_lists(n: float, neighbours: float, machine: RemoteMachine) -> float:
    """Equation (9), second term: neighbour lists come back, in a message of their own."""
    return machine.download.latency + a_7(neighbours, machine) * n


def t_LAN_with_lists(n: float, neighbours: float, machine: RemoteMachine) -> float:
    """Equation (9), t_LAN': all messages for gravity and neighbour lists."""
    return t_LAN(n, machine) + t_lists(n, neighbours, machine)


def t_RGN(n: float, neighbours: float, machine: RemoteMachine) -> float:
    """Equations (7) and (14), case RGN: gravity and neighbour lists, for a program on the master.

    With the paper's machine and 40 neighbours this is equation (15).
    """
    return t_GN(n, neighbours, machine) + t_LAN_with_lists(n, neighbours, machine)


def t_neighbour(n: float, neighbours: float, machine: RemoteMachine) -> float:
    """Equation (16): time that neighbour lists add to case RG."""
    return t_RGN(n, neighbours, machine) - t_RG(n, machine)

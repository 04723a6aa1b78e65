"""Equations (3) to (7) of Oikawa et al.: seconds of an exchange in which the client goes from device to device.

All devices compute at once; messages and the client's own work follow one after another.
"""

from __future__ import annotations

from trellis.model.replicas.machine import Exchange, ReplicaMachine


def T_local(exchange: Exchange, machine: ReplicaMachine) -> float:
    """Section 4, T_local(1): all replicas on one device without a network."""
    return exchange.replicas * machine.device.t_gpu0 + machine.local.t_other


def R(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equation (3): parallel efficiency of n devices."""
    return T_local(exchange, machine) / (n * T(n, exchange, machine))


def T(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equation (4): steps and exchange of all replicas, on n devices."""
    return t_gpu(n, exchange, machine) + t_com(n, exchange, machine) + machine.client.t_clt


def t_gpu(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equation (5): the steps of the replicas that each of n devices has."""
    return exchange.replicas / n * machine.device.t_gpu0


def t_com(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equations (6) and (7): all messages."""
    return t_com_B(exchange, machine) + t_com_L(n, machine)


def t_com_B(exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equation (7), the part of the bandwidths: S_U / B_U + S_D / B_D."""
    return t_up(exchange, machine) + t_down(exchange, machine)


def t_up(exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equation (6), S_U / B_U: temperatures and flags to the devices."""
    return S_U(exchange, machine) / machine.upload.bandwidth


def t_down(exchange: Exchange, machine: ReplicaMachine) -> float:
    """Equation (6), S_D / B_D: energies from the devices."""
    return S_D(exchange, machine) / machine.download.bandwidth


def S_U(exchange: Exchange, machine: ReplicaMachine) -> float:
    """Section 3.4: bytes to all devices."""
    return exchange.replicas * machine.messages.uploads * machine.messages.b_up


def S_D(exchange: Exchange, machine: ReplicaMachine) -> float:
    """Section 3.4: bytes from all devices."""
    return exchange.replicas * exchange.energies * machine.messages.b_down


def t_com_L(n: int, machine: ReplicaMachine) -> float:
    """Equation (7), the part of the latencies: 2 n L_U + n L_D + n L_K."""
    return n * (machine.messages.uploads * machine.upload.latency + machine.download.latency + machine.launch.latency)

"""Equations of our own: an exchange whose answers the client reads as they come, while slower devices still work.

A device receives a call and returns an answer; the client serves devices one at a time, in the order of their answers.
Messages of other devices travel meanwhile, so that a latency counts once for any number of devices.
"""

from __future__ import annotations

from math import ceil

from trellis.model.replicas.machine import Exchange, ReplicaMachine

B_STATE = 16  # bytes of a replica's state in a call
B_ENERGIES = 24  # bytes of a replica's potential, kinetic and bath energy in an answer


def largest_share(n: int, exchange: Exchange) -> int:
    """Return the largest number of replicas of a device."""
    return ceil(exchange.replicas / n)


def latency(machine: ReplicaMachine) -> float:
    """Return the seconds of a call and its answer without bytes."""
    return machine.upload.latency + machine.launch.latency + machine.download.latency


def t_call(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the client's mean seconds to send a device its replicas' states."""
    return machine.client.t_call + exchange.replicas / n * B_STATE / machine.upload.bandwidth


def t_answer(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the client's mean seconds to read a device's energies and to decide on its replicas."""
    replica = machine.client.t_replica + exchange.energies * B_ENERGIES / machine.download.bandwidth
    return machine.client.t_answer + exchange.replicas / n * replica


def t_client(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the client's seconds for all devices."""
    return n * (t_call(n, exchange, machine) + t_answer(n, exchange, machine))


def t_asynchronous(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the mean seconds from a device's call to its next, where no device waits for another.

    The time of a device with its call and answer, or the client's for all devices if that is longer: the cycle of n
    customers and one server, exact where times do not vary (Denning & Buzen 1978, asymptotic bounds).
    """
    alone = exchange.replicas / n * machine.device.t_gpu0 + latency(machine)
    return max(alone + t_client(n, exchange, machine) / n, t_client(n, exchange, machine))


def t_slowest(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the seconds of the slowest device for its replicas' steps."""
    return largest_share(n, exchange) * machine.device.t_gpu0 * machine.device.slowest


def t_synchronous(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the seconds of an exchange between replicas that have all made the same number of steps, at most.

    States walk, so that a device's replicas soon have partners on many others, and its next call waits for almost all
    answers. Calls then go out one by one, and the answers come as far apart: beside the device's time either all calls
    count or all answers, whichever take longer. Where few partners are waited for, it is less.
    """
    alone = t_slowest(n, exchange, machine) + latency(machine)
    call, answer = t_call(n, exchange, machine), t_answer(n, exchange, machine)
    return max(alone + call + answer + (n - 1) * max(call, answer), t_client(n, exchange, machine))


def efficiency(n: int, seconds: float, exchange: Exchange, machine: ReplicaMachine) -> float:
    """Return the time of the replicas' steps over the time that n devices spend on an exchange."""
    return exchange.replicas * machine.device.t_gpu0 / (n * seconds)

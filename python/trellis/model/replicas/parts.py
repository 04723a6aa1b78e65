"""The rows of table 2 and those of a pipelined exchange, by number of devices."""

from __future__ import annotations

from trellis.model.replicas import equations, pipelined
from trellis.model.replicas.machine import Exchange, ReplicaMachine

ROWS = [
    "Devices (t_gpu)",
    "  Up (S_U / B_U)",
    "  Down (S_D / B_D)",
    "  Latency of uploads (2 n L_U)",
    "  Latency of downloads (n L_D)",
    "  Launches (n L_K)",
    "Communication (t_com)",
    "Client (t_clt)",
    "Total",
    "Efficiency R",
]
"""Rows of `seconds_of_parts`; an indented row is part of "Communication"."""

PIPELINED_ROWS = [
    "Slowest device",
    "Latency",
    "  Calls to all devices",
    "  Answers of all devices",
    "Client",
    "Total",
    "Efficiency",
    "Total, asynchronous",
    "Efficiency, asynchronous",
]
"""Rows of `pipelined_parts`; an indented row is part of "Client"."""


def seconds_of_parts(n: int, exchange: Exchange, machine: ReplicaMachine) -> dict[str, float]:
    """Return the seconds of the paper's exchange by n devices; "Efficiency R" is no time but equation (3).

    Parameters
    ----------
    n : int
        Number of devices.
    exchange : Exchange
        Replicas and energies.
    machine : ReplicaMachine
        The machine.

    Returns
    -------
    dict
        By `ROWS`.
    """
    seconds = {
        "Devices (t_gpu)": equations.t_gpu(n, exchange, machine),
        "  Up (S_U / B_U)": equations.t_up(exchange, machine),
        "  Down (S_D / B_D)": equations.t_down(exchange, machine),
        "  Latency of uploads (2 n L_U)": n * machine.messages.uploads * machine.upload.latency,
        "  Latency of downloads (n L_D)": n * machine.download.latency,
        "  Launches (n L_K)": n * machine.launch.latency,
        "Communication (t_com)": equations.t_com(n, exchange, machine),
        "Client (t_clt)": machine.client.t_clt,
        "Total": equations.T(n, exchange, machine),
    }
    return {**seconds, "Efficiency R": equations.R(n, exchange, machine)}


def pipelined_parts(n: int, exchange: Exchange, machine: ReplicaMachine) -> dict[str, float]:
    """Return the seconds of a pipelined exchange by n devices, by `PIPELINED_ROWS`; efficiencies are no times.

    Parameters
    ----------
    n : int
        Number of devices.
    exchange : Exchange
        Replicas and energies.
    machine : ReplicaMachine
        The machine.
    """
    total = pipelined.t_synchronous(n, exchange, machine)
    asynchronous = pipelined.t_asynchronous(n, exchange, machine)
    return {
        "Slowest device": pipelined.t_slowest(n, exchange, machine),
        "Latency": pipelined.latency(machine),
        "  Calls to all devices": n * pipelined.t_call(n, exchange, machine),
        "  Answers of all devices": n * pipelined.t_answer(n, exchange, machine),
        "Client": pipelined.t_client(n, exchange, machine),
        "Total": total,
        "Efficiency": pipelined.efficiency(n, total, exchange, machine),
        "Total, asynchronous": asynchronous,
        "Efficiency, asynchronous": pipelined.efficiency(n, asynchronous, exchange, machine),
    }


FORMS = {
    "the paper's exchange": (seconds_of_parts, ROWS),
    "a pipelined exchange": (pipelined_parts, PIPELINED_ROWS),
}
"""Function that returns the seconds of the parts, and their rows, by the name of the exchange."""

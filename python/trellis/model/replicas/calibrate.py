"""The client's seconds for a device and a replica, from exchanges measured with several numbers of devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from trellis.errors import InputError
from trellis.model.remote.measure import line_through
from trellis.model.replicas import pipelined
from trellis.model.replicas.machine import Exchange, ReplicaMachine


def calibrated(machine: ReplicaMachine, exchange: Exchange, measured: Mapping[int, float]) -> ReplicaMachine:
    """Return the machine with t_call, t_answer and t_replica from measured synchronous exchanges.

    The time of an exchange beyond the slowest device and the network's latency is a line over the number of devices:
    t_call and t_answer, taken as equal, are its slope, the client's work for the replicas is its intercept.

    Parameters
    ----------
    machine : ReplicaMachine
        A machine with t_gpu0, latencies and bandwidths of the devices measured.
    exchange : Exchange
        Replicas and energies of the measured exchanges.
    measured : mapping
        Mean seconds of an exchange by number of devices, at least two of them.

    Raises
    ------
    ValueError
        Fewer than two numbers of devices, or an exchange that is faster than its devices.
    """
    if len(measured) < 2:
        raise InputError(
            f"exchanges with two or more numbers of devices are needed, but those of {len(measured)} are given"
        )
    beyond = {n: seconds - _without_client(n, exchange, machine) for n, seconds in measured.items()}
    for n, seconds in beyond.items():
        if seconds <= 0:
            least = _without_client(n, exchange, machine)
            raise InputError(f"an exchange with {n} devices took {measured[n]:g} s, but its devices take {least:g} s")
    start, devices_a_second = line_through(list(beyond), list(beyond.values()))
    bytes_of_all = exchange.replicas * exchange.energies * pipelined.B_ENERGIES
    device = 1 / devices_a_second
    replicas = max(start - device - bytes_of_all / machine.download.bandwidth, 0.0)
    found = {"t_call": device, "t_answer": device, "t_replica": replicas / exchange.replicas}
    return replace(machine, client=machine.client.model_copy(update=found))


def _without_client(n: int, exchange: Exchange, machine: ReplicaMachine) -> float:
    return pipelined.t_slowest(n, exchange, machine) + pipelined.latency(machine)

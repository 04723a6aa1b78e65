"""Tables 1 and 4 of Nakasato et al. (1997): the work of master and slave in each case, and seconds of its phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trellis.model.remote import equations
from trellis.model.remote.machine import RemoteMachine


@dataclass(frozen=True)
class Case:
    """A case of table 1 (a force alone) or of table 4 (a step of a gas).

    Attributes
    ----------
    remote : bool
        Whether the main program runs on the master; else all work is on the slave.
    neighbours : {"slave", "master", None}
        Machine that finds neighbours.
    gas : {"slave", "master", None}
        Machine that computes the gas.
    parallel : bool
        Whether the master computes while the slave does.
    """

    remote: bool
    neighbours: Literal["slave", "master"] | None = None
    gas: Literal["slave", "master"] | None = None
    parallel: bool = False


FORCE_CASES = {
    "G": Case(remote=False),
    "GN": Case(remote=False, neighbours="slave"),
    "RG": Case(remote=True),
    "RGN": Case(remote=True, neighbours="slave"),
}
GAS_CASES = {
    "S-GN": Case(remote=False, neighbours="slave", gas="slave"),
    "S-RGN": Case(remote=True, neighbours="slave", gas="master"),
    "PS-RG": Case(remote=True, neighbours="master", gas="master", parallel=True),
    "PS-RGN": Case(remote=True, neighbours="slave", gas="master", parallel=True),
}
CASES = FORCE_CASES | GAS_CASES

ROWS = [
    "  Pairs (a_1)",
    "  Particles over the bus (a_2)",
    "  All else on the slave (a_3)",
    "  Neighbours over the bus (a_5)",
    "  Neighbour lists made (a_6)",
    "  Upload (a_4)",
    "  Launch",
    "  Download (a_4)",
    "  Download of lists (a_7)",
    "GRAPE",
    "Search on the master",
    "SPH",
    "Miscellaneous",
    "Total",
    "Network / GRAPE",
]
"""Rows of `seconds_of`; an indented row is part of "GRAPE"."""


def seconds_of(case: Case, n: float, neighbours: float, machine: RemoteMachine) -> dict[str, float]:
    """Return the seconds of a case's phases, those of a force or of a step of a gas.

    Parameters
    ----------
    case : Case
        One of `CASES`.
    n : float
        Number of particles.
    neighbours : float
        Mean number of neighbours of a particle.
    machine : RemoteMachine
        The machine.

    Returns
    -------
    dict
        Those of `ROWS` that are part of the case. "GRAPE" is t_GRAPE of table 3, "Total" the sum, or the longer half of
        a parallel case; "Network / GRAPE" is no time but the fraction that messages are of t_GRAPE.
    """
    listed = 0.0
    if case.neighbours == "slave":
        listed = neighbours * (machine.master.widening if case.parallel else 1)
    slave = _on_slave(case, n, listed, machine)
    network = _over_network(case, n, listed, machine) if case.remote else {}
    host = _gas(case, n, machine) if case.gas else {}
    grape, local = sum((slave | network).values()), sum(host.values())
    total = max(grape, local) if case.parallel else grape + local
    rows = {**slave, **network, "GRAPE": grape, **host, "Total": total}
    return {**rows, "Network / GRAPE": sum(network.values()) / grape} if case.remote else rows


def _on_slave(case: Case, n: float, listed: float, machine: RemoteMachine) -> dict[str, float]:
    rows = {
        "  Pairs (a_1)": equations.a_1(machine) * n**2,
        "  Particles over the bus (a_2)": machine.slave.a_2 * n,
        "  All else on the slave (a_3)": machine.slave.a_3 * n,
    }
    if case.neighbours == "slave":
        rows["  Neighbours over the bus (a_5)"] = equations.a_5(machine) * listed * n
        rows["  Neighbour lists made (a_6)"] = machine.slave.a_6 * listed * n
    return rows


def _over_network(case: Case, n: float, listed: float, machine: RemoteMachine) -> dict[str, float]:
    rows = {
        "  Upload (a_4)": equations.t_upload(n, machine),
        "  Launch": machine.launch.latency,
        "  Download (a_4)": equations.t_download(n, machine),
    }
    if case.neighbours == "slave":
        rows["  Download of lists (a_7)"] = equations.t_lists(n, listed, machine)
    return rows


def _gas(case: Case, n: float, machine: RemoteMachine) -> dict[str, float]:
    slowness = machine.slave.slowness if case.gas == "slave" else 1
    rows = {"SPH": slowness * machine.master.t_SPH * n, "Miscellaneous": slowness * machine.master.t_misc * n}
    if case.neighbours == "master":
        return {"Search on the master": machine.master.t_search * n, **rows}
    return rows

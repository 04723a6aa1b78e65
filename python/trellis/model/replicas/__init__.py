"""Seconds of an exchange of replicas that one client spreads over many devices.

The performance model of Oikawa, Nomura, Yasuoka & Narumi, *IPSJ Transactions on Advanced Computing Systems*, no. 4 of
December (record 107507 of the IPSJ): a function for each of the equations (3) to (7). There the client
goes from device to device; equations of our own are for an exchange whose answers are read as they come.
"""

from trellis.model.replicas.calibrate import calibrated
from trellis.model.replicas.machine import BUILT_IN, Exchange, ReplicaMachine, find_replica_machine, symbols
from trellis.model.replicas.parts import pipelined_parts, seconds_of_parts

__all__ = [
    "BUILT_IN",
    "Exchange",
    "ReplicaMachine",
    "calibrated",
    "find_replica_machine",
    "pipelined_parts",
    "seconds_of_parts",
    "symbols",
]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)

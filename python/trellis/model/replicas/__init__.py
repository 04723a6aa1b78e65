"""What an exchange of replicas costs that one client spreads over many devices.

The performance model of Oikawa, Nomura, Yasuoka & Narumi, *IPSJ Transactions on Advanced Computing Systems*, no. 4 of
December (record 107507 of the IPSJ): a function for each of the equations (3) to (7), tables 2 and 3 as data. There the
client goes from device to device; for an exchange whose answers are read as they come, equations of our own.
"""

from trellis.model.replicas.calibrate import calibrated
from trellis.model.replicas.document import symbols
from trellis.model.replicas.machine import BUILT_IN, Exchange, ReplicaMachine, find_replica_machine
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

"""Seconds of a force that a device of another machine computes.

The performance model of Nakasato, Mori & Nomoto (1997), *Smoothed Particle Hydrodynamics with GRAPE and Parallel
Virtual Machine*: a function for each of its equations (2) to (16), and its cases. A main program runs on the
master; the slave, another machine on the network, has the accelerator, GRAPE.
"""

from trellis.model.remote.cases import CASES, Case, seconds_of
from trellis.model.remote.machine import BUILT_IN, RemoteMachine, find_remote_machine, symbols

__all__ = ["BUILT_IN", "CASES", "Case", "RemoteMachine", "find_remote_machine", "seconds_of", "symbols"]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)

"""Equations (15) and (16) of SUSHI: stellar systems over several sites, by a tree or directly, with block time steps.

The interactions of a tree are counted by the lists of Iwasawa et al. (2016), which stand in this model already, in
place of those of Makino (1991), to which the paper refers. Of the direct method the paper refers to another one: here
a block is gathered once around the ring for each of the gathers of equation (15).
"""

from __future__ import annotations

from dataclasses import replace

from trellis.model.interaction_list import list_length
from trellis.model.sites import equations as eq
from trellis.model.sites.machine import SiteMachine

GROUP = 1000  # particles that share a list: n_crit of table 1
GPU_OPERATIONS = 66  # operations an interaction, section 5.2
GPU_RATE = 200e9  # operations a second, section 5.2
B_BLOCK = 56  # bytes a particle of a block: mass, position, velocity


def tree_exchanges(sites: int) -> int:
    """Equation (15): exchanges of equation (11) without the gather of the mesh."""
    return 4 * (sites - 1) + 8 if sites > 1 else 0


def tree_latency(sites: int, machine: SiteMachine) -> float:
    """Equation (15): round trips of the tree method between sites."""
    return tree_exchanges(sites) * machine.wan.latency


def tree_bytes(run: eq.Run) -> float:
    """Equation (16), bytes that pass a link: twice the essential tree of TreePM, and samples."""
    if run.sites < 2:
        return 0.0
    return 2 * eq.WIDE_TREE * eq.surface(run) / run.theta + 4 * run.particles * run.sampled


def tree_throughput(run: eq.Run, machine: SiteMachine) -> float:
    """Equation (16): seconds of `tree_bytes`."""
    return tree_bytes(run) / machine.wan.bandwidth


def mean_block(particles: float) -> float:
    """Section 5.2.2, particles of a mean block; the formula, lost from the text, is that of Groen et al. (2008)."""
    return float(0.2 * particles**0.81)


def block_steps(particles: float) -> float:
    """Section 5.2.2: steps of blocks that advance as many particles as one shared step."""
    return particles / mean_block(particles)


def t_tree_method(run: eq.Run, machine: SiteMachine, *, blocks: bool = False) -> float:
    """Seconds of a shared step of the tree method over sites, or of as many block steps."""
    steps = block_steps(run.particles) if blocks else 1.0
    length = list_length(run.particles, run.theta, GROUP)
    force = eq.OVERHEAD * machine.cores.tau_tree * run.particles * length / run.processes
    bare = replace(run, mesh=0.0)
    local = steps * eq.t_comm_l(bare, machine) + eq.t_comm_b(bare, machine)
    return force + local + steps * tree_latency(run.sites, machine) + tree_throughput(run, machine)


def t_direct(run: eq.Run, machine: SiteMachine) -> float:
    """Seconds of the direct method on GPUs over sites, for as many block steps as advance all particles once."""
    steps = block_steps(run.particles)
    force = GPU_OPERATIONS / GPU_RATE * run.particles**2 / run.processes
    around = 4 * (run.sites - 1)
    return (
        force
        + steps * (eq.t_comm_l(run, machine) + around * machine.wan.latency)
        + (B_BLOCK * run.particles / machine.wan.bandwidth if run.sites > 1 else 0.0)
    )

"""Equations (1) to (14) of SUSHI: seconds of a step of TreePM on one site, and over several.

The text that we had has lost the formulas; docs/site_model.md says how each was reconstructed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2, sqrt

from trellis.model.sites.machine import SiteMachine

INTERACTIONS = 325.4  # factor of equation (4), fitted: 5,955 a particle for 256^3, mesh 128^3, theta 0.3
OVERHEAD = 1.2  # factor of equation (3), printed: lists and tree beside the force
LOCAL_TREE = 64  # bytes, fitted to the local columns
WIDE_TREE = 48  # bytes, from the differences between theta 0.3 and 0.5


@dataclass(frozen=True)
class Run:
    """A step that is predicted.

    Attributes
    ----------
    particles : float
        N.
    mesh : float
        M, cells in all; 0 for no mesh.
    theta : float
        Opening angle.
    processes : float
        p, of all sites.
    sites : int
        s.
    sampled : float
        r_samp, sampled particles over all.
    migrated : float
        Bytes of particles that change their site in a step; in long runs negligible.
    """

    particles: float
    mesh: float
    theta: float
    processes: float
    sites: int = 1
    sampled: float = 1e-4
    migrated: float = 0.0


def particles_of_sites(n: float, before: Sequence[float], seconds: Sequence[float]) -> list[float]:
    """Equation (1): the particles of each site for equal times, from those it had and its time in the step before."""
    rates = [count / time for count, time in zip(before, seconds, strict=True)]
    return [n * rate / sum(rates) for rate in rates]


def t_single(run: Run, machine: SiteMachine) -> float:
    """Equation (2): a step on one site."""
    return t_tree(run, machine) + t_pm(run, machine) + t_comm(run, machine)


def t_tree(run: Run, machine: SiteMachine) -> float:
    """Equation (3): forces of the tree, with 1.2 for lists and tree."""
    return OVERHEAD * machine.cores.tau_tree * n_int(run) / run.processes


def n_int(run: Run) -> float:
    """Equation (4): interactions of a step; without a mesh, as with a mesh of one cell."""
    return float(INTERACTIONS * run.particles**1.15 * max(run.mesh, 1.0) ** (-1 / 12) * run.theta**-1.35)


def t_pm(run: Run, machine: SiteMachine) -> float:
    """Equation (5): Fourier transform, which is serial, and mesh operations."""
    return t_fft(run, machine) + t_mesh(run, machine)


def t_fft(run: Run, machine: SiteMachine) -> float:
    """Equation (5), the transform: M log2 M operations."""
    return machine.cores.tau_fft * run.mesh * log2(run.mesh) if run.mesh > 1 else 0.0


def t_mesh(run: Run, machine: SiteMachine) -> float:
    """Equation (5), assignment and interpolation of a process's particles."""
    return machine.cores.tau_mesh * run.particles / run.processes if run.mesh > 0 else 0.0


def t_comm(run: Run, machine: SiteMachine) -> float:
    """Equation (6): communication inside the sites."""
    return t_comm_l(run, machine) + t_comm_b(run, machine)


def t_comm_l(run: Run, machine: SiteMachine) -> float:
    """Equation (7): 18 collective operations and two all to all, between the processes of one site."""
    p = run.processes / run.sites
    return machine.lan.latency * (18 * log2(p) + 2 * p)


def t_comm_b(run: Run, machine: SiteMachine) -> float:
    """Equation (8): mesh, local essential trees and samples inside a site."""
    tree = LOCAL_TREE * surface(run) / (run.theta * sqrt(run.processes))
    return (4 * run.mesh + tree + 12 * run.particles * run.sampled) / machine.lan.bandwidth


def t_sites(run: Run, machine: SiteMachine) -> float:
    """Equation (9): a step over several sites; on one it is equation (2)."""
    return t_single(run, machine) + w_comm(run, machine)


def w_comm(run: Run, machine: SiteMachine) -> float:
    """Equation (10): communication between sites."""
    return w_comm_l(run, machine) + w_comm_b(run, machine)


def exchanges(sites: int) -> int:
    """Section 3.2: five gathers around the ring, four exchanges with each of the two neighbours."""
    return 5 * (sites - 1) + 8 if sites > 1 else 0


def w_comm_l(run: Run, machine: SiteMachine) -> float:
    """Equation (11): round trips between sites."""
    return exchanges(run.sites) * machine.wan.latency


def w_comm_b(run: Run, machine: SiteMachine) -> float:
    """Equation (12): mesh, essential trees, samples and migrating particles between sites."""
    return wide_bytes(run) * _uses_of_a_line(run.sites, machine) / machine.wan.bandwidth


def wide_bytes(run: Run) -> float:
    """Equation (12), bytes that pass a link: 4 M s, 48 N^(2/3) / theta, 4 N r_samp, and migrating particles."""
    if run.sites < 2:
        return 0.0
    tree = WIDE_TREE * surface(run) / run.theta
    return 4 * run.mesh * run.sites + tree + 4 * run.particles * run.sampled + run.migrated


def surface(run: Run) -> float:
    """Return the particles of a layer across the cube, N^(2/3): bytes of essential trees grow as it does."""
    return float(run.particles ** (2 / 3))


def speed_up(run: Run, machine: SiteMachine) -> float:
    """Equation (13): one site with its own processes, p / s, against s sites."""
    return t_single(replace(run, sites=1, processes=run.processes / run.sites), machine) / t_sites(run, machine)


def efficiency(run: Run, machine: SiteMachine) -> float:
    """Equation (14): one site with as many processes as all have, against s sites."""
    return t_single(replace(run, sites=1), machine) / t_sites(run, machine)


def _uses_of_a_line(sites: int, machine: SiteMachine) -> int:
    """Return how often the bytes of a link pass one line: s - 1 times on DAS-3, a star, as its tables show."""
    return max(sites - 1, 1) if machine.wan.shared else 1

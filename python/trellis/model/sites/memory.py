"""Section 2.1.4 of SUSHI: bytes of a run."""

from __future__ import annotations

B_PARTICLE = 60
B_NODE = 52
NODES = 0.75  # tree nodes a particle
B_CELL = 4.5


def memory_of(particles: float, mesh: float = 0) -> float:
    """Return the bytes of particles, tree and mesh: 99 a particle, 4.5 a cell.

    Parameters
    ----------
    particles : float
        N.
    mesh : float
        M, cells in all.
    """
    return particles * (B_PARTICLE + NODES * B_NODE) + mesh * B_CELL

"""Lengths of interaction lists and of local essential trees (LETs), from the geometry of the opening criterion.

All three come from one count. Around a cube of side L, in units of the mean distance of particles, the volume within a
distance r is V(r) = L^3 + 6 L^2 r + 3 pi L r^2 + (4 pi / 3) r^3. Particles act one by one up to 1/theta, and cells of
side 2^k from 2^k/theta up to twice that. So level k holds [V(2^(k+1)/theta) - V(2^k/theta)] / 8^k cells. The sum over
all k gives the factors 14 = 6 + 8 and 21 pi = 3 pi + 18 pi, and 28 pi / (3 theta^3) a level.
"""

from __future__ import annotations

import math


def list_length(n: float, theta: float, n_i: float) -> float:
    """Equation (30): mean length of the interaction list of a group.

    Parameters
    ----------
    n : float
        Number of particles.
    theta : float
        Opening angle.
    n_i : float
        Mean number of particles that share a list.
    """
    side = n_i ** (1 / 3)
    return n_i + _near(side, theta) + _levels(n ** (1 / 3) - side, theta)


def let_length(n: float, theta: float, processes: float) -> float:
    """Equation (42): EPJs and SPJs that a process receives from all others.

    The print has lost the sign between the last level and n_p: each of the n_p - n_p_close far domains is one SPJ.

    Parameters
    ----------
    n : float
        Number of particles of each process.
    theta : float
        Opening angle.
    processes : float
        Number of processes; a single one gets nothing.
    """
    if processes <= 1:
        return 0.0
    side = n ** (1 / 3)
    from_near = _near(side, theta) + _levels((n * processes) ** (1 / 3) - side, theta)
    return from_near + processes - close_processes(theta, processes)


def close_processes(theta: float, processes: float = math.inf) -> float:
    """Equation (43): processes to exchange LETs with one by one; at most all others, which the paper leaves unsaid."""
    reach = 1 / theta + 1
    return min(6 * reach + 3 * math.pi * reach**2 + 4 * math.pi / 3 * reach**3, processes - 1)


def _near(side: float, theta: float) -> float:
    """Entries that lie at the faces and edges of the cube."""
    return 14 * side**2 / theta + 21 * math.pi * side / theta**2


def _levels(distance: float, theta: float) -> float:
    """Entries around its corners: the same number for each level of cells, up to the edge of the system."""
    levels = math.log2(max(theta / 2.8 * distance, 1.0))
    return 28 * math.pi / (3 * theta**3) * levels

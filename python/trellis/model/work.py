"""The work of a step: the variables of the equations."""

from __future__ import annotations

from dataclasses import dataclass

from trellis.model.interaction_list import let_length, list_length


@dataclass(frozen=True)
class Work:
    """A step of one process.

    Parameters
    ----------
    n : float
        Particles of the process.
    theta : float
        Opening angle.
    n_i : float
        Mean number of particles that share an interaction list.
    processes : float
        Processes, each with n particles.
    """

    n: float
    theta: float
    n_i: float
    processes: float = 1

    @property
    def n_LET(self) -> float:
        """EPJs and SPJs from other processes."""
        return let_length(self.n, self.theta, self.processes)

    @property
    def n_tree(self) -> float:
        """What the global tree is made of: own particles and the LETs."""
        return self.n + self.n_LET

    @property
    def n_list(self) -> float:
        """Mean length of an interaction list."""
        return list_length(self.n, self.theta, self.n_i)

    @property
    def entries(self) -> float:
        """Entries of all interaction lists."""
        return self.n * self.n_list / self.n_i

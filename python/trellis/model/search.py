"""The group size that makes a step fastest."""

from __future__ import annotations

from trellis.model.methods import t_mean_step
from trellis.model.systems import System
from trellis.model.work import Work

SIZES = [round(8 * 2 ** (k / 8)) for k in range(97)]  # 8 to 32,768


def best_group(method: str, n: float, theta: float, system: System, n_reuse: int) -> int:
    """Return the mean group size n_i for which the mean step of a method takes the least time."""
    return min(SIZES, key=lambda n_i: t_mean_step(method, Work(n, theta, min(n_i, n)), system, n_reuse))

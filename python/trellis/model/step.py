"""Equations (1), (2) and (33) of Iwasawa et al. (2020): a step of method G3 in one process. Seconds."""

from __future__ import annotations

from trellis.model.force import t_force_const, t_force_reuse
from trellis.model.systems import System
from trellis.model.tree import t_const_gt, t_const_lt, t_mom_gt, t_mom_lt, t_reorder_gt_reuse, t_root
from trellis.model.work import Work


def t_step_tree(work: Work, system: System) -> float:
    """All of a construction step but its forces: the part of (1) that does not depend on where forces are computed."""
    local = t_const_lt(work, system) + t_mom_lt(work, system)
    return t_root(work, system) + local + t_const_gt(work, system) + t_mom_gt(work, system)


def t_step_const(work: Work, system: System) -> float:
    """Equation (1): a construction step. Equation (31) is this with every term put in."""
    return t_step_tree(work, system) + t_force_const(work, system)


def t_step_reuse(work: Work, system: System) -> float:
    """Equation (2): a reusing step. Equation (32) is this with every term put in."""
    tree = t_mom_lt(work, system) + t_reorder_gt_reuse(work, system) + t_mom_gt(work, system)
    return tree + t_force_reuse(work, system)


def t_step_single(work: Work, system: System, n_reuse: int) -> float:
    """Equation (33), first line: mean of a construction step and the n_reuse - 1 steps that reuse its lists."""
    return (t_step_const(work, system) + (n_reuse - 1) * t_step_reuse(work, system)) / n_reuse

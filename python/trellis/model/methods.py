"""Methods C1, G1, G2 and G3 in the rows of Table 2 of Iwasawa et al. (2020).

The paper's equations are for G2 and G3. For C1 and G1, whose lists hold EPJs and SPJs themselves rather than their
numbers, it prints times but no equations; those here are of the same form, and marked as ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trellis.errors import InputError, did_you_mean
from trellis.model import force, step, tree
from trellis.model.systems import System
from trellis.model.work import Work

Time = Callable[[Work, System], float]


def t_const_list_EPJ(work: Work, system: System) -> float:
    """Ours: as (25), with the EPJ or SPJ written as well as found."""
    c = system.coefficients
    return work.entries * (c.alpha_const_list * c.b_ID + c.b_EPJ_buf) / system.host.B_host


def t_cp_list_EPJ(work: Work, system: System) -> float:
    """Ours: as (27), with EPJs and SPJs for entries."""
    c = system.coefficients
    return work.entries * c.alpha_cp_list * c.b_EPJ / system.host.B_host


def t_H2D_list_EPJ(work: Work, system: System) -> float:
    """Ours: as (23), with EPJs and SPJs for entries, sent as fast as in (20)."""
    c = system.coefficients
    return work.entries * c.alpha_H2D_all * c.b_EPJ_buf / system.accelerator.B_transfer


def t_kernel_direct(work: Work, system: System) -> float:
    """Ours: as (A1), where the list itself holds the EPJs, so that they are read in their order."""
    c, device = system.coefficients, system.accelerator
    read = c.b_EPJ_buf / (work.n_i * device.B_GPU)
    return work.n * work.n_list * (c.alpha_GPU_calc * c.n_op / device.F_GPU + read)


def t_kernel_CPU(work: Work, system: System) -> float:
    """Ours: as (A1), on the host, whose caches hold a list."""
    c = system.coefficients
    return work.n * work.n_list * c.alpha_CPU_calc * c.n_op / system.host.F_host


def t_force_CPU(work: Work, system: System) -> float:
    """Ours: forces of method C1, where nothing overlaps."""
    return t_const_list_EPJ(work, system) + t_kernel_CPU(work, system)


def t_force_direct(work: Work, system: System) -> float:
    """Ours: as (17), for method G1."""
    to_device = force.t_H2D_EPI(work, system) + t_H2D_list_EPJ(work, system)
    on_host = t_const_list_EPJ(work, system) + t_cp_list_EPJ(work, system)
    on_host += force.t_cp_EPI(work, system) + force.t_wb_int_cp(work, system)
    overlapped = max(t_kernel_direct(work, system), to_device, force.t_D2H_FORCE(work, system), on_host)
    return overlapped + force.t_cp_FORCE(work, system)


TREE: dict[str, Time] = {
    "Set root cell": tree.t_root,
    "Make local tree": tree.t_const_lt,
    "  Calculate key (local)": tree.t_key_lt,
    "  Sort key (local)": tree.t_sort_lt,
    "  Reorder ptcl (local)": tree.t_reorder_lt,
    "  Link tree cell (local)": tree.t_link_lt,
    "Calculate multipole moment, local tree": tree.t_mom_lt,
    "Make global tree": tree.t_const_gt,
    "  Calculate key (global)": tree.t_key_gt,
    "  Sort key (global)": tree.t_sort_gt,
    "  Reorder ptcl (global)": tree.t_reorder_gt_const,
    "  Link tree cell (global)": tree.t_link_gt,
    "Calculate multipole moment, global tree": tree.t_mom_gt,
}
TREE_REUSED: dict[str, Time] = {
    "Calculate multipole moment, local tree": tree.t_mom_lt,
    "Make global tree": tree.t_reorder_gt_reuse,
    "  Reorder ptcl (global)": tree.t_reorder_gt_reuse,
    "Calculate multipole moment, global tree": tree.t_mom_gt,
}
TRANSFERS: dict[str, Time] = {
    "  Copy EPI": force.t_cp_EPI,
    "  Copy FORCEs": force.t_cp_FORCE,
    "  H2D EPI": force.t_H2D_EPI,
    "  D2H FORCE": force.t_D2H_FORCE,
}
ALL_J: dict[str, Time] = {
    "  Copy all particles and tree cells": force.t_cp_all,
    "  H2D all particles and tree cells": force.t_H2D_all,
}
INTEGRATION: dict[str, Time] = {"Write back + integration (+ copy ptcl)": force.t_wb_int_cp}

CONSTRUCTION: dict[str, Time] = {
    **TREE,
    "Calculate force": force.t_force_const,
    "  Make interaction list (id)": force.t_const_list,
    **ALL_J,
    **TRANSFERS,
    "  Copy interaction list (id)": force.t_cp_list,
    "  Force kernel": force.t_kernel,
    "  H2D interaction list (id)": force.t_H2D_list,
    **INTEGRATION,
}

# Rows of Table 2 by method. A row that begins with a blank is part of the one above it.
METHODS: dict[str, dict[str, Time]] = {
    "C1": {
        **TREE,
        "Calculate force": t_force_CPU,
        "  Make interaction list (EPJ and SPJ)": t_const_list_EPJ,
        "  Force kernel": t_kernel_CPU,
        **INTEGRATION,
    },
    "G1": {
        **TREE,
        "Calculate force": t_force_direct,
        "  Make interaction list (EPJ and SPJ)": t_const_list_EPJ,
        **TRANSFERS,
        "  Copy interaction list (EPJ and SPJ)": t_cp_list_EPJ,
        "  Force kernel": t_kernel_direct,
        "  H2D interaction list (EPJ and SPJ)": t_H2D_list_EPJ,
        **INTEGRATION,
    },
    "G2": CONSTRUCTION,
    "G3": {
        **TREE_REUSED,
        "Calculate force": force.t_force_reuse,
        **ALL_J,
        **TRANSFERS,
        "  Force kernel": force.t_kernel,
        **INTEGRATION,
    },
}

ROWS = [
    *TREE,
    "Calculate force",
    "  Make interaction list (EPJ and SPJ)",
    "  Make interaction list (id)",
    "  Copy all particles and tree cells",
    "  Copy EPI",
    "  Copy interaction list (EPJ and SPJ)",
    "  Copy interaction list (id)",
    "  Copy FORCEs",
    "  Force kernel",
    "  H2D all particles and tree cells",
    "  H2D EPI",
    "  H2D interaction list (EPJ and SPJ)",
    "  H2D interaction list (id)",
    "  D2H FORCE",
    *INTEGRATION,
]


@dataclass(frozen=True)
class Column:
    """A column of Table 2: the seconds of each row that the method has, and their sum."""

    rows: dict[str, float]
    total: float


def column(method: str, work: Work, system: System) -> Column:
    """Return the column of a method; that of G3 is its reusing step, as in the paper."""
    rows = {name: time(work, system) for name, time in METHODS[method].items()}
    return Column(rows, t_step(method, work, system))


def t_step(method: str, work: Work, system: System) -> float:
    """Seconds of a step: equation (1) for G2, (2) for G3 when it reuses; C1 and G1 are ours."""
    if method not in METHODS:
        raise InputError(f"method '{method}': {did_you_mean(method, METHODS)}")
    if method == "G2":
        return step.t_step_const(work, system)
    if method == "G3":
        return step.t_step_reuse(work, system)
    without_force = step.t_step_tree(work, system)
    if method == "G1":
        return without_force + t_force_direct(work, system)
    return without_force + t_force_CPU(work, system) + force.t_wb_int_cp(work, system)


def t_mean_step(method: str, work: Work, system: System, n_reuse: int) -> float:
    """Seconds of a mean step; only G3 reuses its lists."""
    return step.t_step_single(work, system, n_reuse) if method == "G3" else t_step(method, work, system)

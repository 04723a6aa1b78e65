"""Equations (17) to (29) and (A1) of Iwasawa et al. (2020): forces on an accelerator, with indirect addressing.

Each function gives seconds.
"""

from __future__ import annotations

from trellis.model.systems import System
from trellis.model.work import Work


def t_force_const(work: Work, system: System) -> float:
    """Equation (17): forces at a construction step; what stands in a maximum happens at the same time."""
    on_host = t_const_list(work, system) + t_cp_EPI(work, system) + t_cp_list(work, system) + t_wb_int_cp(work, system)
    to_device = t_H2D_EPI(work, system) + t_H2D_list(work, system)
    overlapped = max(t_kernel(work, system), to_device, t_D2H_FORCE(work, system), on_host)
    return max(t_cp_all(work, system), t_H2D_all(work, system)) + overlapped + t_cp_FORCE(work, system)


def t_force_reuse(work: Work, system: System) -> float:
    """Equation (18): forces at a reusing step, where the accelerator still has the lists."""
    on_host = t_cp_EPI(work, system) + t_wb_int_cp(work, system)
    overlapped = max(t_kernel(work, system), t_H2D_EPI(work, system), t_D2H_FORCE(work, system), on_host)
    return max(t_cp_all(work, system), t_H2D_all(work, system)) + overlapped + t_cp_FORCE(work, system)


def t_cp_all(work: Work, system: System) -> float:
    """Equation (19): EPJs and SPJs are copied to the send buffer; (31) prints EPI here, but 42 in (33) is EPJ."""
    c = system.coefficients
    return work.n_tree * c.alpha_cp_all * (c.b_EPJ + c.b_EPJ_buf) / system.host.B_host


def t_H2D_all(work: Work, system: System) -> float:
    """Equation (20): EPJs and SPJs are sent."""
    c = system.coefficients
    return work.n_tree * c.alpha_H2D_all * c.b_EPJ_buf / system.accelerator.B_transfer


def t_kernel(work: Work, system: System) -> float:
    """Equations (21) and (A1), which are one: the interactions themselves."""
    return work.n * work.n_list * t_interaction(work.n_i, system)


def t_interaction(n_i: float, system: System) -> float:
    """Bracket of equation (A1), figure 13: time of one interaction, in operations and in reading the list's EPJs."""
    c, device = system.coefficients, system.accelerator
    return c.alpha_GPU_calc * c.n_op / device.F_GPU + c.alpha_GPU_transfer * (c.b_ID + c.b_EPJ) / (n_i * device.B_GPU)


def t_H2D_EPI(work: Work, system: System) -> float:
    """Equation (22): EPIs are sent."""
    c = system.coefficients
    return work.n * c.alpha_H2D_EPI * c.b_EPI_buf / system.accelerator.B_transfer


def t_H2D_list(work: Work, system: System) -> float:
    """Equation (23): interaction lists are sent (b_ID in (23), b_ID_buf in (31): the same number)."""
    c = system.coefficients
    return work.entries * c.alpha_H2D_list * c.b_ID_buf / system.accelerator.B_transfer


def t_D2H_FORCE(work: Work, system: System) -> float:
    """Equation (24): FORCEs are received."""
    c = system.coefficients
    return work.n * c.alpha_D2H_FORCE * c.b_FORCE_buf / system.accelerator.B_transfer


def t_const_list(work: Work, system: System) -> float:
    """Equation (25): interaction lists are constructed."""
    c = system.coefficients
    return work.entries * c.alpha_const_list * c.b_ID / system.host.B_host


def t_cp_EPI(work: Work, system: System) -> float:
    """Equation (26): EPIs are copied to the send buffer."""
    c = system.coefficients
    return work.n * c.alpha_cp_EPI * (c.b_EPI + c.b_EPI_buf) / system.host.B_host


def t_cp_list(work: Work, system: System) -> float:
    """Equation (27): interaction lists are copied to the send buffer."""
    c = system.coefficients
    return work.entries * c.alpha_cp_list * c.b_ID / system.host.B_host


def t_wb_int_cp(work: Work, system: System) -> float:
    """Equation (28): FORCEs are written back, orbits integrated, and FPs copied to EPIs and EPJs."""
    c = system.coefficients
    return work.n * c.alpha_wb_int_cp * (c.b_FORCE + c.b_FP + c.b_EPI + c.b_EPJ) / system.host.B_host


def t_cp_FORCE(work: Work, system: System) -> float:
    """Equation (29): FORCEs are copied from the receive buffer."""
    c = system.coefficients
    return work.n * c.alpha_cp_FORCE * (c.b_FORCE + c.b_FORCE_buf) / system.host.B_host

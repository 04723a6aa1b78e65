"""Equations (31) to (33) of Iwasawa et al. (2020) as the paper writes them: all terms in one expression. Seconds.

They say the same as (1) and (2), which the tests hold them to. Corrections to the print are in docs/model.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trellis.model.coefficients import Coefficients
from trellis.model.systems import System
from trellis.model.tree import SORT_ACCESSES
from trellis.model.work import Work


@dataclass(frozen=True)
class StepCoefficients:
    """The numbers of equation (33); in brackets, as it prints them."""

    reorder: float  # bytes of (n + n_LET) / B_host [68]
    moments: float  # bytes of n_LET / B_host [58]
    own: float  # bytes of n / B_host [174]
    copy_all: float  # [42]
    send_all: float  # [16]
    operations: float  # of an interaction [39.1]
    read: float  # bytes of an interaction's EPJ times n_i [440]
    receive: float  # [19.2]
    host: float  # [282]
    construction: float  # bytes of n [1580]
    construction_LET: float  # bytes of n_LET [1157]
    link: float  # [54.4]
    send_EPI: float  # [12]
    send_list: float  # [3.4]
    host_list: float  # [80]


def step_coefficients(c: Coefficients) -> StepCoefficients:
    """Return the numbers of equation (33), from the coefficients."""
    reorder, moments = 2 * c.b_EPJ + c.b_index, c.alpha_mom * c.b_EPJ
    sort = c.alpha_sort * SORT_ACCESSES * c.b_key
    more_reordering = (c.alpha_reorder_gt_const - c.alpha_reorder_gt_reuse) * reorder
    keys_and_order = c.alpha_key * (c.b_FP + c.b_key) + c.alpha_reorder_lt * (2 * c.b_FP + c.b_EPI + c.b_EPJ + c.b_key)
    integration = c.alpha_wb_int_cp * (c.b_FORCE + c.b_FP + c.b_EPI + c.b_EPJ)
    return StepCoefficients(
        reorder=c.alpha_reorder_gt_reuse * reorder,
        moments=moments,
        own=2 * moments + c.alpha_cp_FORCE * (c.b_FORCE + c.b_FORCE_buf),
        copy_all=c.alpha_cp_all * (c.b_EPJ + c.b_EPJ_buf),
        send_all=c.alpha_H2D_all * c.b_EPJ_buf,
        operations=c.alpha_GPU_calc * c.n_op,
        read=c.alpha_GPU_transfer * (c.b_ID + c.b_EPJ),
        receive=c.alpha_D2H_FORCE * c.b_FORCE_buf,
        host=c.alpha_cp_EPI * (c.b_EPI + c.b_EPI_buf) + integration,
        construction=c.alpha_root * c.b_FP + keys_and_order + more_reordering + 2 * sort,
        construction_LET=c.alpha_key * (c.b_EPJ + c.b_key) + more_reordering + sort,
        link=c.alpha_link * c.b_key,
        send_EPI=c.alpha_H2D_EPI * c.b_EPI_buf,
        send_list=c.alpha_H2D_list * c.b_ID_buf,
        host_list=(c.alpha_cp_list + c.alpha_const_list) * c.b_ID,
    )


def step_const(work: Work, system: System) -> float:
    """Equation (31): a construction step."""
    k, B_host = step_coefficients(system.coefficients), system.host.B_host
    n, n_LET = work.n, work.n_LET
    cells = (n / 4) * math.log2(n / 4) + (work.n_tree / 4) * math.log2(work.n_tree / 4)
    more = (k.construction * n + k.construction_LET * n_LET + k.link * cells) / B_host
    ratio = work.n_list / work.n_i
    overlapped = max(
        _kernel(work, system, k),
        (k.send_EPI + k.send_list * ratio) / system.accelerator.B_transfer,
        k.receive / system.accelerator.B_transfer,
        (k.host + k.host_list * ratio) / B_host,
    )
    return _every_step(work, system, k) + more + n * overlapped


def step_reuse(work: Work, system: System) -> float:
    """Equation (32): a reusing step."""
    k = step_coefficients(system.coefficients)
    link = max(k.send_EPI, k.receive) / system.accelerator.B_transfer
    overlapped = max(_kernel(work, system, k), link, k.host / system.host.B_host)
    return _every_step(work, system, k) + work.n * overlapped


def step_single(work: Work, system: System, n_reuse: int) -> float:
    """Equation (33): what every step costs, and a share of what a construction step costs beyond that."""
    reuse = step_reuse(work, system)
    return reuse + (step_const(work, system) - reuse) / n_reuse


def _every_step(work: Work, system: System, k: StepCoefficients) -> float:
    on_host = k.reorder * work.n_tree + k.own * work.n + k.moments * work.n_LET
    to_device = max(k.copy_all / system.host.B_host, k.send_all / system.accelerator.B_transfer)
    return on_host / system.host.B_host + work.n_tree * to_device


def _kernel(work: Work, system: System, k: StepCoefficients) -> float:
    device = system.accelerator
    return work.n_list * (k.operations / device.F_GPU + k.read / (work.n_i * device.B_GPU))

"""Equations (34) to (41) and (A2) to (A5) of Iwasawa et al. (2020): many processes. Seconds."""

from __future__ import annotations

import math

from trellis.model.interaction_list import close_processes
from trellis.model.step import t_step_single
from trellis.model.systems import System
from trellis.model.work import Work

SAMPLES = 30  # n_smp: sample particles of a process, from which domains are determined


def t_step_para(work: Work, system: System, n_reuse: int, n_dc: int) -> float:
    """Equation (34): mean step of method G3; domains are decomposed every n_dc steps, and T_exch is ignored."""
    if work.processes <= 1:
        return t_step_single(work, system, n_reuse)
    lists = t_LET_const(work, system) / n_reuse + t_LET_exch(work, system)
    return t_step_single(work, system, n_reuse) + t_dc(work, system) / n_dc + lists


def t_dc(work: Work, system: System) -> float:
    """Equation (35): domain decomposition."""
    return t_dc_collect(work, system) + t_dc_sort(work, system)


def t_dc_collect(work: Work, system: System) -> float:
    """Equation (36): samples are collected; (A5) for the n_p^(2/3) processes that share a root process."""
    return t_allgather(SAMPLES * system.coefficients.b_pos, math.pow(work.processes, 2 / 3), system)


def t_dc_sort(work: Work, system: System) -> float:
    """Equation (37): samples are sorted; its log, printed without a base, is taken as the natural one."""
    c = system.coefficients
    samples = SAMPLES * math.pow(work.processes, 2 / 3)
    depth = math.log(SAMPLES**3 * math.pow(work.processes, 5 / 3))
    return samples * depth * c.alpha_dc_sort * c.b_pos / system.host.B_host


def t_LET_const(work: Work, system: System) -> float:
    """Equation (38): LETs for the close processes are constructed."""
    c = system.coefficients
    return _from_close(work) * c.alpha_const_list * c.b_ID / system.host.B_host


def t_LET_exch(work: Work, system: System) -> float:
    """Equation (39): LETs are exchanged."""
    return t_LET_allgather(work, system) + t_LET_p2p(work, system)


def t_LET_allgather(work: Work, system: System) -> float:
    """Equation (40): every process gets the moments of every domain."""
    return t_allgather(system.coefficients.b_EPJ, work.processes, system)


def t_LET_p2p(work: Work, system: System) -> float:
    """Equation (41): close processes get more, one by one."""
    c = system.coefficients
    startup = close_processes(work.theta, work.processes) * c.tau_p2p
    return startup + 2 * _from_close(work) * c.alpha_p2p * c.b_EPJ / system.network.B_inj


def t_allgather(size: float, processes: float, system: System) -> float:
    """Equations (A2) and (A5): MPI_Allgather of `size` bytes from each process."""
    return t_allgather_startup(processes, system) + t_allgather_words(size, processes, system)


def t_allgather_startup(processes: float, system: System) -> float:
    """Equation (A3): what MPI_Allgather of an empty message takes."""
    return math.sqrt(math.sqrt(processes)) * system.coefficients.tau_allgather


def t_allgather_words(size: float, processes: float, system: System) -> float:
    """Equation (A4): what its bytes take."""
    return system.coefficients.alpha_allgather * size * processes / system.network.B_inj


def _from_close(work: Work) -> float:
    """EPJs and SPJs from close processes: n_LET without the one SPJ of each far process."""
    if work.processes <= 1:
        return 0.0
    return work.n_LET - work.processes + close_processes(work.theta, work.processes)

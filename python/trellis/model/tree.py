"""Equations (3) to (16) of Iwasawa et al. (2020): the root cell, the local tree and the global tree.

Each function gives seconds. Where the print slipped, the docstring says so; docs/model.md derives each correction.
"""

from __future__ import annotations

import math

from trellis.model.systems import System
from trellis.model.work import Work

SORT_ACCESSES = 24  # 64-bit keys in chunks of 8 bits: eight passes, each with two reads and one write


def t_root(work: Work, system: System) -> float:
    """Equation (3): all FPs are read to find the root cell."""
    c = system.coefficients
    return work.n * c.alpha_root * c.b_FP / system.host.B_host


def t_const_lt(work: Work, system: System) -> float:
    """Equation (4): construction of the local tree."""
    return t_key_lt(work, system) + t_sort_lt(work, system) + t_reorder_lt(work, system) + t_link_lt(work, system)


def t_key_lt(work: Work, system: System) -> float:
    """Equation (5): FPs are read and key-index pairs written."""
    c = system.coefficients
    return work.n * c.alpha_key * (c.b_FP + c.b_key) / system.host.B_host


def t_sort_lt(work: Work, system: System) -> float:
    """Equation (6): radix sort of the key-index pairs."""
    return _sort(work.n, system)


def t_reorder_lt(work: Work, system: System) -> float:
    """Equation (7): key-index pairs and FPs are read; FPs, EPIs and EPJs are written."""
    c = system.coefficients
    return work.n * c.alpha_reorder_lt * (2 * c.b_FP + c.b_EPI + c.b_EPJ + c.b_key) / system.host.B_host


def t_link_lt(work: Work, system: System) -> float:
    """Equation (8): a binary search for each of the n/4 cells of the local tree."""
    return _link(work.n, system)


def t_mom_lt(work: Work, system: System) -> float:
    """Equation (9): EPJs are read for the moments of the local tree."""
    return _moments(work.n, system)


def t_const_gt(work: Work, system: System) -> float:
    """Equation (10): construction of the global tree."""
    return t_key_gt(work, system) + t_sort_gt(work, system) + t_reorder_gt_const(work, system) + t_link_gt(work, system)


def t_key_gt(work: Work, system: System) -> float:
    """Equation (11): keys of the LETs; own particles have theirs already, though (31) counts them again."""
    c = system.coefficients
    return work.n_LET * c.alpha_key * (c.b_key + c.b_EPJ) / system.host.B_host


def t_sort_gt(work: Work, system: System) -> float:
    """Equation (12): as (6), whose factor 24 is lost in the print."""
    return _sort(work.n_tree, system)


def t_reorder_gt_const(work: Work, system: System) -> float:
    """Equation (13): EPJs and SPJs are sorted out and written, with their indices kept for reusing steps."""
    c = system.coefficients
    return work.n_tree * c.alpha_reorder_gt_const * (2 * c.b_EPJ + c.b_index) / system.host.B_host


def t_link_gt(work: Work, system: System) -> float:
    """Equation (14): as (8), whose b_key / B_host is lost in the print."""
    return _link(work.n_tree, system)


def t_reorder_gt_reuse(work: Work, system: System) -> float:
    """Equation (15): EPJs and SPJs are brought into the kept order."""
    c = system.coefficients
    return work.n_tree * c.alpha_reorder_gt_reuse * (2 * c.b_EPJ + c.b_index) / system.host.B_host


def t_mom_gt(work: Work, system: System) -> float:
    """Equation (16): EPJs and SPJs are read for the moments of the global tree."""
    return _moments(work.n_tree, system)


def _sort(pairs: float, system: System) -> float:
    c = system.coefficients
    return pairs * c.alpha_sort * SORT_ACCESSES * c.b_key / system.host.B_host


def _link(particles: float, system: System) -> float:
    c = system.coefficients
    cells = particles / 4
    return cells * math.log2(cells) * c.alpha_link * c.b_key / system.host.B_host


def _moments(particles: float, system: System) -> float:
    c = system.coefficients
    return particles * c.alpha_mom * c.b_EPJ / system.host.B_host

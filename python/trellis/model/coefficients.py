"""Table 3 of Iwasawa et al. (2020) as data: what its equations multiply bytes, operations and messages by."""

from __future__ import annotations

from typing import Any

from trellis.config.parameters import Parameters, parameter


def _factor(value: float, meaning: str) -> Any:
    return parameter(value, f"slowdown factor for {meaning}", gt=0)


def _size(value: float, meaning: str) -> Any:
    return parameter(value, f"size of {meaning}", unit="byte", gt=0)


class Coefficients(Parameters):
    """Slowdown factors, sizes and start-up times; the defaults are the paper's, for FDPS and gravity with monopoles.

    A slowdown factor is the time of a procedure over the time that its bytes (or its operations) would take at the
    bandwidth (or the peak) of the machine.
    """

    alpha_const_list: float = _factor(19, "constructing the interaction list")
    alpha_cp_all: float = _factor(0.87, "copying EPJs and SPJs to the send buffer")
    alpha_cp_EPI: float = _factor(1.0, "copying EPIs to the send buffer")
    alpha_cp_FORCE: float = _factor(1.2, "copying FORCEs from the receive buffer")
    alpha_cp_list: float = _factor(1.0, "copying the interaction lists to the send buffer")
    alpha_D2H_FORCE: float = _factor(1.2, "sending FORCEs from the accelerator to the host")
    alpha_dc_sort: float = _factor(7.7, "determining domains")
    alpha_allgather: float = _factor(0.62, "MPI_Gather and MPI_Allgather")
    alpha_GPU_calc: float = _factor(1.7, "calculating interactions on the accelerator")
    alpha_GPU_transfer: float = _factor(2.7, "reading EPJs from the main memory of the accelerator")
    alpha_H2D_all: float = _factor(1.0, "sending EPJs and SPJs to the accelerator")
    alpha_H2D_EPI: float = _factor(1.0, "sending EPIs to the accelerator")
    alpha_H2D_list: float = _factor(0.86, "sending the interaction lists to the accelerator")
    alpha_key: float = _factor(0.85, "constructing the key-index pairs")
    alpha_link: float = _factor(3.4, "linking tree cells")
    alpha_mom: float = _factor(1.8, "calculating multipole moments of tree cells")
    alpha_p2p: float = _factor(1.0, "messages between neighbouring processes")
    alpha_reorder_lt: float = _factor(1.1, "reordering particles for the local tree")
    alpha_reorder_gt_const: float = _factor(5.0, "reordering particles for the global tree at a construction step")
    alpha_reorder_gt_reuse: float = _factor(1.0, "reordering particles for the global tree at a reusing step")
    alpha_root: float = _factor(0.70, "searching the root cell")
    alpha_sort: float = _factor(1.1, "sorting the key-index pairs")
    alpha_wb_int_cp: float = _factor(1.4, "writing back FORCEs, integrating orbits and copying FPs to EPIs and EPJs")

    b_EPI: float = _size(24, "an EPI")
    b_EPI_buf: float = _size(12, "an EPI in the send buffer")
    b_EPJ: float = _size(32, "an EPJ or an SPJ")
    b_EPJ_buf: float = _size(16, "an EPJ or an SPJ in the send buffer")
    b_FORCE: float = _size(32, "a FORCE")
    b_FORCE_buf: float = _size(16, "a FORCE in the receive buffer")
    b_FP: float = _size(88, "an FP")
    b_index: float = _size(4, "an array index for EPJs and SPJs")
    b_ID: float = _size(4, "an entry of the interaction list")
    b_ID_buf: float = _size(4, "an entry of the interaction list in the send buffer")
    b_key: float = _size(16, "a key-index pair")
    b_pos: float = _size(24, "the position of an FP")

    n_op: float = parameter(23, "operations in an interaction", gt=0)
    tau_allgather: float = parameter(1.2e-5, "start-up time of MPI_Gather and MPI_Allgather", unit="s", ge=0)
    tau_p2p: float = parameter(1.0e-5, "start-up time of a message to a neighbouring process", unit="s", ge=0)

    alpha_CPU_calc: float = _factor(1.37, "calculating interactions on the host (ours, from Table 2)")

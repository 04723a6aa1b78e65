"""A step of Trellis with forces on a device (methods G2 and G3): our own equations, with measured factors.

Phases of the host have the equations of `trellis_cpu`. Copied and sent are a row for each particle and cell, a range
of rows for each entry of a list, and a force for each particle; names are those of Table 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from trellis.config.parameters import parameter
from trellis.model.trellis_cpu import (
    B_SOURCE,
    CHECK,
    HostPhases,
    factors,
    host_phases,
    list_entries,
)

OPERATIONS = 23  # an interaction, by the field's convention (n_op)
B_ROW = 32  # bytes of a row of the table: position as a rounded value and the rest, mass
B_RANGE = 8  # a range of rows
B_FORCE_SENT = 16  # acceleration and potential, single precision
B_FORCE = 32  # the same where the host adds them up

MAKE_LIST, COPY_ALL, COPY_LIST = "Make interaction list", "Copy all particles and tree cells", "Copy interaction list"
COPY_FORCE, KERNEL, INTEGRATION = "Copy FORCE", "Force kernel", "Write back + integration"
SEND_ALL, SEND_LIST, BRING_FORCE = "H2D all particles and tree cells", "H2D interaction list", "D2H FORCE"
FORCE = "Calculate force"
WAIT = "Wait for device"  # in a measured step, where equations have the kernel
TREE = ("Set root cell", "Calculate key", "Sort key", "Reorder ptcl", "Link tree cell", "Calculate multipole moment")
TREE_REUSED = ("Reorder ptcl", "Calculate multipole moment", CHECK)
PARTS = (COPY_ALL, MAKE_LIST, COPY_LIST, KERNEL, SEND_ALL, SEND_LIST, BRING_FORCE, COPY_FORCE)
ROWS = [*TREE, CHECK, FORCE, *(f"  {part}" for part in PARTS), INTEGRATION]


class DeviceCalibration(HostPhases):
    """Measurements of `trellis model calibrate --device`: slowdown factors for each of the sizes."""

    name: str = parameter(..., "name of the device")
    alpha_cp_all: list[float] = factors("copying particles and cells to the table of rows")
    alpha_cp_list: list[float] = factors("copying the interaction lists")
    alpha_cp_FORCE: list[float] = factors("adding up the forces received")
    alpha_H2D_all: list[float] = factors("sending the table of rows")
    alpha_H2D_list: list[float] = factors("sending the interaction lists")
    alpha_D2H_FORCE: list[float] = factors("receiving the forces")
    alpha_GPU_calc: list[float] = factors("the force kernel")
    alpha_overlap: list[float] = factors("what host and device do at the same time")


@dataclass(frozen=True)
class Rates:
    """Rates of the equations: bandwidths of the host and of the link to the device, and the device's peak."""

    B_host: float
    B_transfer: float
    F_GPU: float


def device_work(n: float, pairs: float, group_size: float, rates: Rates) -> dict[str, tuple[str, float]]:
    """Return by part the name of its slowdown factor and the seconds of its bytes or operations alone."""
    entries = list_entries(n, pairs, group_size)
    return {
        COPY_ALL: ("alpha_cp_all", n * (B_SOURCE + B_ROW) / rates.B_host),
        COPY_LIST: ("alpha_cp_list", entries * 2 * B_RANGE / rates.B_host),
        COPY_FORCE: ("alpha_cp_FORCE", n * (B_FORCE_SENT + B_FORCE) / rates.B_host),
        SEND_ALL: ("alpha_H2D_all", n * B_ROW / rates.B_transfer),
        SEND_LIST: ("alpha_H2D_list", entries * B_RANGE / rates.B_transfer),
        BRING_FORCE: ("alpha_D2H_FORCE", n * B_FORCE_SENT / rates.B_transfer),
        KERNEL: ("alpha_GPU_calc", n * pairs * OPERATIONS / rates.F_GPU),
    }


def at_the_same_time(seconds: dict[str, float]) -> float:
    """Return the overlapping seconds, as in (17): the device needs all rows, and works while the host makes lists."""
    on_host = seconds[MAKE_LIST] + seconds[COPY_LIST]
    on_device = seconds[SEND_ALL] + max(seconds[KERNEL], seconds[SEND_LIST])
    return max(on_host, on_device, seconds[BRING_FORCE])


def all_parts(n: float, rates: Rates, calibration: DeviceCalibration) -> dict[str, float]:
    """Return the seconds of all parts of both kinds of step, without overlap."""
    work = device_work(n, calibration.pairs(n), calibration.group_size, rates)
    added = {part: calibration.alpha(alpha, n) * seconds for part, (alpha, seconds) in work.items()}
    return {**host_phases(n, rates.B_host, calibration), **added}


def construction_step(n: float, rates: Rates, calibration: DeviceCalibration) -> dict[str, float]:
    """Seconds of a step that makes tree and lists, by the rows of its table."""
    seconds = all_parts(n, rates, calibration)
    overlapped = calibration.alpha("alpha_overlap", n) * at_the_same_time(seconds)
    return _rows(seconds, TREE, PARTS, seconds[COPY_ALL] + overlapped + seconds[COPY_FORCE])


def reusing_step(n: float, rates: Rates, calibration: DeviceCalibration) -> dict[str, float]:
    """Seconds of a step for which the device still has the lists; as in (18)."""
    seconds = all_parts(n, rates, calibration)
    overlapped = max(seconds[SEND_ALL] + seconds[KERNEL], seconds[BRING_FORCE])
    parts = tuple(part for part in PARTS if part not in (MAKE_LIST, COPY_LIST, SEND_LIST))
    return _rows(seconds, TREE_REUSED, parts, seconds[COPY_ALL] + overlapped + seconds[COPY_FORCE])


def total(rows: dict[str, float]) -> float:
    """Return the seconds of a step; an indented row is part of the row above it."""
    return sum(seconds for row, seconds in rows.items() if not row.startswith(" "))


def _rows(seconds: dict[str, float], tree: tuple[str, ...], parts: tuple[str, ...], force: float) -> dict[str, float]:
    of_force = {f"  {part}": seconds[part] for part in parts}
    of_tree = {row: seconds[row] for row in tree}
    return {**of_tree, FORCE: force, **of_force, INTEGRATION: seconds[INTEGRATION]}

"""A step of Trellis itself on the CPU: our own equations, in the paper's form, with factors that `calibrate` measures.

Trellis has one tree where FDPS has a local and a global one, moves no FP, and lists cells and leaves. So each of its
phases (`src/trellis/base/phase.hpp`) has an equation here: T = alpha * bytes / B_host. The bytes are those of its
arrays; what else takes time, such as arithmetic, grows with the number of particles as well, and is part of alpha.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydantic import ValidationInfo, field_validator

from trellis.config.parameters import Parameters, parameter
from trellis.errors import InputError

B_POSITION = 24  # bytes: three numbers in double precision
B_KEY = 16  # a key and its row, in memory
B_SOURCE = 32  # what gravity reads of a particle: position and mass
B_INDEX = 4  # the number of a row
B_ENTRY = 4  # an entry of an interaction list
B_CANDIDATE = 64  # what the check of lists reads of a far cell
LEAF = 16  # particles of a leaf, at most, that an entry stands for
SORT_ACCESSES = 3  # by the first digit: two reads and a write; all further passes stay within the cache
INTEGRATION_VECTORS = 9  # a kick, a drift, a kick: each reads two vectors and writes one

CHECK = "Check lists"  # the only phase that a construction step has not
REUSED = ("Reorder ptcl", "Calculate multipole moment", CHECK, "Force kernel", "Write back + integration")


def factors(meaning: str) -> Any:
    """Declare measured slowdown factors."""
    return parameter(..., f"slowdown factors for {meaning}, one for each of the sizes", min_length=1)


class HostPhases(Parameters):
    """Measurements of `trellis model calibrate`, those of the force kernel apart.

    Slowdown factors are given for several numbers of particles, since small ones fit into caches. Between them they are
    interpolated over the logarithm; beyond them, the nearest holds.
    """

    sizes: list[int] = parameter(..., "numbers of particles of the measurement, in ascending order", min_length=1)
    threads: int = parameter(..., "threads of the measurement", ge=1)
    theta: float = parameter(..., "opening angle of the measurement", gt=0)
    group_size: int = parameter(..., "largest number of particles that share a list", ge=1)
    alpha_root: list[float] = factors("searching the root cell")
    alpha_key: list[float] = factors("calculating keys")
    alpha_sort: list[float] = factors("sorting keys")
    alpha_reorder: list[float] = factors("reordering particles")
    alpha_link: list[float] = factors("linking cells")
    alpha_mom: list[float] = factors("moments of cells")
    alpha_const_list: list[float] = factors("constructing interaction lists")
    alpha_check_list: list[float] = factors("checking whether lists still hold")
    alpha_integration: list[float] = factors("writing back and integrating")
    pairs_base: float = parameter(..., "pairs of a particle, extrapolated to a single particle")
    pairs_slope: float = parameter(..., "pairs of a particle that come with every doubling of their number")

    @field_validator("sizes")
    @classmethod
    def _ascending(cls, sizes: list[int]) -> list[int]:
        if sizes[0] < 1 or sizes != sorted(set(sizes)):
            raise ValueError(f"is {sizes}, but must be positive numbers in ascending order")
        return sizes

    @field_validator("*")
    @classmethod
    def _one_for_each_size(cls, value: object, info: ValidationInfo) -> object:
        if str(info.field_name).startswith("alpha_") and isinstance(value, list) and "sizes" in info.data:
            count = len(info.data["sizes"])
            if len(value) != count or min(value) <= 0:
                raise ValueError(f"is {value}, but must be {count} positive numbers, one for each of the sizes")
        return value

    def alpha(self, name: str, n: float) -> float:
        """Return a slowdown factor, by the name of its field, for a number of particles."""
        return float(np.interp(math.log(n), np.log(self.sizes), getattr(self, name)))

    def pairs(self, n: float) -> float:
        """Return the mean number of pairs of a particle: each level of cells adds the same, as in equation (30)."""
        return max(self.pairs_base + self.pairs_slope * math.log2(n), 1.0)


class Calibration(HostPhases):
    """Phases, as above, and the force kernel on the threads of this process."""

    pair_rate: float = parameter(..., "pairs in a second; the time holds the far cells as well", unit="1/s", gt=0)


def list_entries(n: float, pairs: float, group_size: float) -> float:
    """Entries of all lists: leaves and far cells both count as p / 16; how many more there are is part of alpha."""
    return n / group_size * pairs / LEAF


def phase_bytes(n: float, pairs: float, group_size: float) -> dict[str, tuple[str, float]]:
    """Bytes that each phase moves, and the name of its slowdown factor; all phases but the force kernel.

    Parameters
    ----------
    n : float
        Number of particles.
    pairs : float
        Mean number of pairs of a particle.
    group_size : float
        Largest number of particles that share a list.
    """
    entries = list_entries(n, pairs, group_size)
    return {
        "Set root cell": ("alpha_root", n * B_POSITION),
        "Calculate key": ("alpha_key", n * (B_POSITION + B_KEY)),
        "Sort key": ("alpha_sort", n * SORT_ACCESSES * B_KEY),
        "Reorder ptcl": ("alpha_reorder", n * (2 * B_SOURCE + B_INDEX)),
        "Link tree cell": ("alpha_link", n * B_KEY),
        "Calculate multipole moment": ("alpha_mom", n * B_SOURCE),
        "Make interaction list": ("alpha_const_list", entries * B_ENTRY),
        CHECK: ("alpha_check_list", entries * B_CANDIDATE),
        "Write back + integration": ("alpha_integration", n * INTEGRATION_VECTORS * B_POSITION),
    }


def host_phases(n: float, B_host: float, calibration: HostPhases) -> dict[str, float]:
    """Seconds of each phase of both kinds of step, but for the force kernel."""
    return {
        phase: calibration.alpha(alpha, n) * size / B_host
        for phase, (alpha, size) in phase_bytes(n, calibration.pairs(n), calibration.group_size).items()
    }


def all_phases(n: float, B_host: float, calibration: Calibration) -> dict[str, float]:
    """Seconds of each phase of both kinds of step, in the order of a step."""
    seconds = host_phases(n, B_host, calibration)
    integration = seconds.pop("Write back + integration")
    kernel = n * calibration.pairs(n) / calibration.pair_rate
    return {**seconds, "Force kernel": kernel, "Write back + integration": integration}


def construction_step(n: float, B_host: float, calibration: Calibration) -> dict[str, float]:
    """Return the seconds of each phase of a construction step."""
    return {phase: spent for phase, spent in all_phases(n, B_host, calibration).items() if phase != CHECK}


def reusing_step(n: float, B_host: float, calibration: Calibration) -> dict[str, float]:
    """Return the seconds of each phase of a reusing step, whose lists are checked and stay valid."""
    return {phase: spent for phase, spent in all_phases(n, B_host, calibration).items() if phase in REUSED}


def check_covers(calibration: HostPhases, theta: float, group: float | None, ranks: int = 1) -> None:
    """Raise a ValueError for a prediction that the measurement does not cover."""
    if ranks > 1:
        raise InputError(f"'--ranks' is {ranks}, but a calibrated system stands for one process of Trellis")
    if theta != calibration.theta:
        raise InputError(
            f"'--theta' is {theta:g}, but the system was calibrated for {calibration.theta:g}: "
            f"run 'trellis model calibrate --theta {theta:g}'"
        )
    if group is not None and group != calibration.group_size:
        raise InputError(
            f"'--group' is {group:g}, but the system was calibrated with groups of at most {calibration.group_size}"
        )

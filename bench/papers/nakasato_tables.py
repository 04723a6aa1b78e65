"""Tables 2, 3 and 5 of Nakasato et al. (1997) in numbers: seconds measured with their master, slave and five boards.

Tables 1 and 4, which define the cases, are in `trellis.model.remote.cases`.
"""

from __future__ import annotations

from dataclasses import dataclass

TREE_PARTICLES = 50_000
TABLE_2 = {
    1.0: (7.64, {0.8: 12.47, 1.0: 7.61, 1.5: 2.91}),
    5.0: (7.63, {0.8: 19.34, 1.0: 12.79, 1.5: 6.92}),
    10.0: (7.64, {0.8: 20.56, 1.0: 14.38, 1.5: 8.52}),
}
"""Gravity of 50,000 particles by clustering alpha: Remote-GRAPE, and by opening angle a tree on the master."""


@dataclass(frozen=True)
class GasStep:
    """A row of table 3: seconds of a step of a gas, and of its parts."""

    case: str
    particles: int
    grape: float
    sph: float
    misc: float
    total: float


TABLE_3 = (
    GasStep("S-GN", 5_000, grape=2.1, sph=12.1, misc=0.3, total=14.5),
    GasStep("S-RGN", 5_000, grape=3.3, sph=0.6, misc=0.02, total=3.9),
    GasStep("S-GN", 10_000, grape=4.2, sph=23.1, misc=0.6, total=27.9),
    GasStep("S-RGN", 10_000, grape=6.2, sph=1.2, misc=0.04, total=7.4),
)

GAS_PARTICLES = 10_000
TABLE_5 = {"S-GN": 27.9, "S-RGN": 7.4, "PS-RG": 2.5}
"""A step of a gas of about 10,000 particles."""

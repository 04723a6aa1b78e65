"""Tables 2 and 3 of Oikawa et al. in numbers: seconds but where it says milliseconds, with 14,336 replicas."""

from __future__ import annotations

from dataclasses import dataclass

COMMUNICATION = {
    1: (0.06, 6.7, 0.02, 0.03, 0.006),
    64: (0.06, 6.7, 1.2, 2.0, 0.4),
    256: (0.06, 6.7, 4.7, 8.1, 1.5),
    1024: (0.06, 6.7, 19, 32, 6.1),
    4096: (0.06, 6.7, 76, 130, 24),
}
"""Table 2 by number of devices, of both systems: S_U / B_U, S_D / B_D, 2 n L_U, n L_D, n L_K in milliseconds."""

CLIENT = 8
"""Table 2, milliseconds: t_clt, of all rows."""


@dataclass(frozen=True)
class Row:
    """A row of table 2.

    Attributes
    ----------
    gpu, total : float
        t_gpu and T_0, of the model, milliseconds.
    ratio : float
        R_0, of the model.
    shares : tuple of int
        Per cent of T_0: t_gpu, the five of `COMMUNICATION`, t_clt; 0 is printed as "<1%".
    measured, measured_ratio : float or None
        T_1 in milliseconds, and R_1.
    """

    gpu: float
    total: float
    ratio: float
    shares: tuple[int, ...]
    measured: float | None = None
    measured_ratio: float | None = None


TABLE_2 = {
    "tsubame-256": {
        1: Row(37_034, 37_049, 0.99, (99, 0, 0, 0, 0, 0, 0), 37_064, 0.99),
        64: Row(579, 597, 0.96, (97, 0, 1, 0, 0, 0, 1), 604, 0.95),
        256: Row(145, 174, 0.83, (83, 0, 4, 3, 5, 1, 5), 175, 0.82),
        1024: Row(36, 108, 0.33, (33, 0, 6, 17, 30, 6, 7), 104, 0.35),
        4096: Row(9.0, 254, 0.03, (4, 0, 3, 30, 51, 10, 3)),
    },
    "tsubame-2048": {
        1: Row(482_367, 482_383, 0.99, (99, 0, 0, 0, 0, 0, 0), 482_884, 0.99),
        64: Row(7_536, 7_555, 0.99, (99, 0, 0, 0, 0, 0, 0), 7_589, 0.99),
        256: Row(1_884, 1_913, 0.98, (98, 0, 0, 0, 0, 0, 0), 1_922, 0.98),
        1024: Row(471, 543, 0.86, (86, 0, 1, 3, 5, 1, 1), 540, 0.87),
        4096: Row(118, 362, 0.32, (32, 0, 1, 20, 35, 6, 6)),
    },
}
"""Table 2 by system and number of devices; with one, ">0.99" and ">99%" are 0.99 and 99 here."""


@dataclass(frozen=True)
class Run:
    """A row of table 3: seconds before the main loop, of one of its iterations, after it, and of the whole run."""

    before: float
    iteration: float
    after: float
    total: float


ITERATIONS = {"tsubame-256": 1800, "tsubame-2048": 100}
"""Table 3, M_iter by system."""

TABLE_3 = {
    "tsubame-256": {
        "local": Run(0.8, 37.059, 171.4, 66_378.4),
        "remote": Run(1.5, 37.064, 148.6, 66_365.3),
    },
    "tsubame-2048": {
        "local": Run(1.8, 482.883, 164.9, 48_455.0),
        "remote": Run(3.0, 482.884, 280.7, 48_572.1),
    },
}
"""Table 3 by system: one device of the machine itself, and one over the network."""

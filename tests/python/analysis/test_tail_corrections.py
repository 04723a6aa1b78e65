from __future__ import annotations

import numpy as np
import pytest

from trellis import LennardJones
from trellis.analysis import (
    lennard_jones_tail_energy,
    lennard_jones_tail_pressure,
    mixture_tail_energy,
    mixture_tail_pressure,
)


def test_are_the_integrals_beyond_the_cutoff() -> None:
    density, cutoff, epsilon, sigma = 0.3, 2.4, 1.7, 1.2
    r = np.geomspace(cutoff, 1e4 * cutoff, 200_001)
    u = 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6)
    slope = 4 * epsilon * (-12 * (sigma / r) ** 12 + 6 * (sigma / r) ** 6) / r
    energy = 2 * np.pi * density * np.trapezoid(u * r**2, r)
    pressure = -2 / 3 * np.pi * density**2 * np.trapezoid(slope * r**3, r)
    assert lennard_jones_tail_energy(density, cutoff, epsilon=epsilon, sigma=sigma) == pytest.approx(energy, rel=1e-7)
    assert lennard_jones_tail_pressure(density, cutoff, epsilon=epsilon, sigma=sigma) == pytest.approx(
        pressure, rel=1e-7
    )


def test_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"density is -1\.0, but must be above 0"):
        lennard_jones_tail_energy(-1.0, 2.5)
    with pytest.raises(ValueError, match=r"cutoff is 0\.0, but must be above 0"):
        lennard_jones_tail_pressure(0.8, 0.0)


def test_those_of_a_mixture_are_sums_over_pairs_of_kinds() -> None:
    force = LennardJones(kinds={"A": (1.0, 1.0), "B": (0.5, 0.88)}, pairs=[("A", "B", 1.5, 0.8)], cutoff_in_sigma=True)
    r = np.geomspace(1, 1e4, 200_001)
    energy = pressure = 0.0
    for weight, epsilon, sigma in ((0.64, 1.0, 1.0), (0.32, 1.5, 0.8), (0.04, 0.5, 0.88)):
        at = 2.5 * sigma * r
        u = 4 * epsilon * ((sigma / at) ** 12 - (sigma / at) ** 6)
        slope = 4 * epsilon * (-12 * (sigma / at) ** 12 + 6 * (sigma / at) ** 6) / at
        energy += weight * 2 * np.pi * 1.2 * np.trapezoid(u * at**2, at)
        pressure += weight * -2 / 3 * np.pi * 1.2**2 * np.trapezoid(slope * at**3, at)
    assert mixture_tail_energy(force, 1.2, (4, 1)) == pytest.approx(energy, rel=1e-7)
    assert mixture_tail_pressure(force, 1.2, (4, 1)) == pytest.approx(pressure, rel=1e-7)
    alone = LennardJones(epsilon=1.7, sigma=1.2, cutoff=2.4)
    assert mixture_tail_energy(alone, 0.3, [1]) == lennard_jones_tail_energy(0.3, 2.4, epsilon=1.7, sigma=1.2)


def test_those_of_a_mixture_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="force is 1, but must be a LennardJones force"):
        mixture_tail_energy(1, 1.2, [1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="truncation is 'switched': tail corrections are for 'plain' alone"):
        mixture_tail_energy(LennardJones(truncation="switched"), 1.2, [1])
    with pytest.raises(ValueError, match=r"shares is \[4, 1\], but must have a number above 0 for each of 1 kinds"):
        mixture_tail_pressure(LennardJones(), 1.2, [4, 1])

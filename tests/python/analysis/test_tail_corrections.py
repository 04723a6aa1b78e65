from __future__ import annotations

import numpy as np
import pytest

from trellis.analysis import lennard_jones_tail_energy, lennard_jones_tail_pressure


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

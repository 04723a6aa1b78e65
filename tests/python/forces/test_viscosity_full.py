"""The viscosity of the Lennard-Jones liquid by the pressure tensor: pytest -m slow test_viscosity_full.py."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr

pytestmark = pytest.mark.slow

ATOMS, DENSITY, TEMPERATURE = 864, 0.8442, 0.725
EVERY, STEP, LONGEST, PARTS = 5, 0.004, 2.0, 10  # LONGEST: the time up to which correlations are counted


def correlated(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of x(0) x(t) for the times from 0 to LONGEST."""
    n, times = len(values), round(LONGEST / (EVERY * STEP)) + 1
    power = np.abs(np.fft.rfft(values, 2 * n)) ** 2
    return np.asarray(np.fft.irfft(power)[:times] / np.arange(n, n - times, -1))


def viscosity(tensors: NDArray[np.float64]) -> float:
    xx, yy, zz = (tensors[:, axis, axis] for axis in range(3))
    shears = [tensors[:, 0, 1], tensors[:, 1, 2], tensors[:, 2, 0], (xx - yy) / 2, (yy - zz) / 2]
    mean = np.mean([correlated(shear) for shear in shears], axis=0)
    return float(ATOMS / DENSITY / TEMPERATURE * np.trapezoid(mean, dx=EVERY * STEP))


def test_at_the_triple_point_is_that_of_ferrario() -> None:
    atoms = tr.ic.lennard_jones(ATOMS, density=DENSITY, temperature=2 * TEMPERATURE)
    bath = tr.Csvr(temperature=TEMPERATURE, relaxation_time=5.0)  # slow, so that it disturbs no shear
    sim = tr.Simulation(atoms, [tr.LennardJones(cutoff=2.5)], timestep=STEP, thermostat=bath)
    sim.run(until=80.0)
    tensors: list[NDArray[np.float64]] = []
    sim.run(until=80.0 + 1600.0, callbacks=[(EVERY, lambda now: tensors.append(now.pressure_tensor()))])
    parts = [viscosity(np.array(part)) for part in np.array_split(np.array(tensors), PARTS)]
    mean, error = np.mean(parts), np.std(parts, ddof=1) / np.sqrt(PARTS)
    print(f"viscosity {mean:.3f} +- {error:.3f}, Ferrario et al. (1991) 3.24 +- 0.04")
    assert error < 0.2
    assert abs(mean - 3.24) < 2.6 * np.hypot(error, 0.04)

"""A fluid that is not ideal and has exact averages: atoms on a line, which interact with two neighbours alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr

COUNT = 2000
CUTOFF = 2 ** (1 / 6)
R = np.linspace(0.6, 20, 200_001)
U = np.where(R < CUTOFF, 4 * (R**-12 - R**-6) + 1, 0)


def distances(pressure: float) -> NDArray[np.float64]:
    """Return the probabilities of the distances R of neighbours at k T = 1, exp(-u(r) - P r) (Takahashi 1942)."""
    weight = np.exp(-U - pressure * R)
    return np.asarray(weight / weight.sum())


def test_atoms_on_a_line_have_their_exact_pressure_and_energy() -> None:
    """They begin with independent distances of that distribution, in equilibrium; long waves would need long for it."""
    pressure = 1.5
    random = np.random.default_rng(1)
    drawn = np.sort(np.interp((np.arange(COUNT) + 0.5) / COUNT, distances(pressure).cumsum(), R))
    position = random.permutation(drawn).cumsum()
    atoms = tr.ParticleSet.from_columns(position=np.pad(position[:, None], ((0, 0), (0, 2))), mass=1.0)
    atoms.box = [drawn.sum(), 4, 4]
    atoms.velocity[:, 0] = random.normal(size=COUNT)
    bath = tr.Csvr(temperature=1.0, relaxation_time=0.1, axes="x", seed=1)
    sim = tr.Simulation(atoms, [tr.LennardJones(cutoff=CUTOFF, truncation="energy-shifted")], 0.005, thermostat=bath)
    found = []
    sim.run(
        steps=2000,
        callbacks=[
            (20, lambda now: found.append((16 * now.pressure_tensor()[0, 0], now.energies().potential / COUNT)))
        ],
    )
    mean = np.mean(found, axis=0)  # its spread, of eight seeds: 0.7 % and 1.1 %
    assert mean[0] == pytest.approx(pressure, rel=0.03)
    assert mean[1] == pytest.approx(distances(pressure) @ U, rel=0.05)

"""Liquids of Lennard-Jones atoms exchange as often as the analytic estimate says, and are canonical."""

from __future__ import annotations

from math import erfc

import numpy as np
import pytest

import trellis as tr

DENSITY, STEP, EVERY = 0.8442, 0.004, 100


def estimate(history: tr.ExchangeHistory) -> np.ndarray:
    """Acceptance of neighbours with normal distributions of energies: erfc(s db / 2) (Predescu et al. 2005)."""
    spread, b = history.energies().std(axis=0), 1 / history.temperatures
    means = (spread[1:] + spread[:-1]) / 2
    return np.array([erfc(0.5 * (high - low) * s) for high, low, s in zip(b, b[1:], means, strict=False)])


@pytest.mark.parametrize(
    ("atoms", "highest", "states", "exchanges"),
    [(256, 0.94, 4, 120), pytest.param(2048, 0.855, 4, 600, marks=pytest.mark.slow)],
)
def test_acceptance_of_a_liquid(atoms: int, highest: float, states: int, exchanges: int) -> None:
    ladder = tr.geometric_temperatures(0.8, highest, states)
    atoms_at = [
        tr.ic.lennard_jones(atoms, seed=k, density=DENSITY, temperature=2 * kT) for k, kT in enumerate(ladder)
    ]  # half of it melts the crystal
    ensemble = tr.Ensemble(
        atoms_at,
        tr.LennardJones(truncation="force-shifted"),
        timestep=STEP,
        thermostat=tr.Langevin(temperature=1.0, relaxation_time=0.5, seed=1),
    )
    exchange = tr.ReplicaExchange(ensemble, ladder, exchange_every=EVERY)
    exchange.run(30)
    history = exchange.run(exchanges)
    found = tr.analysis.acceptance(history)
    print(f"\n{atoms} atoms, k T {ladder.round(4)}, {exchanges} exchanges")
    for k, (rate, error, sampled, normal) in enumerate(
        zip(found.rate, found.error, found.expected, estimate(history), strict=True)
    ):
        print(f"{k} and {k + 1}: made {rate:.3f} +- {error:.3f}, by energies {sampled:.3f}, normal {normal:.3f}")
    assert 0.2 < found.rate.min() < found.rate.max() < 0.8
    assert found.rate.mean() == pytest.approx(estimate(history).mean(), abs=4 * np.linalg.norm(found.error) / states)
    assert np.abs((found.rate - found.expected) / found.error).max() < 4
    test = tr.analysis.ratio_test(history.energies(), ladder)
    assert np.abs(test.deviation).max() < 4

from __future__ import annotations

import harmonic
import numpy as np
import pytest

from trellis.analysis import ratio_test

LADDER = np.geomspace(1.0, 1.6, 4)


def likelihood(energies: np.ndarray, slope: float) -> float:
    """The largest likelihood of where the energies of two states are from, for a slope; by bisection."""
    is_first = np.repeat([True, False], len(energies))
    both = energies.T.ravel()
    low, high = -100.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        chance = 1 / (1 + np.exp(-(middle + slope * both)))
        low, high = (middle, high) if chance.sum() < is_first.sum() else (low, middle)
    return float(np.log(np.where(is_first, chance, 1 - chance)).sum())


def test_slope_has_the_largest_likelihood() -> None:
    energies = harmonic.independent(LADDER[:2], 200, 6, 1)
    slope = ratio_test(energies, LADDER[:2]).slope[0]
    best = likelihood(energies, slope)
    for step in (1e-3, 1e-2, 0.1):
        beside = likelihood(energies, slope - step), likelihood(energies, slope + step)
        assert max(beside) < best
        assert best - beside[0] == pytest.approx(best - beside[1], rel=0.1)


@pytest.mark.parametrize("memory", [0.0, 0.9])
def test_right_energies_pass_and_a_wrong_temperature_fails(memory: float) -> None:
    deviations, chances = [], []
    for seed in range(20):
        energies = harmonic.remembering(LADDER, 4000, 10, memory, seed)
        found = ratio_test(energies, LADDER)
        assert found.expected == pytest.approx(np.diff(1 / LADDER))
        deviations.append(found.deviation)
        chances.append(found.p_value)
    assert 0.8 < np.std(deviations) < 1.25
    assert np.min(chances) > 1e-3 / 60
    assert np.mean(np.array(chances) > 0.05) > 0.85
    energies = harmonic.remembering(LADDER * [1, 1, 0.8, 1], 20_000, 10, memory, 1)
    p_values = ratio_test(energies, LADDER).p_value
    assert p_values[0] > 1e-3
    assert (p_values[1:] < 1e-6).all()


def test_energies_need_no_factor_of_their_unit() -> None:
    energies = harmonic.independent(LADDER, 2000, 10, 1)
    found, scaled = ratio_test(energies, LADDER), ratio_test(1e6 * energies - 1e8, 1e6 * LADDER)
    assert scaled.deviation == pytest.approx(found.deviation, abs=1e-4)


def test_replica_exchange_passes_and_wrong_rules_fail() -> None:
    deviations = []
    for seed in range(20):
        history = harmonic.exchange(LADDER, 3000, 10, seed, memory=0.9)
        deviations.append(ratio_test(history.energies(), LADDER).deviation)
    assert 0.75 < np.std(deviations) < 1.3
    assert np.abs(deviations).max() < 4.5
    for factor in (0.1, -1.0):  # energies a particle, and the wrong sign
        history = harmonic.exchange(LADDER, 10_000, 10, 1, memory=0.9, factor=factor)
        assert ratio_test(history.energies(), LADDER).p_value.min() < 1e-6


def test_table() -> None:
    found = ratio_test(harmonic.independent(LADDER, 500, 10, 1), LADDER)
    lines = str(found).splitlines()
    assert lines[0].split() == ["states", "slope", "+-", "expected", "deviation", "p"]
    assert lines[3].split()[:3] == ["2,", "3", f"{found.slope[2]:.6g}"]


def test_says_what_is_allowed() -> None:
    energies = harmonic.independent(LADDER, 50, 4, 1)
    with pytest.raises(ValueError, match="the energies of states 1 and 2 do not overlap: nothing can be said"):
        ratio_test(energies + np.array([0, 0, 1000, 1000]), LADDER)
    with pytest.raises(ValueError, match="needs states of different temperatures"):
        ratio_test(energies[:, :1], LADDER[:1])
    with pytest.raises(ValueError, match="needs states of different temperatures"):
        ratio_test(energies, [1, 1, 2, 3])

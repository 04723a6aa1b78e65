from __future__ import annotations

import harmonic
import numpy as np
import pytest

from trellis.analysis import autocorrelation_time, effective_samples, thinned


def autoregressive(factor: float, samples: int, seed: int) -> np.ndarray:
    """A series whose autocorrelation function is factor^t."""
    noise = np.random.default_rng(seed).normal(size=samples) * np.sqrt(1 - factor**2)
    found = np.empty(samples)
    last = noise[0] / np.sqrt(1 - factor**2)
    for k, each in enumerate(noise):
        last = factor * last + each
        found[k] = last
    return found


@pytest.mark.parametrize("factor", [0.0, 0.5, 0.9, 0.97])
def test_of_an_autoregressive_series(factor: float) -> None:
    exact = 0.5 * (1 + factor) / (1 - factor)
    assert autocorrelation_time(autoregressive(factor, 200_000, 1)) == pytest.approx(exact, rel=0.08)


def test_is_the_sum_of_the_function_up_to_its_window() -> None:
    series = autoregressive(0.7, 300, 2) + 5.0
    from_mean = series - series.mean()
    rho = [from_mean[: 300 - t] @ from_mean[t:] / (from_mean @ from_mean) for t in range(300)]
    time, window = 0.5, 0
    while window < 5 * time:
        window += 1
        time += rho[window]
    assert autocorrelation_time(series) == pytest.approx(time, rel=1e-10)


def test_series_that_turn_count_as_independent() -> None:
    assert autocorrelation_time(autoregressive(-0.6, 10_000, 3)) == 0.5


def test_effective_samples_say_how_much_means_scatter() -> None:
    all_series = [autoregressive(0.8, 2000, seed) for seed in range(200)]
    scatter = np.var([series.mean() for series in all_series])
    assert np.mean([effective_samples(series) for series in all_series]) == pytest.approx(1 / scatter, rel=0.25)


def test_thinned_samples_are_nearly_independent() -> None:
    series = autoregressive(0.9, 40_000, 4)
    kept = thinned(series)
    assert len(kept) == pytest.approx(effective_samples(series), abs=1)
    assert np.isin(kept, series).all()
    assert abs(np.corrcoef(kept[1:], kept[:-1])[0, 1]) < 0.9**19 + 5 / np.sqrt(len(kept))


def test_thinned_energies_have_the_distribution_of_their_temperature() -> None:
    temperature, memory = np.array([1.7]), 0.8
    chances = []
    for seed in range(20):
        energies = harmonic.remembering(temperature, 8000, 6, memory, seed)[:, 0]
        assert autocorrelation_time(energies) == pytest.approx((1 + memory**2) / (1 - memory**2) / 2, rel=0.25)
        chances.append(harmonic.kolmogorov_smirnov(thinned(energies), 1.7, 6))
        assert harmonic.kolmogorov_smirnov(thinned(energies), 1.5, 6) < 1e-6
    assert min(chances) > 1e-3
    assert max(chances) > 0.5


def test_say_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"has the shape \(1,\), but must have \(samples,\), of at least 2"):
        autocorrelation_time([1.0])
    with pytest.raises(ValueError, match=r"has the shape \(2, 2\)"):
        thinned(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"^sample 1 of a series is not finite"):
        effective_samples([1.0, np.inf, 2.0])
    with pytest.raises(ValueError, match=r"^all samples of a series are 3: they have no autocorrelation"):
        autocorrelation_time([3.0, 3.0])

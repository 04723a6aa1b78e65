from __future__ import annotations

import sys

import harmonic
import numpy as np
import pytest

import trellis as tr

LADDER = np.geomspace(0.5, 2.0, 6)


def test_of_harmonic_systems_is_half_a_dimension() -> None:
    found = tr.analysis.heat_capacity(harmonic.independent(LADDER, 20_000, 12, 1), LADDER, degrees_of_freedom=12)
    assert (found.temperature == LADDER).all()
    assert (np.abs(found.configurational - 6) < 4 * found.error).all()
    assert found.total == pytest.approx(found.configurational + 6)
    # variance of a sample variance of a gamma distribution of shape a, over T^4: (3 a^2 + 6 a - a^2) / n
    assert found.error == pytest.approx(np.sqrt((2 * 36 + 36) / 20_000), rel=0.6)


@pytest.mark.parametrize("memory", [0.0, 0.9])
def test_errors_are_the_scatter_of_what_is_found(memory: float) -> None:
    deviations = []
    for seed in range(25):
        energies = harmonic.remembering(LADDER, 4000, 6, memory, seed)
        found = tr.analysis.heat_capacity(energies, LADDER, 0)
        deviations.append((found.total - 3) / found.error)
    # a scatter of 150 numbers, and of errors that scatter by a sixth
    assert 0.85 < np.std(deviations) < 1.3
    assert abs(np.mean(deviations)) < 0.5


def test_by_mbar_at_any_temperature() -> None:
    energies = harmonic.independent(LADDER, 1000, 12, 2)
    at = np.linspace(0.5, 2.0, 31)
    curve = tr.analysis.heat_capacity_curve(energies, LADDER, 12, at)
    assert (curve.temperature == at).all()
    assert curve.total == pytest.approx(curve.configurational + 6)
    assert (np.abs(curve.total - 12) < 4 * curve.error).all()
    # all states together know more than each alone
    alone = tr.analysis.heat_capacity(energies, LADDER, 12)
    assert curve.error.mean() < 0.8 * alone.error.mean()
    assert len(tr.analysis.heat_capacity_curve(energies[:50], LADDER, 12).temperature) == 200


@pytest.mark.parametrize("memory", [0.0, 0.8])
def test_errors_by_mbar_are_the_scatter(memory: float) -> None:
    deviations = []
    for seed in range(12):
        energies = harmonic.remembering(LADDER[::2], 1200, 8, memory, seed)
        found = tr.analysis.heat_capacity_curve(energies, LADDER[::2], 0, np.linspace(0.5, 1.2, 5))
        deviations.append((found.total - 4) / found.error)
    assert 0.6 < np.sqrt(np.mean(np.square(deviations))) < 1.5


def test_replicates_by_mbar_are_those_without_a_block() -> None:
    energies = harmonic.independent(LADDER, 400, 12, 4)
    at = np.linspace(0.5, 2.0, 9)
    found = tr.analysis.heat_capacity_curve(energies, LADDER, 0, at)
    for k in (0, 7, 19):
        alone = tr.analysis.heat_capacity_curve(np.delete(energies, slice(20 * k, 20 * k + 20), axis=0), LADDER, 0, at)
        assert np.abs(found.replicates[k] - alone.total).max() < 1e-3 * np.abs(alone.total - found.total).max()


def test_free_energies_by_mbar() -> None:
    found = tr.analysis.mbar(harmonic.independent(LADDER, 2000, 10, 3) + 1e4, LADDER)
    exact = -5 * np.log(LADDER / LADDER[0]) + 1e4 * (1 / LADDER - 1 / LADDER[0])
    differences = found.compute_free_energy_differences()
    assert (np.abs(found.f_k - exact)[1:] < 4 * differences["dDelta_f"][0, 1:]).all()
    assert differences["dDelta_f"].max() < 0.2


def two_levels(moments: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Energies 0, of one state, and 1, of thirty, at temperatures about the peak of the heat capacity."""
    temperatures = np.linspace(0.18, 0.5, 7)
    up = 30 * np.exp(-1 / temperatures)
    energies = np.random.default_rng(seed).random((moments, 7)) < up / (1 + up)
    return energies.astype(float), temperatures


def test_peak_of_two_levels() -> None:
    dense = np.linspace(0.2, 0.4, 20_001)
    up = 30 * np.exp(-1 / dense)
    exact = up / (1 + up) ** 2 / dense**2
    top = int(np.argmax(exact))
    deviations = []
    for seed in range(10):
        found = tr.analysis.heat_capacity_curve(*two_levels(1500, seed), degrees_of_freedom=0).peak()
        assert 0 < found.temperature_error < 0.01
        assert 0 < found.height_error < 0.2
        deviations.append((found.temperature - dense[top]) / found.temperature_error)
        deviations.append((found.height - exact[top]) / found.height_error)
    assert np.abs(deviations).max() < 4
    assert 0.5 < np.std(deviations) < 1.6


def test_peak_is_the_top_of_a_parabola() -> None:
    at = np.array([0.1, 0.2, 0.28, 0.4, 0.5])
    centres = 0.31 + np.linspace(-0.01, 0.01, 20)[:, None]
    found = tr.analysis.HeatCapacity(at, at, 5 - (at - 0.31) ** 2, 4 - (at - centres) ** 2).peak()
    assert found.temperature == pytest.approx(0.31)
    assert found.height == pytest.approx(5)
    assert found.temperature_error == pytest.approx(np.sqrt(19) * np.std(centres))
    assert found.height_error == pytest.approx(0, abs=1e-12)


def test_a_peak_lies_between_temperatures() -> None:
    energies, temperatures = two_levels(4000, 1)
    found = tr.analysis.heat_capacity(energies, temperatures, 0).peak()  # of a coarse ladder, in any order
    backwards = tr.analysis.heat_capacity(energies[:, ::-1], temperatures[::-1], 0).peak()
    assert backwards == pytest.approx(found)
    assert abs(found.temperature - 0.228) < 0.02
    with pytest.raises(ValueError, match=r"largest at an end of the temperatures, 0\.34: a peak needs some"):
        tr.analysis.heat_capacity(energies[:, 3:], temperatures[3:], 0).peak()


def test_mbar_leaves_the_random_numbers_of_others() -> None:
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.get_state()[1].tolist()  # noqa: NPY002
    tr.analysis.mbar(harmonic.independent(LADDER, 50, 4, 1), LADDER)
    assert np.random.get_state()[1].tolist() == expected  # noqa: NPY002


def test_without_pymbar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymbar", None)
    with pytest.raises(RuntimeError, match=r"^MBAR needs the package pymbar: pip install pymbar$"):
        tr.analysis.mbar(harmonic.independent(LADDER, 50, 4, 1), LADDER)


def test_say_what_is_allowed() -> None:
    energies = harmonic.independent(LADDER, 50, 4, 1)
    with pytest.raises(ValueError, match="a heat capacity of 39 moments: for an error there must be at least 40"):
        tr.analysis.heat_capacity(energies[:39], LADDER, 4)
    with pytest.raises(ValueError, match=r"shape \(50, 5\), but must have \(moments, 6\), one for each temperature"):
        tr.analysis.mbar(energies[:, 1:], LADDER)
    with pytest.raises(ValueError, match="temperatures must be one list of numbers above 0"):
        tr.analysis.heat_capacity(energies, LADDER - 1, 4)
    with pytest.raises(ValueError, match="MBAR needs energies of two states or more"):
        tr.analysis.mbar(energies[:, :1], LADDER[:1])
    with pytest.raises(ValueError, match="degrees_of_freedom is -1, but must be a number of at least 0"):
        tr.analysis.heat_capacity(energies, LADDER, -1)
    with pytest.raises(ValueError, match=r"at must be one list of temperatures from 0\.5 to 2"):
        tr.analysis.heat_capacity_curve(energies, LADDER, 4, [0.4, 1.0])
    energies[3, 2] = np.nan
    with pytest.raises(ValueError, match="the energy of state 2 at moment 3 is nan: not finite"):
        tr.analysis.heat_capacity(energies, LADDER, 4)

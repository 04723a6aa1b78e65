from __future__ import annotations

import dataclasses

import harmonic
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import trellis as tr
from trellis.plot.style import STYLES

LADDER = np.geomspace(1.0, 2.0, 5)
HISTORY = harmonic.exchange(LADDER, 400, dimensions=12, seed=1)


def test_acceptance_of_neighbours() -> None:
    ax = tr.plot.acceptance(HISTORY)
    found = tr.analysis.acceptance(HISTORY)
    line, points = ax.get_lines()[:2]
    assert line.get_xdata() == pytest.approx((LADDER[1:] + LADDER[:-1]) / 2)
    assert (line.get_ydata() == found.expected).all()
    assert (points.get_ydata() == found.rate).all()
    (bars,) = ax.containers[0].lines[2]
    assert np.ptp(bars.get_segments()[2], axis=0) == pytest.approx([0, 2 * found.error[2]])


def test_replica_walk_of_some_systems() -> None:
    ax = tr.plot.replica_walk(HISTORY)
    assert [text.get_text() for text in ax.texts] == [" system 0", " system 2", " system 4"]
    for line, system, start in zip(ax.get_lines(), (0, 2, 4), ax.get_yticks()[::2], strict=True):
        assert line.get_ydata() == pytest.approx(start + HISTORY.state[:, system])
    (line,) = tr.plot.replica_walk(HISTORY, [3]).get_lines()
    assert (line.get_ydata() == HISTORY.state[:, 3]).all()
    with pytest.raises(ValueError, match="there is no system 5: allowed is 0 to 4"):
        tr.plot.replica_walk(HISTORY, [5])


def test_energy_histograms_have_the_mean_of_each_state() -> None:
    ax = tr.plot.energy_histograms(HISTORY.energies(), LADDER)
    assert len(ax.patches) == 5
    for patch, energies in zip(ax.patches, HISTORY.energies().T, strict=True):
        density, edges, _ = patch.get_data()
        assert density.sum() * (edges[1] - edges[0]) == pytest.approx(1)
        middles = (edges[1:] + edges[:-1]) / 2
        assert middles @ density / density.sum() == pytest.approx(energies.mean(), abs=edges[1] - edges[0])
    assert len({patch.get_edgecolor() for patch in ax.patches}) == 5


def test_states_of_one_temperature_are_drawn_by_number() -> None:
    volume = 100 + 10.0 * HISTORY.state + np.random.default_rng(1).normal(size=HISTORY.state.shape)
    pressed = dataclasses.replace(HISTORY, temperatures=np.ones(5), pressure=np.arange(5.0), volume=volume)
    acceptance, _, energies, volumes, *_ = tr.plot.replica_overview(pressed, 12).axes
    assert acceptance.get_xlabel() == "between states"
    assert acceptance.get_lines()[0].get_xdata() == pytest.approx([0.5, 1.5, 2.5, 3.5])
    assert (energies.get_xlabel(), volumes.get_xlabel()) == ("potential energy", "volume")
    for k, patch in enumerate(volumes.patches):
        density, edges, _ = patch.get_data()
        assert (edges[1:] + edges[:-1]) / 2 @ density / density.sum() == pytest.approx(100 + 10 * k, abs=0.5)
    assert len({patch.get_edgecolor() for patch in energies.patches}) == 5
    with pytest.raises(ValueError, match=r"values have the shape \(3,\)"):
        tr.plot.state_histograms([1, 2, 3], "volume")


def test_heat_capacity_has_a_band_and_points() -> None:
    energies = HISTORY.energies()
    curve = tr.analysis.heat_capacity_curve(energies, LADDER, 12)
    states = tr.analysis.heat_capacity(energies, LADDER, 12)
    ax = tr.plot.heat_capacity(curve, states)
    line, points = ax.get_lines()[:2]
    assert (line.get_ydata() == curve.total).all()
    assert (points.get_xdata() == LADDER).all()
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx((curve.total + curve.error).max())
    assert tr.plot.heat_capacity(curve).get_legend() is None


def test_colours_are_those_of_a_style() -> None:
    for name, style in STYLES.items():
        walk = tr.plot.replica_walk(HISTORY, style=name)
        assert to_rgb(walk.figure.get_facecolor()) == to_rgb(style.page)
        grey = style.colours_seen()(np.linspace(0, 1, 64))[:, :3] @ [0.2126, 0.7152, 0.0722]
        page = np.array(to_rgb(style.page)) @ [0.2126, 0.7152, 0.0722]
        assert np.abs(grey - page).min() > 0.15

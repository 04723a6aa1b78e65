from __future__ import annotations

import numpy as np
import pytest

import trellis as tr
from trellis.analysis import MassFunction, PowerSpectrum

LINEAR = tr.cosmology.LinearPower(tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81))


def test_power_spectrum_beside_linear_theory() -> None:
    k = np.array([1e-4, 2e-4, 3e-4])
    found = PowerSpectrum(k, np.array([3e12, 2e12, -1e11]), np.array([18, 60, 100]), 1e11)
    ax = tr.plot.power_spectrum(found, linear=LINEAR, a=0.5, label="z = 1")
    measured, theory, noise = ax.get_lines()
    assert measured.get_xdata() == pytest.approx(k[:2] * 1000)  # what is below 0 has no place
    assert measured.get_ydata() == pytest.approx([3e3, 2e3])
    assert theory.get_ydata()[0] == pytest.approx(LINEAR(1e-4, 0.5) / 1e9)
    assert noise.get_ydata()[0] == pytest.approx(100)
    assert ax.get_xlabel() == "k [h / Mpc]"
    tr.plot.power_spectrum(found, linear=LINEAR, a=1.0, label="z = 0", ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["z = 1", "linear theory", "shot noise", "z = 0"]
    assert tr.plot.power_spectrum(found).get_xlabel() == "k [1 / length]"


def test_mass_function_beside_a_fit() -> None:
    found = MassFunction(
        np.array([20.0, 60.0]),
        np.array([3e-13, 0.0]),
        np.array([1e-13, 0.0]),
        np.array([9, 0]),
        np.array([10.0, 40, 100]),
    )
    ax = tr.plot.mass_function(found, linear=LINEAR)
    fit, points = ax.get_lines()[1], ax.containers[0].lines[0]
    if len(points.get_xdata()) != 1:
        fit, points = points, fit
    assert points.get_xdata() == pytest.approx([20e10])  # a bin without halos is left out
    assert points.get_ydata() == pytest.approx([3e-4])
    assert fit.get_xdata()[0] == pytest.approx(10e10)
    assert fit.get_ydata()[0] == pytest.approx(tr.cosmology.halo_abundance(LINEAR, 10.0) * 1e9)
    assert ax.get_legend_handles_labels()[1] == ["Watson et al. (2013)", "friends of friends"]


def test_projected_density_with_halos() -> None:
    random = np.random.default_rng(1)
    clumps = [np.array([20.0, 30.0, height]) + 0.2 * random.standard_normal((100, 3)) for height in (50.0, 90.0)]
    particles = tr.ParticleSet.from_columns(
        position=np.concatenate((*clumps, 100 * random.random((2000, 3)))), mass=1.0
    )
    particles.box = [[0.0] * 3, [100.0] * 3]
    halos = tr.analysis.find_halos(particles)
    assert len(halos) == 2
    ax = tr.plot.projected_density(particles, depth=0.2, halos=halos)
    assert ax.images[0].get_array().shape == (64, 64)
    assert np.unravel_index(ax.images[0].get_array().argmax(), (64, 64)) == (19, 13)
    (circle,) = ax.patches  # the other one is not in the slice
    assert circle.get_center() == pytest.approx((20, 30), abs=0.2)
    assert circle.get_radius() == pytest.approx(halos.radius_200c.min(), rel=0.5)

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trellis as tr
from trellis.ic.hernquist import distribution

N = 40_000
MODELS = {
    "plummer": tr.ic.plummer,
    "sphere": tr.ic.sphere,
    "hernquist": tr.ic.hernquist,
    "two-galaxies": tr.ic.two_galaxies,
}


def energies(particles: tr.ParticleSet) -> tuple[float, float]:
    """Kinetic energy, and the potential energy of a sphere with the radii of the particles."""
    kinetic = 0.5 * float(particles.mass @ (particles.velocity**2).sum(axis=1))
    radius = np.linalg.norm(particles.position, axis=1)
    order = np.argsort(radius)
    mass = particles.mass[order]
    within = np.cumsum(mass) - 0.5 * mass
    return kinetic, -float((mass * within / radius[order]).sum())


def fraction_within(particles: tr.ParticleSet, radii: np.ndarray) -> np.ndarray:
    radius = np.sort(np.linalg.norm(particles.position, axis=1))
    return np.searchsorted(radius, radii) / len(radius)


@pytest.mark.parametrize("name", MODELS)
def test_mass_and_rest(name: str) -> None:
    particles = MODELS[name](N, seed=3)
    assert particles.mass.sum() == pytest.approx(1.0)
    assert np.abs(particles.mass @ particles.position).max() < 1e-13
    assert np.abs(particles.mass @ particles.velocity).max() < 1e-13
    assert particles.id.tolist() == list(range(N))


@pytest.mark.parametrize("name", MODELS)
def test_the_seed_decides(name: str) -> None:
    one, same, other = (MODELS[name](1000, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(one.position, same.position)
    assert np.array_equal(one.velocity, same.velocity)
    assert not np.array_equal(one.position, other.position)


# tolerances are five standard deviations or so of samples of N
@pytest.mark.parametrize(
    ("make", "energy", "virial_ratio"),
    [
        (lambda: tr.ic.sphere(N, seed=3), -0.25, 0.0),
        (lambda: tr.ic.sphere(N, seed=3, virial_ratio=0.5), -0.25, 0.5),
        (lambda: tr.ic.sphere(N, seed=3, virial_ratio=1.0), -0.25, 1.0),
        (lambda: tr.ic.plummer(N, seed=3), -0.25, 1.0),
        # the whole sphere has W = -1/2; the cut one 2 % more mass inside
        (lambda: tr.ic.hernquist(N, seed=3), -0.25 * (33.633 / 33.3) ** 4, 1.0),
    ],
)
def test_energy_and_virial_ratio(make: Callable[[], tr.ParticleSet], energy: float, virial_ratio: float) -> None:
    kinetic, potential = energies(make())
    assert kinetic + potential == pytest.approx(energy, rel=0.02)
    assert -2 * kinetic / potential == pytest.approx(virial_ratio, abs=0.03)


def test_the_cold_sphere_has_the_radius_of_its_energy() -> None:
    particles = tr.ic.sphere(N, seed=3)
    radii = 2.4 * np.array([0.3, 0.5, 0.7, 0.9])
    assert fraction_within(particles, radii) == pytest.approx((radii / 2.4) ** 3, abs=0.012)
    assert np.linalg.norm(particles.position, axis=1).max() == pytest.approx(2.4, rel=0.01)
    assert not particles.velocity.any()


def test_plummer_profile_and_cut() -> None:
    a, radii = 3 * np.pi / 16, np.array([0.2, 0.5, 1.0, 2.0, 5.0])
    analytic = (1 + (a / radii) ** 2) ** -1.5
    assert fraction_within(tr.ic.plummer(N, seed=3), radii) == pytest.approx(analytic, abs=0.012)
    cut = tr.ic.plummer(N, seed=3, cut_radius=1.0)
    inside = (1 + a**2) ** -1.5
    assert fraction_within(cut, radii[:3]) == pytest.approx(analytic[:3] / inside, abs=0.012)
    assert np.linalg.norm(cut.position, axis=1).max() < 1.02


def test_hernquist_profile_and_cut() -> None:
    a, radii, cut_radius = 1 / 3, np.array([0.1, 0.3, 1.0, 3.0, 10.0]), 33.3
    analytic = (radii / (radii + a)) ** 2 / (cut_radius / (cut_radius + a)) ** 2
    particles = tr.ic.hernquist(N, seed=3)
    assert fraction_within(particles, radii) == pytest.approx(analytic, abs=0.012)
    assert np.linalg.norm(particles.position, axis=1).max() < cut_radius + 0.2


def test_plummer_speeds_follow_its_distribution_function() -> None:
    """The dispersion of one component is (1/6) M / sqrt(r^2 + a^2), at all radii."""
    a = 3 * np.pi / 16
    particles = tr.ic.plummer(N, seed=3)
    radius = np.linalg.norm(particles.position, axis=1)
    for low, high in ((0.0, 0.4), (0.4, 0.8), (0.8, 1.6), (1.6, 4.0)):
        shell = (radius >= low) & (radius < high)
        expected = (1 / 6 / np.sqrt(radius[shell] ** 2 + a**2)).mean()
        assert particles.velocity[shell].var(axis=0).mean() == pytest.approx(expected, rel=0.04)


def test_hernquist_speeds_obey_the_jeans_equation() -> None:
    """Equation 10 of Hernquist (1990), with G = M = 1."""
    a = 1 / 3
    mass = (33.633 / 33.3) ** 2  # of the whole sphere; the cut does not touch the inner orbits
    particles = tr.ic.hernquist(4 * N, seed=3)
    radius = np.linalg.norm(particles.position, axis=1)
    for low, high in ((0.05, 0.1), (0.3, 0.5), (1.0, 1.5), (3.0, 5.0)):
        shell = (radius >= low) & (radius < high)
        r = radius[shell]
        x = r / a
        dispersion = (
            (12 * r * (r + a) ** 3 / a**4 * np.log((r + a) / r) - r / (r + a) * (25 + 52 * x + 42 * x**2 + 12 * x**3))
            * mass
            / (12 * a)
        )
        assert particles.velocity[shell].var(axis=0).mean() == pytest.approx(dispersion.mean(), rel=0.05)


def test_hernquist_distribution_function_at_low_energy_is_a_power_law() -> None:
    assert distribution(np.array([4e-4])) / distribution(np.array([1e-4])) == pytest.approx(4**2.5, rel=2e-2)


def test_bound_models_have_no_unbound_particles() -> None:
    particles = tr.ic.plummer(N, seed=3)
    escape = np.sqrt(2 * 1.001) * (np.linalg.norm(particles.position, axis=1) ** 2 + (3 * np.pi / 16) ** 2) ** -0.25
    assert (np.linalg.norm(particles.velocity, axis=1) < 1.02 * escape).all()


@pytest.mark.parametrize("mass_ratio", [1.0, 0.25])
def test_two_galaxies_stand_apart_on_a_parabola(mass_ratio: float) -> None:
    particles = tr.ic.two_galaxies(N, seed=3, mass_ratio=mass_ratio, separation=6.0, pericentre=1.0)
    second = round(N * mass_ratio / (1 + mass_ratio))
    first, last = slice(0, N - second), slice(N - second, N)
    offset = np.median(particles.position[first], axis=0) - np.median(particles.position[last], axis=0)
    drift = particles.velocity[first].mean(axis=0) - particles.velocity[last].mean(axis=0)
    assert np.abs(offset) == pytest.approx([6.0, 0.0, 0.0], abs=0.05)
    assert 0.5 * drift @ drift - 1 / 6.0 == pytest.approx(0.0, abs=0.01)  # parabola: no energy
    assert abs(np.cross(offset, drift)[2]) == pytest.approx(np.sqrt(2.0), abs=0.05)  # L^2 = 2 M pericentre
    assert offset @ drift < 0


@settings(max_examples=20, deadline=None)
@given(
    count=st.integers(1, 50),
    seed=st.integers(0, 2**63),
    cut_radius=st.floats(1e-3, 1e6),
    mass_ratio=st.floats(1e-3, 1),
)
def test_any_allowed_parameters_give_finite_particles(
    count: int, seed: int, cut_radius: float, mass_ratio: float
) -> None:
    for particles in (
        tr.ic.plummer(count, seed=seed, cut_radius=cut_radius),
        tr.ic.hernquist(count, seed=seed, cut_radius=cut_radius),
        tr.ic.two_galaxies(count, seed=seed, mass_ratio=mass_ratio),
    ):
        assert len(particles) == count
        for name in ("position", "velocity", "mass"):
            particles.check_finite(name)


def test_arguments_out_of_range() -> None:
    with pytest.raises(ValueError, match="'particles' is 0, but must be at least 1"):
        tr.ic.plummer(0)
    with pytest.raises(ValueError, match=r"'virial_ratio' is 2.5, but must be below 2"):
        tr.ic.sphere(10, virial_ratio=2.5)
    with pytest.raises(ValueError, match=r"pericentre = 9.0, but must have at most separation = 5.0"):
        tr.ic.two_galaxies(10, pericentre=9.0)

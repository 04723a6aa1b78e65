from __future__ import annotations

import numpy as np
import pytest

import trellis as tr
from trellis.plot.neighbourhood import nearby, neighbour_distances
from trellis.plot.surface import SPREAD, surface_density
from trellis.plot.window import Window, centre_of, rounded_up, snapped, window_of

pytestmark = pytest.mark.pixels


def window(half_width: float, plane: str = "xy") -> Window:
    return Window(plane, np.zeros(3), half_width, half_width)


def histogram(particles: tr.ParticleSet, half_width: float, pixels: int) -> np.ndarray:
    """The oracle: the whole mass of a particle is in the pixel that it is in."""
    x, y, _ = particles.position.T
    edges = np.linspace(-half_width, half_width, pixels + 1)
    mass, _, _ = np.histogram2d(y, x, bins=(edges, edges), weights=particles.mass)
    return mass / (2 * half_width / pixels) ** 2


def spread_slowly(particles: tr.ParticleSet, half_width: float, pixels: int) -> np.ndarray:
    """The oracle: the kernel of each particle, a Gaussian, in each pixel."""
    width = neighbour_distances(particles.position, particles.box, 8) * SPREAD
    places = (np.arange(pixels) + 0.5) * 2 * half_width / pixels - half_width
    x, y, _ = particles.position.T
    kernels = [np.exp(-0.5 * ((places - each[:, None]) / width[:, None]) ** 2) for each in (x, y)]
    return np.einsum("n,ni,nj->ij", particles.mass / (2 * np.pi * width**2), kernels[1], kernels[0])


def area(half_width: float, pixels: int) -> float:
    return (2 * half_width / pixels) ** 2


@pytest.mark.parametrize("number", [1, 2, 10, 300, 5000])
@pytest.mark.parametrize("pixels", [64, 100])
def test_all_of_the_mass_is_there(number: int, pixels: int) -> None:
    particles = tr.ic.plummer(number) if number > 1 else tr.ParticleSet.from_columns(position=[[0.1, 0, 0]], mass=2.0)
    surface = surface_density(particles, window(200.0), pixels)
    assert surface.sum() * area(200.0, pixels) == pytest.approx(particles.mass.sum(), rel=1e-12)


def test_few_particles_are_spread_as_by_a_kernel_for_each() -> None:
    particles = tr.ic.plummer(400)
    exact, surface = spread_slowly(particles, 4.0, 128), surface_density(particles, window(4.0), 128)
    assert np.abs(surface - exact).sum() < 0.08 * exact.sum()
    assert np.abs(histogram(particles, 4.0, 128) - exact).sum() > 1.0 * exact.sum()


def test_the_kernel_has_the_width_that_neighbours_give() -> None:
    # two particles far apart, each the other's neighbour: the picture is about the first
    for distance in (8.0, 11.0, 16.0, 40.0):
        particles = tr.ParticleSet.from_columns(position=[[0, 0, 0], [0, 0, distance]], mass=[1.0, 0.0])
        surface = surface_density(particles, window(64.0), 512) * area(64.0, 512)
        places = (np.arange(512) + 0.5) / 4 - 64
        spread = np.sqrt(surface.sum(axis=0) @ places**2)
        assert spread == pytest.approx(SPREAD * distance, rel=0.12)
        assert surface.sum(axis=1) @ places == pytest.approx(0, abs=1e-9)


def test_many_particles_in_a_pixel_are_its_histogram() -> None:
    position = np.random.default_rng(1).uniform(-1, 1, (40_000, 3)) * [1, 1, 0.01]
    particles = tr.ParticleSet.from_columns(position=position, mass=1.0)
    assert surface_density(particles, window(2.0), 20) == pytest.approx(histogram(particles, 2.0, 20))


def test_what_is_outside_reaches_in_and_nothing_is_lost_over_the_faces_of_a_box() -> None:
    particles = tr.ic.sphere(500)
    wide = surface_density(particles, window(4.0), 256)
    assert surface_density(particles, window(1.0), 64) == pytest.approx(wide[96:160, 96:160], rel=1e-9)
    random = np.random.default_rng(2)
    periodic = tr.ParticleSet.from_columns(
        position=random.uniform(0, [1, 2, 1], (300, 3)), mass=1.0, box=[[0, 0, 0], [1, 2, 1]]
    )
    seen = window_of(periodic, "xy", "box", None)
    surface = surface_density(periodic, seen, 128)
    assert surface.shape == (128, 64)
    assert surface.sum() / 64**2 == pytest.approx(300, rel=1e-6)
    periodic.position = (periodic.position + np.array([0.25, 0.5, 0])) % [1, 2, 1]
    moved = surface_density(periodic, seen, 128)
    assert moved == pytest.approx(np.roll(surface, (32, 16), axis=(0, 1)), rel=5e-3)


def test_the_other_planes() -> None:
    particles = tr.ParticleSet.from_columns(position=[[0.6, -0.9, 5.0]], mass=2.0)
    assert np.argwhere(surface_density(particles, window(1.0), 4)).tolist() == [[0, 3]]
    assert np.argwhere(surface_density(particles, window(8.0, "zx"), 8)).tolist() == [[4, 6]]


def test_one_that_has_escaped_does_not_spoil_the_picture() -> None:
    particles = tr.ic.plummer(3000)
    surface = surface_density(particles, window(2.0), 64)
    particles.position[7] = [1e60, 0, 0]
    near = nearby(particles.position, particles.box)
    assert np.flatnonzero(~near).tolist() == [7]  # with it, the search takes minutes
    assert surface_density(particles, window(2.0), 64) == pytest.approx(surface, abs=0.02 * surface.max())


def clump_in_a_sphere() -> tr.ParticleSet:
    """Most of the mass about the origin, and a dense clump beside it."""
    clump = tr.ic.plummer(200, seed=2)
    clump.mass *= 0.1
    clump.position = 0.01 * clump.position + [1.0, -2.0, 0.5]
    clump.id += 2000
    return tr.ic.plummer(2000) + clump


def test_centres() -> None:
    particles = clump_in_a_sphere()
    mass, position = particles.mass, particles.position
    assert centre_of(particles, "mass") == pytest.approx(mass @ position / mass.sum())
    assert centre_of(particles, "box") == pytest.approx(mass @ position / mass.sum())
    assert centre_of(particles, "origin").tolist() == [0, 0, 0]
    assert centre_of(particles, "densest") == pytest.approx([1.0, -2.0, 0.5], abs=0.01)


def test_centres_in_a_periodic_box() -> None:
    position = np.random.default_rng(1).normal(0.03, 0.05, (4000, 3)) % 1.0
    particles = tr.ParticleSet.from_columns(position=position, mass=1.0, box=[[0, 0, -np.inf], [1, 1, np.inf]])
    assert centre_of(particles, "box")[:2].tolist() == [0.5, 0.5]
    for choice in ("mass", "densest"):
        across_the_faces = (centre_of(particles, choice)[:2] + 0.5) % 1
        assert across_the_faces == pytest.approx([0.53, 0.53], abs=0.005 if choice == "mass" else 0.06)


def test_edges_are_round_numbers() -> None:
    assert [rounded_up(value) for value in (1.0, 1.01, 2.36, 7.7e-3, 8.1, 300.0)] == [1.0, 1.2, 2.5, 8e-3, 10.0, 300.0]
    assert snapped(np.array([0.0049, -1.237, 7.0]), 2.5) == pytest.approx([0.0, -1.2, 7.0])
    left, right, low, high = window_of(tr.ic.sphere(1000), "xy", "mass", None).extent()
    assert (left, right, low, high) == (-2.5, 2.5, -2.5, 2.5)

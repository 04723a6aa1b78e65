from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr


def scattered(count: int, box: bool) -> tr.ParticleSet:
    particles = tr.ParticleSet.from_columns(position=np.random.default_rng(1).random((count, 3)), mass=1.0)
    if box:
        particles.box = [[0.0] * 3, [1.0] * 3]
    return particles


def distances(particles: tr.ParticleSet, box: bool) -> NDArray[np.float64]:
    """Between all pairs, to the nearest image; infinite from a particle to itself."""
    apart = particles.position[None] - particles.position[:, None]
    if box:
        apart -= np.round(apart)
    r = np.sqrt((apart**2).sum(axis=2))
    np.fill_diagonal(r, np.inf)
    return r


@pytest.mark.parametrize("box", [False, True])
def test_neighbours_are_all_within_the_radius(box: bool) -> None:
    particles = scattered(300, box)
    r = distances(particles, box)
    found = tr.neighbours(particles, 0.2)
    assert len(found) == 300
    assert found.counts.tolist() == (r < 0.2).sum(axis=1).tolist()
    for row in range(300):
        near = np.flatnonzero(r[row] < 0.2)
        assert found[row].tolist() == near.tolist()
        assert found.distances[found.begins[row] : found.begins[row + 1]] == pytest.approx(r[row, near], abs=1e-14)
    assert repr(found) == f"Neighbours({found.counts.sum():,} of 300 particles)"


def test_a_radius_of_each_is_that_of_the_one_the_other_or_either() -> None:
    particles = scattered(200, False)
    r = distances(particles, False)
    radius = np.random.default_rng(2).uniform(0.05, 0.3, 200)
    reach = {"gather": radius[:, None], "scatter": radius[None], "symmetric": np.maximum(radius[:, None], radius[None])}
    for search, within in reach.items():
        i, j = np.nonzero(r < within)
        found = tr.neighbours(particles, radius, search)
        assert found.rows.tolist() == j.tolist()
        assert np.repeat(np.arange(200), found.counts).tolist() == i.tolist()


@pytest.mark.parametrize("box", [False, True])
def test_nearest_are_the_first_by_distance(box: bool) -> None:
    particles = scattered(300, box)
    r = distances(particles, box)
    rows, apart = tr.nearest(particles, 7)
    assert rows.tolist() == np.argsort(r, axis=1)[:, :7].tolist()
    assert apart == pytest.approx(np.sort(r, axis=1)[:, :7], abs=1e-14)


def test_a_simulation_finds_those_of_its_particles_as_they_are_now() -> None:
    particles = tr.ic.plummer(200, seed=1)
    sim = tr.Simulation(particles, [tr.Gravity(softening=0.1)], timestep=0.05)
    before = sim.neighbours(0.5)
    sim.run(until=0.5)
    found = sim.neighbours(0.5)
    assert found.rows.tolist() != before.rows.tolist()
    assert found.rows.tolist() == np.nonzero(distances(particles, False) < 0.5)[1].tolist()
    radius = np.linspace(0.1, 0.9, 200)
    scatter = np.nonzero(distances(particles, False) < radius)[1]
    assert sim.neighbours(radius, "scatter").rows.tolist() == scatter.tolist()


def test_what_was_found_outlives_the_particles() -> None:
    found = tr.neighbours(scattered(100, True), 0.5)
    rows = found.rows
    expected = rows.copy()
    del found
    for _ in range(10):
        tr.neighbours(scattered(100, False), 0.4)
    assert rows.tolist() == expected.tolist()


def test_rows_are_counted_from_either_end() -> None:
    found = tr.neighbours(scattered(50, False), 0.5)
    assert found[-1].tolist() == found[49].tolist()
    with pytest.raises(IndexError):
        found[50]


def test_what_cannot_be_searched_for_is_named() -> None:
    particles = scattered(5, False)
    with pytest.raises(tr.InputError, match=r"^radius is -1: allowed is 0 or more$"):
        tr.neighbours(particles, -1.0)
    with pytest.raises(tr.InputError, match=r"there are 2 radii for 5 particles"):
        tr.neighbours(particles, [1.0, 2.0])
    with pytest.raises(tr.InputError, match=r"radius has the shape \(1, 2\)"):
        tr.neighbours(particles, [[1.0, 2.0]])
    with pytest.raises(tr.InputError, match=r"^search is 'near': allowed are 'gather', 'scatter' and 'symmetric'$"):
        tr.neighbours(particles, 1.0, "near")
    with pytest.raises(tr.InputError, match=r"the nearest 5 of 5 particles are wanted"):
        tr.nearest(particles, 5)
    particles.position[3] = np.nan
    with pytest.raises(tr.InputError, match=r"position"):
        tr.nearest(particles, 2)

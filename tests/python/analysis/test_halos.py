from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.analysis import HaloCatalogue

grouping = importlib.import_module("trellis.analysis.halos.friends_of_friends")


def in_box(position: np.ndarray, side: float = 1.0, mass: np.ndarray | float = 1.0) -> tr.ParticleSet:
    made = tr.ParticleSet.from_columns(position=position, mass=mass)
    made.box = [[0, 0, 0], [side] * 3]
    return made


def by_force(position: np.ndarray, length: float) -> np.ndarray:
    """The lowest row of each particle's group, by all pairs and a union-find of Python."""
    apart = position[:, None] - position
    apart -= np.round(apart)
    near = np.argwhere(np.sqrt((apart**2).sum(axis=2)) < length)
    parent = list(range(len(position)))

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    for i, j in near:
        low, high = sorted((root(i), root(j)))
        parent[high] = low
    return np.array([root(k) for k in range(len(position))])


@pytest.mark.parametrize("length", [0.03, 0.06, 0.075, 0.2])
@pytest.mark.parametrize("first", [100, 1 << 17])
def test_groups_are_those_by_force(length: float, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "FIRST", first)
    monkeypatch.setattr(grouping, "PAIRS", 2000)
    position = np.random.default_rng(3).random((800, 3))
    found = tr.analysis.friends_of_friends(in_box(position), length)
    assert np.array_equal(found, by_force(position, length))


def test_a_chain_through_the_faces_is_one_group() -> None:
    chain = np.zeros((2000, 3))
    chain[:, 0] = np.random.default_rng(1).permutation(2000) / 2000
    assert (tr.analysis.friends_of_friends(in_box(chain), 0.6 / 1000) == 0).all()
    assert len(np.unique(tr.analysis.friends_of_friends(in_box(chain), 0.4 / 1000))) == 2000


def nfw(count: int, concentration: float, seed: int) -> np.ndarray:
    """A sphere of Navarro, Frenk & White with radius 1 of the whole mass, by shells of equal mass."""
    share = (np.arange(count) + 0.5) / count

    def within(x: np.ndarray | float) -> np.ndarray:
        return np.log(1 + x) - x / (1 + x)

    x = np.geomspace(1e-6, concentration, 100_000)
    radius = np.interp(share * within(concentration), within(x), x) / concentration
    direction = np.random.default_rng(seed).standard_normal((count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return radius[:, None] * direction


def test_mass_and_centre_of_spheres_of_nfw() -> None:
    """Two spheres, cut where their density is 178 times the critical one: at 200 times, NFW's formula has the mass."""
    count, concentration = 10_000, 8.0
    side = 40.0
    middles = np.array([[0.1, 39.8, 20.0], [20.0, 20.0, 20.0]])
    positions = [middles[0] + nfw(count, concentration, 1), middles[1] + 0.8 * nfw(count // 2, concentration, 2)]
    even = side * np.random.default_rng(5).random((3000, 3))
    mass = np.concatenate((np.full(count + count // 2, 1.0), np.full(3000, 1e-3)))
    particles = in_box(np.concatenate((*positions, even)) % side, side, mass)
    particles.velocity[:count] = [3.0, 0.0, -1.0]
    density = mass.sum() / side**3
    # the critical density that gives the first sphere a mean density of 178 times that
    critical = count / (4 / 3 * np.pi) / 178
    found = tr.analysis.find_halos(particles, linking=0.1, fewest=100, matter_share=density / critical)
    assert len(found) == 2
    assert found.count == pytest.approx([count, count // 2], rel=0.03)
    away = found.centre - middles
    away -= side * np.round(away / side)
    assert np.abs(away).max() < 0.02
    assert found.velocity[0] == pytest.approx([3.0, 0.0, -1.0], rel=1e-3)
    for k, (scale, whole) in enumerate(((1.0, count), (0.8, count // 2))):
        radius = np.linspace(0.01, scale, 100_000)
        x = concentration * radius / scale
        within = (
            whole * (np.log(1 + x) - x / (1 + x)) / (np.log(1 + concentration) - concentration / (1 + concentration))
        )
        contrast = within / (4 / 3 * np.pi * radius**3) / critical
        if contrast[-1] > 200:  # the whole sphere
            expected = (whole / (200 * critical * 4 / 3 * np.pi)) ** (1 / 3), whole
        else:
            expected = np.interp(-200, -contrast, radius), np.interp(-200, -contrast, within)
        assert found.radius_200c[k] == pytest.approx(expected[0], rel=0.01)
        assert found.mass_200c[k] == pytest.approx(expected[1], rel=0.01)


def clumps(sizes: list[int], seed: int = 1) -> tr.ParticleSet:
    """Tight clumps, one after the other, of the given numbers of particles."""
    random = np.random.default_rng(seed)
    middles = np.random.default_rng(99).permutation(np.indices((4, 4, 4)).reshape(3, -1).T)[: len(sizes)] / 4 + 0.1
    return in_box(np.concatenate([middles[k] + 1e-3 * random.random((n, 3)) for k, n in enumerate(sizes)]))


def test_smallest_halos_and_their_order() -> None:
    found = tr.analysis.find_halos(clumps([31, 40, 200, 32]), time=0.5)
    assert found.count.tolist() == [200, 40, 32]
    assert found.ids[found.begins[1] : found.begins[2]].tolist() == list(range(31, 71))
    assert repr(found) == "HaloCatalogue(3 halos of 272 particles, time = 0.5)"
    assert len(tr.analysis.find_halos(clumps([31, 30]))) == 0


def test_the_centre_is_where_a_halo_is_densest() -> None:
    random = np.random.default_rng(2)
    tight = 0.5 + 1e-3 * random.standard_normal((60, 3))
    tail = np.array([0.5, 0.5, 0.5]) + np.outer(np.arange(1, 80), [1e-3, 0, 0])
    found = tr.analysis.find_halos(in_box(np.concatenate((tight, tail))))
    assert found.count.tolist() == [139]
    assert found.centre[0] == pytest.approx(np.full(3, 0.5), abs=5e-4)
    assert found.centre_of_mass[0, 0] > 0.52


def test_catalogue_is_kept_in_a_file(tmp_path: Path) -> None:
    found = tr.analysis.find_halos(clumps([50, 40]), time=0.25)
    found.write(tmp_path / "halos.hdf5")
    read = HaloCatalogue.read(tmp_path / "halos.hdf5")
    for name, value in vars(found).items():
        assert np.array_equal(getattr(read, name), value), name
    none = tr.analysis.find_halos(clumps([3]))
    none.write(tmp_path / "none.hdf5")
    assert len(HaloCatalogue.read(tmp_path / "none.hdf5")) == 0
    tr.io.write_snapshot(tmp_path / "stars.hdf5", tr.ic.plummer(10))
    with pytest.raises(ValueError, match="is no catalogue of halos"):
        HaloCatalogue.read(tmp_path / "stars.hdf5")


def test_links_follow_the_particles() -> None:
    earlier = tr.analysis.find_halos(clumps([100, 60, 50, 40]))
    later_particles = clumps([160, 40, 50])
    later_particles.id = np.concatenate((np.arange(160), np.arange(210, 250), 1000 + np.arange(50)))
    later = tr.analysis.find_halos(later_particles)
    links = tr.analysis.link_halos(earlier, later)
    # the first two merged, the third one is gone, the fourth is the last of the later ones
    assert links.descendant.tolist() == [0, 0, -1, 2]
    assert links.shared.tolist() == [100, 60, 0, 40]
    assert links.progenitor.tolist() == [0, -1, 3]


def test_mass_function_counts_halos() -> None:
    found = tr.analysis.find_halos(clumps([40, 45, 50, 400]))
    counted = tr.analysis.mass_function(found, 2)
    assert counted.halos.tolist() == [3, 1]
    width = np.log(10) / 2
    assert counted.dn_dlnM == pytest.approx([3 / width, 1 / width])
    assert counted.error == pytest.approx([np.sqrt(3) / width, 1 / width])
    assert counted.mass == pytest.approx([(40 * 45 * 50) ** (1 / 3), 400])
    corrected = tr.analysis.mass_function(found, 2, corrected=True)
    assert corrected.mass[1] == pytest.approx(400 * (1 - 400**-0.6))
    with pytest.raises(ValueError, match="a mass function is wanted of 0 halos"):
        tr.analysis.mass_function(tr.analysis.find_halos(clumps([3])))

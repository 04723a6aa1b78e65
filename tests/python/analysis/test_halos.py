from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.analysis import HaloCatalogue

parts = importlib.import_module("trellis.particles.pairs_in_parts")


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
    monkeypatch.setattr(parts, "FIRST", first)
    monkeypatch.setattr(parts, "PAIRS", 2000)
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


def zoom() -> tr.ParticleSet:
    """A box of 16^3 coarse particles; the middle eighth of its volume has 64 times as many, of 1/64 of the mass."""
    coarse = (np.indices((16, 16, 16)).reshape(3, -1).T + 0.5) / 16
    coarse = coarse[(np.abs(coarse - 0.5) > 0.25).any(axis=1)]
    fine = 0.25 + (np.indices((32, 32, 32)).reshape(3, -1).T + 0.5) / 64
    made = in_box(np.concatenate((fine, coarse)), mass=np.repeat([1 / 64, 1.0], [len(fine), len(coarse)]))
    made.add_field("type")
    made.type = np.repeat([1, 2], [len(fine), len(coarse)])
    made.position[:50] = [0.5, 0.5, 0.5] + 2e-3 * np.random.default_rng(1).random((50, 3))
    return made


@pytest.mark.parametrize("chosen", [None, 1])
def test_friends_in_a_zoom_are_those_of_its_resolution(chosen: int | None) -> None:
    """A box of 16^3 units of mass has the mean distance 1/64 of particles of 1/64, not (V / N)^(1/3), 1/33."""
    found = tr.analysis.find_halos(zoom(), type=chosen, linking=0.9)
    assert found.linking_length == pytest.approx(0.9 / 64)
    assert found.mean_density == pytest.approx(4096)
    assert found.count.tolist() == [57]  # the eight points about the middle are friends of the clump, one moved away
    of_all = tr.analysis.find_halos(zoom(), type=chosen, linking=0.2)
    assert of_all.count.tolist() == [50]
    assert of_all.linking_length == pytest.approx(0.2 / 64)


def test_spheres_of_one_type_have_the_particles_of_all() -> None:
    particles = zoom()
    particles.type[:20] = 2
    assert tr.analysis.find_halos(particles, type=1, fewest=20).mass_200c == pytest.approx(
        tr.analysis.find_halos(zoom()).mass_200c, rel=0.05
    )


def test_gas_has_the_linking_length_of_dark_matter() -> None:
    random = np.random.default_rng(4)
    particles = in_box(random.random((4000, 3)), mass=np.repeat([0.16, 0.84], 2000))
    particles.add_field("type")
    particles.type = np.repeat([0, 1], 2000)
    mean_distance = (1 / 2000) ** (1 / 3)
    for kind in (None, 0, 1):
        assert tr.analysis.find_halos(particles, type=kind).linking_length == pytest.approx(0.2 * mean_distance)


def test_particles_of_two_lengths_are_friends_within_the_shorter() -> None:
    line = in_box(np.array([[0.1, 0, 0], [0.13, 0, 0], [0.2, 0, 0], [0.25, 0, 0]]))
    lengths = np.array([0.04, 0.1, 0.06, 0.06])
    assert tr.analysis.friends_of_friends(line, lengths).tolist() == [0, 0, 2, 2]


def test_halos_do_not_depend_on_the_order_of_rows() -> None:
    """A line of three quarters of the box has images of either side, whichever its first row is."""
    random = np.random.default_rng(7)
    line = np.zeros((300, 3))
    line[:, 0] = 0.75 * random.random(300) ** 2
    blobs = [0.1 + 1e-3 * random.random((40, 3)) + [0, 0.4 * k, 0.3] for k in range(2)]
    position = np.concatenate((line, *blobs))
    found = []
    for order in (np.arange(380), np.arange(380)[::-1], random.permutation(380)):
        particles = tr.ParticleSet.from_columns(position=position[order], mass=1.0, id=order.astype(np.uint64))
        particles.box = [[0, 0, 0], [1, 1, 1]]
        found.append(tr.analysis.find_halos(particles, linking=0.2))
    assert found[0].count.tolist() == [300, 40, 40]
    for other in found[1:]:
        for name, value in vars(found[0]).items():
            assert np.array_equal(getattr(other, name), value), name


def test_halos_of_particles_without_mass_are_refused() -> None:
    with pytest.raises(ValueError, match="of the masses 0 to 0, but needs masses of at least 0, and some above"):
        tr.analysis.find_halos(in_box(np.random.default_rng(1).random((50, 3)), mass=0.0))


def test_halos_of_particles_that_are_nowhere_are_refused() -> None:
    positions = np.random.default_rng(1).random((50, 3))
    positions[7, 2] = np.nan
    with pytest.raises(ValueError, match="column 'position' is not a number at index 7: only finite values are"):
        tr.analysis.find_halos(in_box(positions, mass=1.0))


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

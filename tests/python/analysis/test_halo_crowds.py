from __future__ import annotations

import importlib

import numpy as np
import pytest

import trellis as tr

parts = importlib.import_module("trellis.particles.pairs_in_parts")
crowds = importlib.import_module("trellis.analysis.halos.crowds")


def by_force(position: np.ndarray, lengths: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """The lowest row of each particle's group, by all pairs: rows take the lowest one of their friends."""
    apart = position[:, None] - position
    apart -= np.where(np.isfinite(sides), sides, 0) * np.round(apart / sides)
    friends = np.sqrt((apart**2).sum(axis=2)) < np.minimum(lengths[:, None], lengths)
    group = np.arange(len(position))
    while True:
        lowest = np.where(friends | np.eye(len(group), dtype=bool), group, len(group)).min(axis=1)
        if (lowest == group).all():
            return group
        group = lowest


def clumps(sizes: list[float], each: int, seed: int) -> np.ndarray:
    """Normal clumps in a cube of side 1, the first of them in a corner, among as many particles that are even."""
    random = np.random.default_rng(seed)
    middles = np.concatenate([np.zeros((1, 3)), random.random((len(sizes) - 1, 3))])
    dense = [middle + size * random.normal(size=(each, 3)) for middle, size in zip(middles, sizes, strict=True)]
    return np.concatenate([*dense, random.random((each * len(sizes), 3))])[random.permutation(2 * each * len(sizes))]


@pytest.mark.parametrize("length", [0.02, 0.06, 0.45])
@pytest.mark.parametrize("box", [[1, 1, 1], [1, np.inf, 1], [np.inf] * 3])
@pytest.mark.parametrize("tried", [(), (0.0, 0.5)])
def test_groups_with_crowds_are_those_by_force(
    length: float, box: list[float], tried: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no pair of cells is joined beforehand, and distances are computed in small parts."""
    monkeypatch.setattr(crowds, "TRIED", tried)
    monkeypatch.setattr(crowds, "AT_ONCE", 2000)
    position = clumps([0.004, 0.02, 0.05, 1e-4], 60, seed=4)
    particles = tr.ParticleSet.from_columns(position=position, mass=1.0, box=box)
    random = np.random.default_rng(9)
    for lengths in (np.full(len(position), length), length * random.choice([1.0, 1.5, 4.0], len(position))):
        found = tr.analysis.friends_of_friends(particles, lengths)
        expected = by_force(particles.wrapped_position(), lengths, np.array(box))
        assert (len(np.unique(expected)) > 1) == (length < 0.45)
        assert np.array_equal(found, expected)


def test_clumps_that_almost_touch_are_two_groups() -> None:
    """Their cells are neighbours, and some pairs are nearer than the cells' corners allow."""
    random = np.random.default_rng(2)
    one, other = 0.03 * random.random((2, 3000, 3)) * [0.1, 1, 1]
    for gap, groups in ((0.0101, 2), (0.0099, 1)):
        ends = np.array([[0.5, 0.515, 0.515], [0.5 + gap, 0.515, 0.515]])
        far = other + np.array([0.5 + gap, 0.5, 0.5])
        position = np.concatenate([ends, 0.5 + one * [-1, 1, 1], far])
        found = tr.analysis.friends_of_friends(tr.ParticleSet.from_columns(position=position, mass=1.0, box=1.0), 0.01)
        assert len(np.unique(found)) == groups


def test_crowds_in_two_corners_of_a_cube_are_apart() -> None:
    """The cells begin at the lowest coordinates of all particles, here of the first crowd."""
    crowd = 1e-4 * np.random.default_rng(3).random((20, 3))
    for distance, groups in ((1.01, 2), (0.99, 1)):
        particles = tr.ParticleSet.from_columns(
            position=np.concatenate([crowd, crowd + distance / np.sqrt(3)]), mass=1.0
        )
        assert len(np.unique(tr.analysis.friends_of_friends(particles, 1.0))) == groups


@pytest.mark.parametrize("box", [1.0, np.inf])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_position_that_is_not_finite_is_refused_among_crowds(box: float, wrong: float) -> None:
    particles = tr.ParticleSet.from_columns(position=np.full((100, 3), 0.5), mass=1.0, box=box)
    particles.position[3, 1] = wrong
    with pytest.raises(ValueError, match=r"column 'position' is .* at index 3: only finite values are allowed"):
        tr.analysis.friends_of_friends(particles, 0.1)


def test_a_clump_is_not_looked_at_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    listed, compared = [], []
    neighbours, distances = parts.neighbours, crowds._distances

    def noted(*arguments: object) -> object:
        found = neighbours(*arguments)
        listed.append(found.counts.sum())
        return found

    def counted(positions: np.ndarray, i: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        compared.append(len(i))
        return distances(positions, i, *rest)

    monkeypatch.setattr(parts, "neighbours", noted)
    monkeypatch.setattr(crowds, "_distances", counted)
    position = clumps([0.002, 0.004], 5000, seed=6)
    particles = tr.ParticleSet.from_columns(position=position, mass=1.0, box=1.0)
    group = tr.analysis.friends_of_friends(particles, 0.2 * len(particles) ** (-1 / 3))
    assert np.bincount(group).max() >= 5000
    assert sum(listed) + sum(compared) < 50 * len(particles)  # of 2e7 pairs within the linking length

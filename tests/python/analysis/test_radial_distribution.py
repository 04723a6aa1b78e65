from __future__ import annotations

import numpy as np
import pytest

import trellis as tr
from trellis.analysis import RadialDistribution


def gas(count: int, sides: tuple[float, float, float], seed: int = 1) -> tr.ParticleSet:
    """Particles anywhere in a box whose corner is not the origin."""
    low = np.array([-3.0, 5.0, 0.5])
    places = low + np.random.default_rng(seed).random((count, 3)) * sides
    return tr.ParticleSet.from_columns(position=places, mass=1.0, box=[low, low + sides])


def by_all_pairs(particles: tr.ParticleSet, edges: np.ndarray) -> np.ndarray:
    """Sum over all pairs and all images within reach."""
    sides = np.diff(particles.box, axis=0)[0]
    apart = particles.position[:, None] - particles.position[None, :]
    counts = np.zeros(len(edges) - 1)
    for image in np.ndindex(3, 3, 3):
        distance = np.linalg.norm(apart + (np.array(image) - 1) * sides, axis=2)
        counts += np.histogram(distance[distance > 0], edges)[0]
    return counts * sides.prod() / (len(particles) ** 2 * 4 / 3 * np.pi * np.diff(edges**3))


# Cells along the axes: many, three, two, one and a bit.
@pytest.mark.parametrize("sides", [(9.0, 7.0, 8.0), (3.0, 3.1, 4.0), (2.0, 2.0, 2.0), (2.9, 9.0, 2.0)])
def test_counts_every_pair_once(sides: tuple[float, float, float]) -> None:
    particles = gas(300, sides)
    found = RadialDistribution(1.0, bins=17)
    found.add(particles)
    assert found.g == pytest.approx(by_all_pairs(particles, np.linspace(0, 1, 18)), rel=1e-12)


def test_of_two_kinds_counts_their_pairs() -> None:
    particles = gas(300, (3.0, 3.1, 4.0))
    kind = np.random.default_rng(2).integers(0, 3, 300)
    edges, sides = np.linspace(0, 1, 18), np.diff(particles.box, axis=0)[0]
    for a, b in (([0], [1]), ([0], [0]), ([0, 1], [1, 2])):
        of, around = np.isin(kind, a), np.isin(kind, b)
        found, turned = RadialDistribution(1.0, bins=17), RadialDistribution(1.0, bins=17)
        found.add(particles[of], around=particles[around])
        turned.add(particles[around].copy(), around=particles[of])
        apart = particles.position[of][:, None] - particles.position[around][None]
        apart -= sides * np.round(apart / sides)
        distance = np.linalg.norm(apart, axis=2)
        counts = np.histogram(distance[distance > 0], edges)[0]
        expected = of.sum() * around.sum() * 4 / 3 * np.pi * np.diff(edges**3) / sides.prod()
        assert found.g == pytest.approx(counts / expected, rel=1e-12)
        assert turned.g == pytest.approx(found.g, rel=1e-12)


def test_parts_of_many_pairs_make_the_same_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    particles = gas(300, (3.0, 4.0, 5.0))
    whole, in_parts = RadialDistribution(1.4), RadialDistribution(1.4)
    whole.add(particles)
    monkeypatch.setattr("trellis.particles.pairs_in_parts.FIRST", 7)
    in_parts.add(particles)
    assert (in_parts.g == whole.g).all()


def test_particles_outside_the_box_are_images() -> None:
    particles = gas(200, (4.0, 4.0, 4.0))
    inside, outside = RadialDistribution(2.0), RadialDistribution(2.0)
    inside.add(particles)
    particles.position[::3] += [4.0, -8.0, 0.0]
    outside.add(particles)
    assert (inside.g == outside.g).all()


def test_of_an_ideal_gas_is_one() -> None:
    found = RadialDistribution(2.5, bins=25)
    for seed in range(4):
        found.add(gas(8000, (20.0, 20.0, 20.0), seed))
    assert found.moments == 4
    pairs = 4 * 8000 * 4 / 3 * np.pi * np.diff(np.linspace(0, 2.5, 26) ** 3) / 2  # density 1
    assert (np.abs(found.g - 1) < 5 / np.sqrt(pairs)).all()


def test_of_a_lattice_has_its_neighbours_at_their_distances() -> None:
    places = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3)
    particles = tr.ParticleSet.from_columns(position=places, mass=1.0, box=[[0] * 3, [6] * 3])
    found = RadialDistribution(2.1, bins=21)
    found.add(particles)
    neighbours = found.g * 4 / 3 * np.pi * np.diff(np.linspace(0, 2.1, 22) ** 3)
    assert {round(float(r), 2): round(float(n)) for r, n in zip(found.r, neighbours, strict=True) if n > 0} == {
        1.05: 6,
        1.45: 12,
        1.75: 8,
        2.05: 6,
    }


def test_says_what_is_allowed() -> None:
    with pytest.raises(ValueError, match="maximum is 0, but must be above 0"):
        RadialDistribution(0)
    with pytest.raises(ValueError, match="bins is 0, but must be at least 1"):
        RadialDistribution(1.0, bins=0)
    found = RadialDistribution(1.0)
    with pytest.raises(ValueError, match="has no particles yet"):
        _ = found.g
    with pytest.raises(ValueError, match="is not periodic along all axes"):
        found.add(tr.ic.plummer(10))
    with pytest.raises(ValueError, match=r"maximum is 1, but must be at most 0\.75, half the shortest side of the box"):
        found.add(gas(10, (4.0, 1.5, 4.0)))
    with pytest.raises(ValueError, match="of no particles"):
        found.add(gas(0, (4.0, 4.0, 4.0)))
    particles = gas(10, (4.0, 4.0, 4.0))
    with pytest.raises(ValueError, match="of no particles"):
        found.add(particles, around=particles[:0])
    with pytest.raises(ValueError, match="particles and around are in two boxes: allowed is one"):
        found.add(particles, around=gas(10, (4.0, 4.0, 5.0)))
    lost = gas(10, (4.0, 4.0, 4.0))
    lost.position[3, 1] = np.nan
    for around in (lost, particles):
        with pytest.raises(ValueError, match="of particles whose positions are not all finite"):
            found.add(lost, around=around)
    with pytest.raises(ValueError, match=r"particles is 3, but must be a ParticleSet, .* or some of its particles"):
        found.add(3)  # type: ignore[arg-type]

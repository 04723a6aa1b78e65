"""Quenches: to minima, of the energies that the literature has, from whatever places."""

from __future__ import annotations

import basin_hopping
import numpy as np
import pytest

import trellis as tr

ATOMS = tr.LennardJones(cutoff=20.0)
CONTAINER = (2.5, 100.0)
ICOSAHEDRON_13, MACKAY_55 = -44.326801, -279.248470  # Wales & Doye (1997)


def clusters(atoms: int, count: int) -> list[tr.ParticleSet]:
    return [tr.ic.cluster(atoms, seed=seed) for seed in range(count)]


def slow(position: np.ndarray) -> tuple[float, np.ndarray]:
    """Energy and forces of all pairs without a cutoff, in double precision."""
    d = position[:, None] - position
    r2 = (d**2).sum(axis=2) + np.diag(np.full(len(position), np.inf))
    force = ((48 * r2**-7.0 - 24 * r2**-4.0)[..., None] * d).sum(axis=1)
    return float(2 * (r2**-6.0 - r2**-3.0).sum()), force


def test_it_ends_at_minima_downhill() -> None:
    starts = clusters(7, 20)
    minima = tr.quenched(starts, ATOMS, container=(5.0, 10.0))
    for start, there, energy in zip(starts, minima.particles, minima.energy, strict=True):
        place = np.array(there.position)
        known, force = slow(place)
        assert energy == pytest.approx(known, abs=1e-9)
        assert np.linalg.norm(force, axis=1).max() < 2e-4
        assert known < slow(np.array(start.position))[0]
        assert not np.any(there.velocity)
        stiffness = [
            (slow(place - h)[1] - slow(place + h)[1]).ravel() / 2e-4 for h in 1e-4 * np.eye(21).reshape(-1, 7, 3)
        ]
        modes = np.linalg.eigvalsh(np.array(stiffness))
        assert modes[0] > -0.01  # translations and rotations are free
        assert modes[6] > 0.1
    assert minima.energy.min() == pytest.approx(-16.505384, abs=1e-6)


def test_it_finds_the_minimum_near_by() -> None:
    random = np.random.default_rng(1)
    [there] = tr.quenched(clusters(38, 1), ATOMS, timestep=0.005).particles
    moved = there.copy()
    moved.position = there.position + random.normal(scale=0.02, size=(38, 3))
    moved.velocity = random.normal(size=(38, 3))
    again = tr.quenched([moved], ATOMS)
    assert np.abs(distances(again.particles[0]) - distances(there)).max() < 1e-3
    assert np.any(moved.velocity)


def distances(particles: tr.ParticleSet) -> np.ndarray:
    position = np.asarray(particles.position)
    return np.asarray(np.linalg.norm(position[:, None] - position, axis=2))


def test_atoms_one_upon_the_other_come_apart() -> None:
    random = np.random.default_rng(2)
    starts = clusters(13, 20)
    for each in starts:
        each.position = random.uniform(-1, 1, (13, 3))
        each.mass = random.uniform(0.5, 2, 13)
    for there in tr.quenched(starts, ATOMS, container=CONTAINER).particles:
        assert (distances(there) + 9 * np.eye(13)).min() > 1


def test_a_container_brings_atoms_together() -> None:
    two = tr.ParticleSet(2)
    two.position = [(0, 0, 0), (8, 1, 0)]
    two.mass = [1, 3]
    found = tr.quenched([two], tr.LennardJones(), container=(0.5, 1.0))
    r = distances(found.particles[0])[0, 1]
    beyond = np.maximum(r * np.array([0.75, 0.25]) - 0.5, 0)  # of the centre of mass
    assert 1 < r < 2 ** (1 / 6) - 1e-3
    assert found.energy[0] == pytest.approx(4 * (r**-12 - r**-6) + 0.5 * (beyond**2).sum(), abs=1e-9)


def test_a_crystal_in_a_box() -> None:
    lattice = tr.ic.lennard_jones(256)
    short = tr.LennardJones(truncation="force-shifted", precision="double")
    right = tr.Simulation(lattice.copy(), [short], timestep=1).energies().potential
    moved = lattice.copy()
    moved.position = lattice.position + np.random.default_rng(3).normal(scale=0.03, size=(256, 3))
    found = tr.quenched([moved], short, tolerance=1e-3)
    assert found.energy[0] == pytest.approx(right, abs=1e-5)


def test_devices_find_the_same_bits() -> None:
    here = tr.quenched(clusters(13, 9), ATOMS)
    there = tr.quenched(clusters(13, 9), ATOMS, device="cpu")
    assert np.array_equal(here.energy, there.energy)
    assert np.array_equal(here.particles[8].position, there.particles[8].position)


def test_annealing_finds_the_icosahedron_of_13() -> None:
    bath = tr.Langevin(temperature=0.4, relaxation_time=0.5, seed=1)
    ensemble = tr.Ensemble(clusters(13, 16), ATOMS, timestep=0.005, thermostat=bath, container=CONTAINER)
    for temperature in np.linspace(0.4, 0.1, 31):
        ensemble.temperature = temperature
        ensemble.advance(300)
    minima = tr.quenched([ensemble.particles(k) for k in range(16)], ATOMS, container=CONTAINER)
    assert np.sort(minima.energy)[:8] == pytest.approx(ICOSAHEDRON_13, abs=1e-6)


def test_replica_exchange_finds_the_icosahedron_of_13() -> None:
    temperatures = tr.geometric_temperatures(0.15, 0.45, 12)
    bath = tr.Langevin(temperature=0.3, relaxation_time=0.5, seed=2)
    ensemble = tr.Ensemble(clusters(13, 12), ATOMS, timestep=0.005, thermostat=bath, container=CONTAINER)
    exchange = tr.ReplicaExchange(ensemble, temperatures)
    exchange.run(200)
    coldest = ensemble.particles(int(np.flatnonzero(exchange.state_of == 0)[0]))
    assert tr.quenched([coldest], ATOMS).energy[0] == pytest.approx(ICOSAHEDRON_13, abs=1e-6)


def test_basin_hopping_finds_the_mackay_icosahedron_of_55() -> None:
    search = basin_hopping.search(55, MACKAY_55 + 1e-4, 32, 200, 1.5, enough=1, seed=1)
    best = search.best.particles[int(np.argmin(search.best.energy))]
    assert tr.quenched([best], ATOMS).energy[0] == pytest.approx(MACKAY_55, abs=1e-6)


def test_potentials_in_python_have_the_minima_of_lennard_jones() -> None:
    """Within a cutoff, and between all pairs, whose energies are then sums without a tree."""
    text = "4 * ((1/r)**12 - (1/r)**6)"
    found = tr.quenched(clusters(13, 8), ATOMS)
    for made in (tr.pair_potential(text, cutoff=20.0), tr.pair_potential(text, source="mass")):
        same = tr.quenched(clusters(13, 8), made, longest_move=0.1)
        np.testing.assert_allclose(same.energy, found.energy, rtol=0, atol=1e-6)
        for particles, energy in zip(same.particles, same.energy, strict=True):
            assert slow(particles.position)[0] == pytest.approx(float(energy), abs=1e-6)


def test_forces_act_together() -> None:
    """A ring of bonds and repulsions at distances of 2 has the energy of a polygon at its best radius."""
    count = 8
    ring = [(k, (k + 1) % count) for k in range(count)]
    bonds = tr.bond_potential(lambda r: 50 * (r - 1) ** 2, pairs=ring)
    repulsion = tr.pair_potential("1/r", cutoff=30.0, exclude=ring)
    angle = 2 * np.pi * np.arange(count) / count
    start = tr.ParticleSet.from_columns(
        position=np.stack([np.cos(angle), np.sin(angle), 0.3 * np.cos(2 * angle)], axis=1), mass=1.0
    )

    def polygon(radius: float) -> float:
        sides = 2 * radius * np.sin(np.pi * np.arange(1, count) / count)
        return float(count * 50 * (sides[0] - 1) ** 2 + 0.5 * count * (1 / sides[1:-1]).sum())

    best = min(map(polygon, np.linspace(1.2, 1.6, 40_001)))
    found = tr.quenched([start], [repulsion, bonds], longest_move=0.1, timestep=0.01)
    assert found.energy[0] == pytest.approx(best, rel=1e-6)


def test_what_cannot_be_used_is_refused() -> None:
    boxed = [tr.ic.lennard_jones(256)]
    for systems, interaction, more, sentence in [
        ([], ATOMS, {}, "no systems"),
        (clusters(13, 1), tr.Gravity(softening=0.1), {}, "Gravity.*: allowed is LennardJones"),
        (clusters(13, 1), tr.pair_potential("1/r", cutoff=2.0), {}, "longest_move is not given"),
        (clusters(13, 1), ATOMS, {"longest_move": 0.0}, "longest_move is 0: allowed is above 0"),
        (clusters(13, 1), ATOMS, {"tolerance": 0.0}, "system 0: the tolerance is 0: allowed is above 0"),
        (clusters(13, 1), ATOMS, {"timestep": -1.0}, "timestep is -1"),
        (clusters(13, 1), ATOMS, {"most_steps": 0}, "most_steps is 0: allowed is 1 or more"),
        (boxed, tr.LennardJones(), {"container": (1, 1)}, "system 0: it has a box and a container"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tr.quenched(systems, interaction, **more)
    with pytest.raises(RuntimeError, match=r"system 0 is not at a minimum after 150 steps.*1e-12"):
        tr.quenched(clusters(13, 2), ATOMS, tolerance=1e-12, most_steps=150)

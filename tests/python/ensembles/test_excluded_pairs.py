"""Ensembles of systems with excluded pairs: as direct sums in double precision, and as simulations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from own_pairs import LANGEVIN, LENNARD_JONES, apart

import trellis as tr

Floats = NDArray[np.float64]


def dimers(count: int, side: float, seed: int = 1) -> tuple[tr.ParticleSet, NDArray[np.int64]]:
    """Return particles in pairs that are far too near each other to act, and those pairs with others: by ids."""
    random = np.random.default_rng(seed)
    edge = int(np.ceil((count / 2) ** (1 / 3)))
    cells = np.indices([edge] * 3).reshape(3, -1).T[random.permutation(edge**3)[: (count + 1) // 2]]
    towards = random.normal(size=cells.shape)
    towards *= 0.1 / np.linalg.norm(towards, axis=1, keepdims=True)
    position = np.stack([1.5 * cells - towards, 1.5 * cells + towards], axis=1).reshape(-1, 3)[:count]
    particles = tr.ParticleSet.from_columns(position=position + 0.75, mass=random.uniform(0.5, 2, count))
    if side:
        particles.box = [[0.0] * 3, [max(1.5 * edge, side)] * 3]
    partner = np.arange(count - count % 2).reshape(-1, 2)
    others = random.integers(0, count, (count, 2))
    pairs = np.concatenate([partner, others[others[:, 0] != others[:, 1]], partner[:1, ::-1]])
    mixed = particles[random.permutation(count)].copy()
    return mixed, pairs


def pairs_directly(particles: tr.ParticleSet, pairs: NDArray[np.int64]) -> tuple[Floats, float]:
    """Return forces and energy of energy-shifted Lennard-Jones atoms without these pairs, in double precision."""
    x, ids = np.asarray(particles.position), np.asarray(particles.id).astype(int)
    d = x[None] - x[:, None]
    low, high = np.asarray(particles.box)
    if np.isfinite(high - low).all():
        d -= (high - low) * np.round(d / (high - low))
    r = np.linalg.norm(d, axis=-1)
    excluded = np.zeros(r.shape, dtype=bool)
    row = np.argsort(ids)
    excluded[row[pairs[:, 0]], row[pairs[:, 1]]] = excluded[row[pairs[:, 1]], row[pairs[:, 0]]] = True
    counts = (r < 2.0) & ~excluded & ~np.eye(len(r), dtype=bool)
    r = np.where(counts, r, 1.0)
    energy = np.where(counts, 4 * (r**-12 - r**-6) - 4 * (2.0**-12 - 2.0**-6), 0)
    slope = np.where(counts, -4 * (12 * r**-13 - 6 * r**-7), 0)
    return np.einsum("ij,ijc->ic", slope / r, d), 0.5 * float(energy.sum())


EXCLUDING: dict[str, Callable[[Any], tr.Force]] = {
    "cpp": lambda pairs: tr.LennardJones(cutoff=2.0, truncation="energy-shifted", exclude=pairs),
    "python": lambda pairs: tr.pair_potential(
        LENNARD_JONES, cutoff=2.0, truncation="energy-shifted", eps=1.0, sigma=1.0, exclude=pairs
    ),
}


@pytest.mark.parametrize("count", [2, 3, 8, 13, 16, 17, 33, 50, 130, 450, 700])
@pytest.mark.parametrize("side", [0.0, 4.5])
@pytest.mark.parametrize("kind", EXCLUDING)
def test_excluded_pairs_do_not_act(count: int, side: float, kind: str) -> None:
    """In one block, in several, with and without open lanes, in ordered blocks and lists; at 0.2, 1e9 epsilon deep."""
    particles, pairs = dimers(count, side)
    ensemble = tr.Ensemble([particles], EXCLUDING[kind](pairs), timestep=1e-9)
    found = ensemble.advance(1).potential[0]
    force, energy = pairs_directly(particles, pairs)
    given = np.asarray(particles.mass)[:, None] * np.asarray(ensemble.particles(0).acceleration)
    scale = max(1.0, float(np.abs(force).max()))
    assert np.abs(given - force).max() < 3e-5 * scale
    assert found == pytest.approx(energy, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kind", EXCLUDING)
@pytest.mark.parametrize("count", [50, 130, 450])
def test_molecules_with_excluded_pairs_move_as_a_simulation(count: int, kind: str) -> None:
    """Blocks and lists are made several times on the way, and excluded pairs with them."""
    particles, _ = dimers(count, 4.5)
    particles.velocity[:] = np.random.default_rng(2).normal(size=(count, 3))
    partner = np.arange(count).reshape(-1, 2)
    forces = [EXCLUDING[kind](partner), tr.HarmonicBonds(partner, k=200, length=0.2)]
    ensemble = tr.Ensemble([particles] * 2, [forces], timestep=0.002)
    ensemble.advance(50)
    kept = ensemble.state()
    energies = ensemble.advance(100)
    sim = tr.Simulation(particles.copy(), forces, timestep=0.002, keep_order=True)
    sim.run(steps=150)
    assert apart(ensemble.particles(1), sim.particles) < 3e-5
    assert energies.potential[1] == pytest.approx(sim.energies().potential, rel=1e-4, abs=1e-3)
    ensemble.restore(kept)
    assert np.array_equal(ensemble.advance(100).potential, energies.potential)


def test_excluded_pairs_are_part_of_the_hamiltonian() -> None:
    particles, pairs = dimers(20, 0.0)
    forces = [EXCLUDING["python"](given) for given in (pairs, pairs.copy(), pairs[:-1], pairs[: len(pairs) // 2 + 10])]
    ensemble = tr.Ensemble([particles] * 4, forces, timestep=1e-4, thermostat=LANGEVIN)
    exchange = tr.ReplicaExchange(ensemble, [1.0] * 4, exchange_every=1, seed=1)
    assert exchange.hamiltonians.tolist() == [0, 0, 1, 2]
    in_all = exchange.run(1).potential_in_all[0, 0]
    here = ensemble.particles(0)
    for number, given in enumerate((pairs, pairs[:-1], pairs[: len(pairs) // 2 + 10])):
        assert in_all[number] == pytest.approx(pairs_directly(here, given)[1], rel=1e-5, abs=1e-5)


def test_pairs_that_cannot_be_excluded_are_refused() -> None:
    for pairs, sentence in [
        ([(0, 1, 0.5)], "the pair 0 and 1 with the factor 0.5: allowed in small systems is 0"),
        ([(0, 99)], "system 0: excluded pairs name particle 99, but no particle has this id"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tr.Ensemble([dimers(12, 0.0)[0]], EXCLUDING["cpp"](pairs), timestep=0.01)

"""Ensembles of systems with excluded pairs: as direct sums in double precision, and as simulations."""

from __future__ import annotations

import numpy as np
import pytest
from dimers import EXCLUDING, dimers, pairs_directly
from own_pairs import LANGEVIN, apart

import trellis as tr


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
    particles, pairs = dimers(count, 4.5)
    particles.velocity[:] = np.random.default_rng(2).normal(size=(count, 3))
    partner = np.arange(count).reshape(-1, 2)
    forces = [EXCLUDING[kind](pairs), tr.HarmonicBonds(partner, k=200, length=0.2)]
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


@pytest.mark.parametrize("count", [50, 450])
def test_energies_after_moves_of_the_volume_are_those_of_a_simulation(count: int) -> None:
    """Lists are made again in each new box, and excluded pairs with them."""
    particles, pairs = dimers(count, 4.5)
    forces = [EXCLUDING["cpp"](pairs), tr.HarmonicBonds(pairs[pairs[:, 2] == 0, :2].astype(int), k=2, length=0.2)]
    boxes = tr.Ensemble(
        [particles] * 2, [forces], timestep=0.004, thermostat=LANGEVIN, barostat=tr.Barostat(pressure=1.0, every=3)
    )
    found = boxes.advance(60).potential
    assert boxes.volume_moves[1].min() > 0
    for number in (0, 1):
        expected = tr.Simulation(boxes.particles(number), forces, timestep=0.004).energies().potential
        assert found[number] == pytest.approx(expected, rel=1e-5, abs=1e-3)


def test_excluded_pairs_are_part_of_the_hamiltonian() -> None:
    """Equal ones in another order are one."""
    particles, pairs = dimers(20, 0.0)
    others = pairs.copy()
    others[others[:, 2] > 0, 2] = 0.9
    given = (pairs, pairs[::-1].copy(), others, pairs[pairs[:, 2] < 1])
    forces = [EXCLUDING["python"](each) for each in given]
    ensemble = tr.Ensemble([particles] * 4, forces, timestep=1e-4, thermostat=LANGEVIN)
    exchange = tr.ReplicaExchange(ensemble, [1.0] * 4, exchange_every=1, seed=1)
    assert exchange.hamiltonians.tolist() == [0, 0, 1, 2]
    in_all = exchange.run(1).potential_in_all[0, 0]
    here = ensemble.particles(0)
    for number, each in enumerate((pairs, *given[2:])):
        assert in_all[number] == pytest.approx(pairs_directly(here, each)[1], rel=1e-5, abs=1e-5)


def test_an_excluded_particle_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="system 0: excluded pairs name particle 99, but no particle has this id"):
        tr.Ensemble([dimers(12, 0.0)[0]], EXCLUDING["cpp"]([(0, 99)]), timestep=0.01)

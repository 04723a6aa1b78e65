"""Ensembles of systems with bonds, angles and dihedrals: as formulas, simulations and partition functions have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from chains import BEADS, PAIR_FORCES, WCA, WCA_IN_PYTHON, bonded, chain, energy_of, force_by_differences, rows
from own_pairs import ANDERSEN, BATHS, CSVR, LANGEVIN, apart
from scipy import stats

import trellis as tr


@pytest.mark.parametrize("pairs", PAIR_FORCES)
@pytest.mark.parametrize("side", [0.0, 6.0])
def test_forces_are_the_gradient_of_the_energy_of_the_formulas(pairs: str, side: float) -> None:
    particles, wca = chain(side=side), pairs != "none"
    ensemble = tr.Ensemble([particles], [[*PAIR_FORCES[pairs], *bonded()]], timestep=1e-9)
    found = ensemble.advance(1).potential[0]
    x = np.asarray(particles.position)
    assert found == pytest.approx(energy_of(x, side, wca), rel=1e-6)
    expected = force_by_differences(x, side, wca)
    force = np.asarray(particles.mass)[:, None] * np.asarray(ensemble.particles(0).acceleration)
    assert np.abs(force - expected).max() < (3e-6 if wca else 1e-7) * np.abs(expected).max()
    assert np.abs(force.sum(axis=0)).max() < 3e-6 * np.abs(force).max()


@pytest.mark.parametrize("name", BATHS)
@pytest.mark.parametrize("pairs", [WCA, WCA_IN_PYTHON], ids=["cpp", "python"])
def test_a_system_moves_as_a_simulation_of_its_particles(name: str, pairs: tr.Force) -> None:
    particles, bath = chain(side=8.0), BATHS[name]
    ensemble = tr.Ensemble([particles], [[pairs, *bonded()]], timestep=0.002, thermostat=bath)
    energies = ensemble.advance(100)
    sim = tr.Simulation(particles.copy(), [pairs, *bonded()], timestep=0.002, thermostat=bath, keep_order=True)
    sim.run(steps=100)
    assert apart(ensemble.particles(0), sim.particles) < 1e-5
    assert energies.potential[0] == pytest.approx(sim.energies().potential, rel=1e-5)
    assert energies.kinetic[0] == pytest.approx(sim.energies().kinetic, rel=1e-5)


@pytest.mark.parametrize("atoms", [130, 450])
def test_blocks_of_neighbours_and_lists_have_bonds_too(atoms: int) -> None:
    """The rows of a system stay, whatever order the pairs are computed in."""
    liquid = tr.ic.lennard_jones(atoms, density=0.5, temperature=1.0, seed=3)
    forces = [tr.LennardJones(cutoff=1.5, truncation="force-shifted"), tr.HarmonicBonds(rows(2, 40), k=20, length=1.5)]
    ensemble = tr.Ensemble([liquid], [forces], timestep=0.002)
    energies = ensemble.advance(50)
    sim = tr.Simulation(liquid.copy(), forces, timestep=0.002, keep_order=True)
    sim.run(steps=50)
    assert apart(ensemble.particles(0), sim.particles) < 1e-5
    assert energies.potential[0] == pytest.approx(sim.energies().potential, rel=1e-5)


@pytest.mark.parametrize("pairs", [WCA, WCA_IN_PYTHON, tr.Gravity(softening=0.3)], ids=["cpp", "python", "gravity"])
def test_energies_of_pairs_and_of_bonds_are_added(pairs: tr.Force) -> None:
    given = [[pairs, *bonded()], [pairs], bonded()]
    found = [tr.Ensemble([chain()], [forces], timestep=1e-9).advance(1).potential[0] for forces in given]
    assert found[0] == pytest.approx(found[1] + found[2], rel=1e-6)


def test_the_energy_is_conserved() -> None:
    """The error of the leapfrog goes with the square of the step."""
    errors = []
    for timestep in (0.004, 0.002):
        ensemble = tr.Ensemble([chain(seed=k) for k in range(4)], [[WCA, *bonded()]], timestep=timestep)
        energies = ensemble.advance(round(20 / timestep), every=20)
        total = energies.potential + energies.kinetic
        errors.append(total.std(axis=0).max())
    assert errors[0] < 0.01
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.35)


def test_bits_depend_on_neither_neighbours_threads_devices_nor_calls() -> None:
    def end(systems: list[tr.ParticleSet], calls: list[int], threads: int, device: str = "host") -> tr.ParticleSet:
        tr.set_threads(threads)
        ensemble = tr.Ensemble(systems, [[WCA, *bonded()]], timestep=0.002, thermostat=LANGEVIN, device=device)
        for steps in calls:
            ensemble.advance(steps)
        return ensemble.particles(0)

    systems, threads = [chain(seed=k) for k in range(5)], int(tr.info()["threads"])
    try:
        alone = end(systems[:1], [60], 1)
        others = [end(systems, [1, 9, 50], 3), end(systems, [60], 1, "cpu")]
    finally:
        tr.set_threads(threads)
    for among in others:
        assert np.array_equal(alone.position, among.position)
        assert np.array_equal(alone.velocity, among.velocity)


def test_members_are_ids_wherever_the_rows_of_a_system_are() -> None:
    """Each system has a molecule of its own, and the rows of one are in another order."""
    mixed = chain(12, seed=2)[np.random.default_rng(1).permutation(12)].copy()
    ensemble = tr.Ensemble([chain(8), mixed], [[WCA, *bonded(8)], [WCA, *bonded(12)]], timestep=0.002)
    ensemble.advance(50)
    for number, beads in enumerate((8, 12)):
        sim = tr.Simulation(chain(beads, seed=1 + number), [WCA, *bonded(beads)], timestep=0.002, keep_order=True)
        sim.run(steps=50)
        by_id = ensemble.particles(number)[np.arange(beads)].copy()
        assert np.abs(by_id.position - sim.particles.position).max() < 1e-5


@pytest.mark.parametrize("bath", [LANGEVIN, CSVR, ANDERSEN], ids=["Langevin", "Csvr", "Andersen"])
def test_a_state_is_gone_on_from_with_the_same_bits(bath: tr.Thermostat) -> None:
    def made() -> tr.Ensemble:
        return tr.Ensemble([chain(seed=k) for k in range(2)], [[WCA, *bonded()]], timestep=0.002, thermostat=bath)

    unbroken, other = made(), made()
    unbroken.advance(30)
    other.restore(unbroken.state())
    for mine, theirs in zip(other.advance(40), unbroken.advance(40), strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(other.positions, unbroken.positions)


def mean_of_a_bond(k: float, length: float, temperature: float) -> float:
    """Return the mean energy of a harmonic bond in space, whose length has the density r^2 exp(-u / kT)."""
    r = np.linspace(1e-3, length + 12 * np.sqrt(temperature / k), 20001)
    u = k * (r - length) ** 2 / 2
    weight = r**2 * np.exp(-u / temperature)
    return float((u * weight).sum() / weight.sum())


def mean_of_an_angle(k: float, temperature: float) -> float:
    """Return the mean energy k (1 + cos) of an angle, whose cosine is even but for exp(-u / kT)."""
    x = k / temperature
    return k * (1 - (1 / np.tanh(x) - 1 / x))


def test_a_replica_exchange_of_chains_has_the_energies_of_their_partition_function() -> None:
    """Without other forces, lengths and angles of a chain are independent of each other."""
    temperatures, beads = np.array([0.5, 0.8, 1.2, 1.8]), 6
    forces = [tr.HarmonicBonds(rows(2, beads), k=40, length=1.0), tr.CosineAngles(rows(3, beads), k=2.0)]
    bath = tr.Langevin(temperature=1.0, relaxation_time=0.2, seed=7)
    start = [chain(beads, seed=k) for k in range(4)]
    for each in start:
        each.mass = 1.0
    ensemble = tr.Ensemble(start, [forces], timestep=0.01, thermostat=bath, temperature=temperatures)
    exchange = tr.ReplicaExchange(ensemble, temperatures, exchange_every=25, seed=3)
    exchange.run(40)
    history = exchange.run(4000)
    assert (history.accepted > 0.05 * history.tried).all()
    potential = history.energies()
    for k, temperature in enumerate(temperatures):
        expected = (beads - 1) * mean_of_a_bond(40, 1.0, temperature) + (beads - 2) * mean_of_an_angle(2.0, temperature)
        samples = tr.analysis.effective_samples(potential[:, k])
        error = potential[:, k].std() / np.sqrt(samples)
        assert error < 0.02 * expected
        assert potential[:, k].mean() == pytest.approx(expected, abs=4.5 * error)


def test_an_exchange_among_potentials_of_a_bond_evaluates_each_system_in_all() -> None:
    stiff = np.array([20.0, 40.0, 80.0])
    forces = [[WCA, tr.HarmonicBonds(rows(2), k=k, length=1.0)] for k in stiff]
    start = [chain()] * 3
    ensemble = tr.Ensemble(start, forces, timestep=0.002, thermostat=LANGEVIN, temperature=0.7)
    exchange = tr.ReplicaExchange(ensemble, [0.7] * 3, exchange_every=20, seed=2)
    in_all = exchange.run(5).potential_in_all[-1]
    for number, each in enumerate(ensemble.all_particles()):
        length = np.linalg.norm(np.diff(np.asarray(each.position), axis=0), axis=1)
        of_bonds = stiff * ((length - 1) ** 2 / 2).sum()
        assert np.diff(in_all[number]) == pytest.approx(np.diff(of_bonds), rel=1e-5)
    kept = exchange.state()
    unbroken = exchange.run(5)
    exchange.restore(kept)
    assert np.array_equal(exchange.run(5).potential, unbroken.potential)


def test_equal_forces_are_one_hamiltonian() -> None:
    made = [[WCA, *bonded()] for _ in range(3)] + [[WCA, *bonded()[:2]]]
    ensemble = tr.Ensemble([chain()] * 4, made, timestep=0.002, thermostat=LANGEVIN)
    assert tr.ReplicaExchange(ensemble, [0.7, 0.8, 0.9, 1.0]).hamiltonians.tolist() == [0, 0, 0, 1]


def test_volumes_of_molecules_have_their_gamma_distribution() -> None:
    """V^(M + 1) of M molecules counts, not of their atoms: the energy of the bonds is that of the scaled positions."""
    molecules, pressure = 16, 1.0
    random = np.random.default_rng(4)
    centre = random.uniform(0, 3, (molecules, 3))
    position = np.concatenate([centre, centre + np.array([0.3, 0, 0])])
    gas = tr.ParticleSet.from_columns(position=position % 3, mass=np.ones(2 * molecules))
    gas.box = [[0.0] * 3, [3.0] * 3]
    bonds = tr.HarmonicBonds(np.arange(2 * molecules).reshape(2, -1).T, k=20.0, length=0.0)
    boxes = tr.Ensemble(
        [gas] * 3,
        bonds,
        timestep=0.02,
        thermostat=tr.Langevin(temperature=1.0, relaxation_time=0.3, seed=3),
        barostat=tr.Barostat(pressure=pressure, every=1, longest_move=0.3),
    )
    boxes.advance(500)
    boxes.advance(12_000, every=4)
    independent = np.concatenate([tr.analysis.thinned(column) for column in boxes.volume.T])
    assert len(independent) > 300
    assert stats.kstest(independent * pressure, stats.gamma(molecules + 1).cdf).pvalue > 1e-4


def test_a_bond_that_is_too_long_ends_in_a_sentence() -> None:
    """Even where it is found again at an allowed length before energies are asked for."""
    broken = chain()
    broken.velocity[0] = 40.0 * (broken.position[0] - broken.position[1])
    ensemble = tr.Ensemble([chain(), broken], [[WCA, tr.FENE(rows(2))]], timestep=0.02)
    sentence = "system 1: the potential FENE is not finite where the members of row 0 of pairs, the particles 0 and 1"
    for _ in range(2):
        with pytest.raises(RuntimeError, match=sentence):
            ensemble.advance(50)


MIXED = [WCA, tr.HarmonicBonds([[0, 1]], k=1, length=1)]
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "flat": (MIXED, {}, r"forces that act together are a list in the list, such as \[\["),
    "two pair forces": ([[WCA, WCA]], {}, "several forces between pairs: allowed is one"),
    "no such particle": ([[tr.HarmonicBonds([[0, 99]], k=1, length=1)]], {}, "system 0: pairs name particle 99"),
    "three lists": ([MIXED] * 3, {}, "interaction has 3 values"),
    "several kinds": ([MIXED, [tr.Gravity(softening=0.1)]], {}, "of several kinds"),
    "rehearsal": (
        [MIXED],
        {"device": "rehearsal:0"},
        "bonds or excluded pairs, which device rehearsal:0 does not know",
    ),
    "no force": ([[WCA, 3]], {}, "a force is 3"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused(name: str) -> None:
    interaction, more, sentence = REFUSED[name]
    with pytest.raises(ValueError, match=sentence):
        tr.Ensemble([chain(), chain()], interaction, timestep=0.01, **more)


def test_systems_that_exchange_have_the_members_of_all_tuples() -> None:
    def made(change: Callable[[tr.ParticleSet], None]) -> tr.ReplicaExchange:
        one, other = chain(), chain()
        change(other)
        forces = [MIXED, [WCA, tr.HarmonicBonds([[20, 21]], k=1, length=1)]]
        return tr.ReplicaExchange(tr.Ensemble([one, other], forces, timestep=0.01, thermostat=LANGEVIN), [1.0, 1.0])

    def renumber(particles: tr.ParticleSet) -> None:
        particles.id[:] = np.arange(BEADS) + 20

    with pytest.raises(ValueError, match="system 0: pairs name particle 20, but no particle has this id"):
        made(renumber)

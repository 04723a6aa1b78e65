"""States that differ by interaction and container: exchanged by their reduced energies, canonical each."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path
from typing import Any

import harmonic
import numpy as np
import pytest
import slow_exchange

import trellis as tr

ATOMS, FREEDOM = 13, 36  # a cluster about its centre of mass
STIFFNESS = np.array([1.0, 1.5, 1.5, 2.4])
TEMPERATURES = np.array([1.0, 1.0, 0.7, 0.7])
STEP = 0.1


def wells(device: str | list[str] = "host", **more: object) -> tr.Ensemble:
    """Clusters of particles in harmonic wells of different stiffness about their centres of mass."""
    random = np.random.default_rng(1)
    particles = []
    for _ in STIFFNESS:
        made = tr.ParticleSet(ATOMS)
        made.position, made.velocity = random.normal(size=(2, ATOMS, 3))
        made.mass = 1.0
        particles.append(made)
    bath = tr.Langevin(temperature=1, relaxation_time=0.5, seed=5)
    walls = [(0.0, each) for each in STIFFNESS]
    given = {"timestep": STEP, "thermostat": bath, "container": walls, "device": device, **more}
    return tr.Ensemble(particles, None, **given)  # type: ignore[arg-type]


def atoms_of_each(count: int = 5, **more: object) -> tuple[tr.ReplicaExchange, list[tr.LennardJones]]:
    """Clusters of Lennard-Jones atoms whose energies, sizes and temperatures differ from state to state."""
    kinds = [tr.LennardJones(epsilon=1 + 0.04 * k, sigma=1 - 0.01 * (k % 3), cutoff=20.0) for k in range(count)]
    bath = tr.Langevin(temperature=1, relaxation_time=0.5, seed=2)
    ensemble = tr.Ensemble(
        [tr.ic.cluster(7, seed=seed) for seed in range(count)], kinds, timestep=0.004, thermostat=bath,
        container=(2.5, 100.0), **more,  # type: ignore[arg-type]
    )  # fmt: skip
    return tr.ReplicaExchange(ensemble, np.linspace(0.3, 0.36, count), exchange_every=9, seed=4), kinds


def replayed(history: tr.ExchangeHistory, seed: int) -> np.ndarray:
    """The states of systems before each exchange, by the rule written out, from the energies of a history."""
    found, state = [], np.arange(history.states)
    for number, energies in enumerate(history.potential_in_all):
        found.append(state.copy())
        u = energies[:, history.hamiltonian] / history.temperatures  # of each system in each state
        for k in range(number % 2, history.states - 1, 2):
            i, j = np.flatnonzero(state == k)[0], np.flatnonzero(state == k + 1)[0]
            chance = min(1.0, np.exp(-(u[j, k] + u[i, k + 1] - u[i, k] - u[j, k + 1])))
            if slow_exchange.uniform(number, k, seed) < chance:
                state[i], state[j] = k + 1, k
    return np.array(found)


def in_double(particles: tr.ParticleSet, kind: tr.LennardJones) -> float:
    settings: dict[str, Any] = {**kind.settings, "precision": "double"}
    return tr.Simulation(particles, [tr.LennardJones(**settings)], timestep=1.0).energies().potential


@pytest.mark.parametrize(
    ("scheme", "device"), [("neighbours", "host"), ("all pairs", "host"), ("asynchronous", ["cpu", "rehearsal:0"])]
)
def test_each_state_keeps_its_distribution(scheme: str, device: str | list[str]) -> None:
    given: Any = {"exchange_every": 20, "scheme": scheme}
    exchange = tr.ReplicaExchange(wells(device), TEMPERATURES, **given)
    history = exchange.run(3000)
    assert exchange.hamiltonians.tolist() == history.hamiltonian.tolist() == [0, 1, 1, 2]
    energies = history.after(50).energies() / (1 + STIFFNESS * STEP**2 / 4)  # which the leapfrog's steps add
    for temperature, series in zip(TEMPERATURES, energies.T, strict=True):
        independent = tr.analysis.thinned(series)
        assert len(independent) >= 1000
        assert harmonic.kolmogorov_smirnov(independent, temperature, FREEDOM) > 1e-4
    assert (history.accepted > 0.1 * history.tried).all()


def test_acceptance_is_that_of_harmonic_systems() -> None:
    history = tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=20).run(4000)
    random, rates = np.random.default_rng(1), []
    for (low, kT_low), (high, kT_high) in pairwise(zip(STIFFNESS, TEMPERATURES, strict=True)):
        u_low, u_high = random.gamma(FREEDOM / 2, size=(2, 10**6))  # reduced, each in its own state
        ratio = (high / kT_high) / (low / kT_low)
        rates.append(np.minimum(1, np.exp((1 - ratio) * u_low + (1 - 1 / ratio) * u_high)).mean())
    found = tr.analysis.acceptance(history)
    assert np.abs((found.rate - rates) / found.error).max() < 4
    assert np.abs(found.expected - found.rate).max() < 4 * found.error.max()


@pytest.mark.parametrize(("cross", "least", "most"), [(True, 1e-4, 1.0), (False, 0.0, 1e-6)])
def test_a_rule_without_the_other_states_energies_is_found(cross: bool, least: float, most: float) -> None:
    stiffness = np.array([1.0, 1.4, 2.0])
    energies = harmonic.exchange_of_wells(stiffness, 4000, FREEDOM, seed=3, memory=0.7, cross=cross)
    chances = [harmonic.kolmogorov_smirnov(tr.analysis.thinned(each[50:]), 1.0, FREEDOM) for each in energies.T]
    assert least < min(chances) < most


def test_energies_in_all_hamiltonians_and_the_rule() -> None:
    exchange, kinds = atoms_of_each()
    history = exchange.run(60)
    assert np.array_equal(history.state, replayed(history, 4))
    assert history.accepted.min() > 3
    assert (history.accepted < history.tried).any()
    last = history.potential_in_all[-1]
    for system in range(5):
        particles = exchange.ensemble.particles(system)
        centre = particles.position.mean(axis=0)
        beyond = np.maximum(0, np.linalg.norm(particles.position - centre, axis=1) - 2.5)
        wall = 50 * (beyond**2).sum()
        direct = [in_double(particles.copy(), kind) + wall for kind in kinds]
        assert last[system] == pytest.approx(direct, rel=2e-6)
    own = np.take_along_axis(history.potential_in_all, history.hamiltonian[history.state][..., None], axis=2)
    assert np.array_equal(own[..., 0], history.potential)
    reduced = history.reduced_energies()
    assert reduced[7, 2, 4] == history.energies_in_all()[7, 2, 4] / history.temperatures[4]
    assert np.array_equal(np.diagonal(reduced, axis1=1, axis2=2), history.energies() / history.temperatures)


def test_lists_of_a_large_system_are_those_of_each_hamiltonian() -> None:
    liquid = tr.ic.lennard_jones(864, density=0.8, temperature=1.6, seed=3)
    kinds = [tr.LennardJones(epsilon=1 + 0.02 * k, cutoff=2.0 + 0.5 * k, truncation="energy-shifted") for k in range(2)]
    bath = tr.Langevin(temperature=1.0, relaxation_time=0.5, seed=1)
    ensemble = tr.Ensemble([liquid, liquid], kinds, timestep=0.004, thermostat=bath)
    exchange = tr.ReplicaExchange(ensemble, [1.0, 1.0], exchange_every=5)
    history = exchange.run(4)
    for system in range(2):
        direct = [in_double(ensemble.particles(system), kind) for kind in kinds]
        assert history.potential_in_all[-1, system] == pytest.approx(direct, rel=1e-5)


def test_the_books_are_kept() -> None:
    bath = tr.Andersen(temperature=1, relaxation_time=0.5)
    ensemble = wells(thermostat=bath, timestep=0.01)
    exchange = tr.ReplicaExchange(ensemble, TEMPERATURES, exchange_every=10)
    exchange.run(1)

    def total() -> np.ndarray:
        return np.sum(ensemble.advance(1), axis=0)

    before = total()
    assert exchange.run(50).accepted.sum() > 15
    assert np.abs(total() - before).max() < 1e-2


def test_it_has_the_same_bits_however_it_is_run() -> None:
    whole = atoms_of_each()[0].run(30)
    parts, _ = atoms_of_each(device=["cpu", "rehearsal:0"])
    first = parts.run(11)
    kept = parts.state()
    parts.run(3)
    resumed, _ = atoms_of_each()
    resumed.restore(kept)
    joined = first.joined([resumed.run(19)])
    for name in ("state", "potential", "potential_in_all", "accepted"):
        assert np.array_equal(getattr(joined, name), getattr(whole, name)), name
    assert whole.accepted.sum() > 10


def test_equal_hamiltonians_are_one() -> None:
    kinds = [tr.LennardJones(cutoff=20.0) for _ in range(3)]
    made = [
        tr.ReplicaExchange(
            tr.Ensemble(
                [tr.ic.cluster(7, seed=seed) for seed in range(3)], given, timestep=0.004,
                thermostat=tr.Langevin(temperature=1, relaxation_time=0.5), container=(2.5, 100.0),
            ),
            [0.3, 0.31, 0.32],
        ).run(5)
        for given in (kinds, kinds[0])
    ]  # fmt: skip
    assert made[0].hamiltonians == made[1].hamiltonians == 1
    assert np.array_equal(made[0].potential, made[1].potential)


def test_free_energies_are_those_of_the_wells() -> None:
    pytest.importorskip("pymbar")
    history = tr.ReplicaExchange(wells(), TEMPERATURES, exchange_every=20).run(3000).after(50)
    found = tr.analysis.mbar_of_states(history.reduced_energies())
    strength = np.log(STIFFNESS / TEMPERATURES)
    assert found.f_k == pytest.approx(FREEDOM / 2 * (strength - strength[0]), abs=0.15)


def test_free_energies_far_apart_are_found() -> None:
    pytest.importorskip("pymbar")
    offset, stiffness = np.array([0.0, -100.0, -210.0]), np.array([1.0, 1.2, 1.4])
    samples = np.random.default_rng(1).normal(size=(2000, 3)) / np.sqrt(stiffness)
    reduced = offset + 0.5 * stiffness * samples[:, :, None] ** 2
    found = tr.analysis.mbar_of_states(reduced)
    assert found.f_k == pytest.approx(offset + 0.5 * np.log(stiffness), abs=0.02)


def test_files_have_the_matrix(tmp_path: Path) -> None:
    history = atoms_of_each()[0].run(6)
    history.write(tmp_path / "a.hdf5")
    again = tr.ExchangeHistory.read([tmp_path / "a.hdf5"] * 2)
    assert np.array_equal(again.potential_in_all[6:], history.potential_in_all)
    assert again.hamiltonian.tolist() == [0, 1, 2, 3, 4]
    assert again.after(6).reduced_energies().shape == (6, 5, 5)


def test_what_cannot_be_used_is_refused() -> None:
    atoms = [tr.ic.cluster(7, seed=seed) for seed in range(2)]
    for interaction, more, sentence in [
        ([tr.LennardJones()] * 3, {}, "interaction has 3 values: allowed is one, or one for each of the 2 systems"),
        ([tr.LennardJones(), tr.Gravity()], {}, "the interactions of an ensemble are of several kinds"),
        (None, {"container": [(1.0, 1.0)] * 3}, "container has 3 values: allowed is one"),
        (None, {"container": [1.0, 1.0, 1.0]}, "container has the shape"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            tr.Ensemble(atoms, interaction, timestep=0.01, **more)  # type: ignore[arg-type]
    boxes = [tr.ic.lennard_jones(108, density=108 / side**3, temperature=1.0, seed=1) for side in (5.0, 8.0)]
    kinds = [tr.LennardJones(cutoff=cutoff, truncation="energy-shifted") for cutoff in (2.5, 4.0)]
    bath, held = tr.Langevin(temperature=1, relaxation_time=1), tr.Barostat(pressure=1.0)  # boxes of any size
    ensemble = tr.Ensemble(boxes, kinds, timestep=0.01, thermostat=bath, barostat=held)
    with pytest.raises(ValueError, match="system 0: its box is 5 long along x: allowed is at least two cutoffs, 8"):
        tr.ReplicaExchange(ensemble, [1.0, 1.0])
    with pytest.raises(ValueError, match="states that differ by more than temperatures"):
        tr.tuned_temperatures(atoms_of_each()[0])
    history = atoms_of_each()[0].run(2)
    with pytest.raises(ValueError, match="histories of different Hamiltonians cannot be joined"):
        history.joined([dataclasses.replace(history, hamiltonian=np.zeros(0, int))])

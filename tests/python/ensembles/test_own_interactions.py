"""Ensembles whose interaction is written in Python: as simulations, and as direct sums in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from own_pairs import (
    ATOMS,
    BATHS,
    LANGEVIN,
    LENNARD_JONES,
    apart,
    atoms_in_python,
    charges,
    directly,
    liquids,
    screened,
)

import trellis as tr


@pytest.mark.parametrize("thermostat", BATHS.values(), ids=BATHS)
def test_a_system_moves_as_a_simulation_of_its_particles(thermostat: tr.Thermostat | None) -> None:
    systems = liquids(2)
    ensemble = tr.Ensemble(systems, ATOMS, timestep=0.002, thermostat=thermostat)
    energies = ensemble.advance(100)
    sim = tr.Simulation(systems[0].copy(), forces=[ATOMS], timestep=0.002, thermostat=thermostat, keep_order=True)
    sim.run(steps=100)
    assert apart(ensemble.particles(0), sim.particles) < 1e-5
    assert energies.potential[0] == pytest.approx(sim.energies().potential, rel=1e-4)
    assert energies.kinetic[0] == pytest.approx(sim.energies().kinetic, rel=1e-4)


@pytest.mark.parametrize("atoms", [108, 256, 500])
def test_lennard_jones_atoms_are_those_of_cpp(atoms: int) -> None:
    """Below and above the numbers from which on neighbours are in blocks, and on lists."""
    system, built_in = liquids(1, atoms), tr.LennardJones(truncation="force-shifted")
    made = {name: tr.Ensemble(system, force, timestep=0.002) for name, force in [("own", ATOMS), ("cpp", built_in)]}
    energies = {name: each.advance(100, every=50) for name, each in made.items()}
    assert apart(made["own"].particles(0), made["cpp"].particles(0)) < 1e-5
    assert energies["own"].potential == pytest.approx(energies["cpp"].potential, rel=1e-6)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 16, 17, 31, 33, 55, 130, 450])
@pytest.mark.parametrize(("cutoff", "side"), [(np.inf, 0.0), (1.5, 0.0), (1.5, 4.0)])
def test_forces_are_minus_the_gradient_of_the_energy(count: int, cutoff: float, side: float) -> None:
    """In one block, in several, with and without open lanes, ordered blocks and lists."""
    particles = charges(count, seed=count, side=side)
    force = screened(length=0.7) if np.isinf(cutoff) else screened(length=0.7, cutoff=cutoff)
    ensemble = tr.Ensemble([particles], force, timestep=1e-9)
    found = ensemble.advance(1).potential[0]
    acceleration, potential = directly(particles, 0.7, cutoff)
    given = np.asarray(ensemble.particles(0).acceleration)
    scale = max(1.0, np.sqrt((acceleration**2).sum(axis=1).mean()))
    assert np.abs(given - acceleration).max() < 2e-5 * scale
    assert found == pytest.approx(potential, rel=1e-5, abs=1e-5)
    momentum = (np.asarray(particles.mass)[:, None] * given).sum(axis=0)
    assert np.abs(momentum).max() < 1e-5 * scale * np.sqrt(count)


@tr.interaction
def one_sided(i: Any, j: Any, out: Any, *, a: float = 1.5) -> None:
    """Give what fields of i alone, and of j alone, and parameters decide: neither symmetric nor a gradient."""
    d = j.position - i.position
    out.potential += i.charge * i.width * tr.exp(-i.charge) + tr.where(tr.dot(d, d) < 1, a * a, a)
    out.acceleration += j.charge * i.width * d


def test_both_sides_of_a_pair_get_what_the_function_says() -> None:
    particles = charges(50, side=4.0)
    particles.add_field("width", values=np.linspace(1, 2, 50))
    force = one_sided(cutoff=1.7)
    ensemble = tr.Ensemble([particles], force, timestep=1e-9)
    potential = ensemble.advance(1).potential[0]
    sim = tr.Simulation(particles.copy(), [force], timestep=1e-9, keep_order=True)
    sim.run(steps=1)
    assert potential == pytest.approx(sim.energies().potential, rel=1e-6)
    given, expected = ensemble.particles(0).acceleration, np.asarray(sim.particles.acceleration)
    assert np.abs(given - expected).max() < 1e-5 * np.abs(expected).max()


def test_without_a_cutoff_settings_of_trees_do_not_count() -> None:
    cluster = tr.ic.plummer(64, seed=1)
    fast = tr.pair_potential("-1 / sqrt(r**2 + e**2)", source="mass", e=0.1, accuracy=1e-2)
    direct = tr.Ensemble([cluster], tr.Gravity(softening=0.1), timestep=0.01).advance(50)
    assert tr.Ensemble([cluster], fast, timestep=0.01).advance(50).potential == pytest.approx(
        direct.potential, rel=1e-6
    )


def test_fields_matrices_and_tables_are_those_of_a_simulation() -> None:
    system = tr.ic.lennard_jones(108, density=0.7, seed=1)
    random = np.random.default_rng(2)
    for name, values in [
        ("eps", random.uniform(0.8, 1.2, 108)), ("sigma", random.uniform(0.9, 1, 108)), ("kind", np.arange(108) % 2),
    ]:  # fmt: skip
        system.add_field(name, values=values)
    r = np.sqrt(np.linspace(0.6**2, 2.5**2, 2000))
    matrices: Any = {"eps": [[1.0, 1.2], [1.2, 0.5]], "sigma": [[1.0, 0.8], [0.8, 0.88]]}
    fields: Any = {"fields": ["eps", "sigma"], "mix": "lorentz-berthelot"}
    for force in (
        tr.pair_potential(LENNARD_JONES, cutoff=2.5, truncation="switched", **fields),
        tr.pair_potential(LENNARD_JONES, cutoff=2.5, truncation="energy-shifted", **matrices),
        tr.pair_potential(tr.table(r, 4 * (r**-12 - r**-6)), cutoff=2.5),
    ):
        ensemble = tr.Ensemble([system], force, timestep=0.002)
        energies = ensemble.advance(50)
        sim = tr.Simulation(system.copy(), [force], timestep=0.002, keep_order=True)
        sim.run(steps=50)
        assert apart(ensemble.particles(0), sim.particles) < 1e-5
        assert energies.potential[0] == pytest.approx(sim.energies().potential, rel=1e-5)


def test_bits_do_not_depend_on_calls_neighbours_devices_or_a_state_between() -> None:
    def made(systems: list[tr.ParticleSet], device: str = "host") -> tr.Ensemble:
        return tr.Ensemble(systems, ATOMS, timestep=0.002, thermostat=LANGEVIN, device=device)

    def same(one: tr.Ensemble, other: tr.Ensemble) -> bool:
        return np.array_equal(one.particles(0).position, other.particles(0).position)

    for atoms in (55, 500):
        systems = liquids(2, atoms) if atoms > 55 else [tr.ic.cluster(55, seed=k) for k in range(2)]
        whole, halves, alone, there = made(systems), made(systems), made(systems[:1]), made(systems, "cpu")
        whole.advance(40)
        halves.advance(20)
        kept = halves.state()
        halves.advance(20)
        resumed = made(systems)
        resumed.restore(kept)
        resumed.advance(20)
        alone.advance(40)
        there.advance(40)
        for other in (halves, resumed, alone, there):
            assert same(whole, other)


def test_energies_are_conserved_with_a_barostat() -> None:
    boxes = tr.Ensemble(
        [tr.ic.lennard_jones(108, density=0.7, temperature=1.5, seed=seed) for seed in range(2)],
        atoms_in_python(cutoff=2.2),
        timestep=0.004,
        thermostat=tr.Langevin(temperature=1.5, relaxation_time=0.5, seed=1),
        barostat=tr.Barostat(pressure=1.0, every=5),
    )
    energies = boxes.advance(1000, every=100)
    total = energies.potential + energies.kinetic + energies.bath
    assert np.ptp(total, axis=0).max() < 0.02 * energies.kinetic.min()
    tried, accepted = boxes.volume_moves
    assert (tried == 200).all()
    assert (accepted > 20).all()
    with pytest.raises(ValueError, match="truncation is 'plain'"):
        tr.Ensemble(
            liquids(1), atoms_in_python(truncation="plain"), timestep=0.004, thermostat=LANGEVIN,
            barostat=tr.Barostat(pressure=1.0),
        )  # fmt: skip


def test_states_of_an_exchange_differ_by_a_parameter() -> None:
    """Energies of all systems in all states are direct sums; equal forces are one Hamiltonian."""
    lengths = [0.5, 0.7, 0.7, 1.0]
    systems = [charges(20, seed=3)] * 4
    forces = [screened(length=each) for each in lengths]
    bath = tr.Langevin(temperature=1, relaxation_time=0.5, seed=5)
    ensemble = tr.Ensemble(
        systems, forces, timestep=0.002, thermostat=bath, container=(2.0, 50.0), temperature=[1.0, 1.0, 1.2, 1.2]
    )
    exchange = tr.ReplicaExchange(ensemble, [1.0, 1.0, 1.2, 1.2], exchange_every=10, seed=4)
    assert exchange.hamiltonians.tolist() == [0, 1, 1, 2]
    history = exchange.run(200)
    assert history.accepted.sum() > 0
    energies = history.potential_in_all[-1]
    for k in range(4):
        now = ensemble.particles(k)
        centre = np.average(now.position, axis=0, weights=now.mass)
        beyond = np.maximum(np.linalg.norm(np.asarray(now.position) - centre, axis=1) - 2.0, 0)
        wall = 25.0 * (beyond**2).sum()
        for hamiltonian, length in enumerate((0.5, 0.7, 1.0)):
            assert energies[k, hamiltonian] == pytest.approx(directly(now, length, np.inf)[1] + wall, abs=1e-4)


def test_states_of_an_exchange_are_two_potentials() -> None:
    """They read the same fields; energies of both systems in both are those of simulations."""
    potentials = [
        tr.pair_potential("4*(r**-12 - r**-6)", cutoff=5.0, truncation="energy-shifted"),
        tr.pair_potential("(1 - exp(-6*(r - 1)))**2 - 1", cutoff=4.0, truncation="force-shifted"),
    ]
    systems = tr.quenched([tr.ic.cluster(13, seed=1)] * 2, tr.LennardJones(cutoff=20.0)).particles
    ensemble = tr.Ensemble(systems, potentials, timestep=0.002, thermostat=LANGEVIN, temperature=0.2)
    history = tr.ReplicaExchange(ensemble, [0.2, 0.2], exchange_every=10, seed=1).run(20)
    for particles, energies in zip(ensemble.all_particles(), history.potential_in_all[-1], strict=True):
        for force, energy in zip(potentials, energies, strict=True):
            simulation = tr.Simulation(particles.copy(), [force], timestep=1.0)
            assert energy == pytest.approx(simulation.energies().potential, abs=1e-4)


def test_an_exchange_refuses_an_energy_that_jumps() -> None:
    def exchange(force: tr.Force) -> None:
        systems = liquids(2)
        for each in systems:
            each.add_field("eps", values=1.0)
        ensemble = tr.Ensemble(systems, force, timestep=0.002, thermostat=LANGEVIN)
        tr.ReplicaExchange(ensemble, [0.8, 0.9], exchange_every=10)

    exchange(ATOMS)
    exchange(tr.pair_potential("exp(-6*r)", cutoff=2.5))
    with pytest.raises(ValueError, match=r"truncation is 'plain', by which the energy jumps by 0\.016 at the cutoff"):
        exchange(atoms_in_python(truncation="plain"))
    with pytest.raises(ValueError, match=r"truncation is 'plain', by which the energy jumps at the cutoff"):
        exchange(tr.pair_potential("eps / r**12", cutoff=2.5, fields=["eps"], mix="geometric"))


@tr.interaction(results=["overlap"])
def with_a_result(i: Any, j: Any, out: Any, *, cutoff: float) -> None:
    d = j.position - i.position
    out.potential += cutoff - tr.dot(d, d)
    out.acceleration -= 4 * d / i.mass
    out.overlap.raise_to(tr.dot(d, d))


@tr.interaction
def without_energy(i: Any, j: Any, out: Any, *, cutoff: float) -> None:
    out.acceleration -= cutoff * (j.position - i.position)


@tr.interaction
def rubbing(i: Any, j: Any, out: Any, *, cutoff: float) -> None:
    d = j.position - i.position
    out.potential += cutoff - tr.dot(d, d)
    out.acceleration += j.velocity - i.velocity


@tr.interaction(radius="reach")
def of_radii(i: Any, j: Any, out: Any) -> None:
    d = j.position - i.position
    out.potential += tr.dot(d, d)
    out.acceleration -= d


def of_a_field(name: str) -> tr.Force:
    return tr.pair_potential("exp(-r)", cutoff=2.0, truncation="energy-shifted", source=name)


@pytest.mark.parametrize(
    ("force", "sentence"),
    [
        (lambda: with_a_result(cutoff=1.0), "with_a_result writes overlap: among the particles of an ensemble"),
        (lambda: without_energy(cutoff=1.0), "without_energy writes no potential: among the particles of an ensemble"),
        (lambda: of_radii(), "of_radii has the search radius reach: among the particles of an ensemble"),
        (lambda: rubbing(cutoff=1.0), "reads the field velocity: among the particles of an ensemble, allowed"),
        (lambda: atoms_in_python(exclude=[[0, 999]]), "system 0: excluded pairs name particle 999, but no particle"),
        (lambda: [ATOMS, tr.LennardJones()], "of several kinds: allowed is one"),
        (lambda: [of_a_field("charge"), of_a_field("reach")], "of several kinds: allowed is one"),
        (lambda: screened(), "all pairs: allowed is open space"),
        (lambda: atoms_in_python(cutoff=5.0), r"system 0: its box is .* at least two cutoffs, 10"),
    ],
)  # fmt: skip
def test_an_interaction_that_small_systems_do_not_know_is_refused(force: Callable[[], Any], sentence: str) -> None:
    systems = liquids(2)
    for each in systems:
        each.add_field("charge", values=1.0)
        each.add_field("reach", values=1.0)
    with pytest.raises(ValueError, match=sentence):
        tr.Ensemble(systems, force(), timestep=0.002)


def test_devices_that_do_not_know_the_interaction_are_refused() -> None:
    for options in ({"device": "rehearsal:0"}, {"spares": ["rehearsal:0"]}):
        sentence = "written in Python, which device .* does not know: allowed are host, cpu, and GPUs, also of servers"
        given: Any = options
        with pytest.raises(ValueError, match=sentence):
            tr.Ensemble(liquids(1), ATOMS, timestep=0.002, **given)
    ensemble = tr.Ensemble(liquids(1), ATOMS, timestep=0.002)
    with pytest.raises(ValueError, match="which device rehearsal:0 does not know"):
        ensemble.use_devices("rehearsal:0")

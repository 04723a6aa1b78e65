"""Ensembles of molecules on GPUs and on processors of servers: against the host, formulas and direct sums."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chains import BEADS, PAIR_FORCES, WCA, WCA_IN_PYTHON, bonded, chain, energy_of, force_by_differences, rows
from dimers import EXCLUDING, dimers, pairs_directly
from own_pairs import BATHS, LANGEVIN, apart, assert_bits_of_systems_alone, same

import trellis as tr

Serve = Callable[..., "subprocess.Popen[str]"]

pytestmark = pytest.mark.usefixtures("opencl", "keys")


@pytest.fixture(params=["opencl:0", "cpu of a server"])
def there(request: pytest.FixtureRequest, serve: Serve, tmp_path: Path) -> str:
    """Return a device on which interactions are kernels of their own."""
    if request.param == "opencl:0":
        return "opencl:0"
    serve("--unix", str(tmp_path / "socket"), "--device", "cpu")
    return f"unix:{tmp_path / 'socket'}/cpu"


def test_forces_are_the_gradient_of_the_energy_of_the_formulas(there: str) -> None:
    """Beside no pairs and those of Lennard-Jones atoms; systems have molecules of their own."""
    for name, pairs in PAIR_FORCES.items():
        for side in (0.0, 6.0):
            systems, wca = [chain(side=side), chain(8, seed=2, side=side)], name != "none"
            forces = [[*pairs, *bonded(beads)] for beads in (BEADS, 8)]
            ensemble = tr.Ensemble(systems, forces, timestep=1e-9, device=there)
            found = ensemble.advance(1).potential
            for k, particles in enumerate(systems):
                x, case = np.asarray(particles.position), f"{name}, side {side}, system {k}"
                assert found[k] == pytest.approx(energy_of(x, side, wca), rel=1e-6), case
                expected = force_by_differences(x, side, wca)
                force = np.asarray(particles.mass)[:, None] * np.asarray(ensemble.particles(k).acceleration)
                assert np.abs(force - expected).max() < (3e-6 if wca else 1e-7) * np.abs(expected).max(), case


def test_excluded_and_scaled_pairs_are_direct_sums(there: str) -> None:
    """Excluded ones are at 0.2, 1e9 epsilon deep; systems have pairs of their own, in one block and in several."""
    for kind, excluding in EXCLUDING.items():
        for side in (0.0, 4.5):
            made = [dimers(count, side, seed=count) for count in (2, 13, 50, 300)]
            systems = [particles for particles, _ in made]
            ensemble = tr.Ensemble(systems, [excluding(pairs) for _, pairs in made], timestep=1e-9, device=there)
            found = ensemble.advance(1).potential
            for k, (particles, pairs) in enumerate(made):
                force, energy = pairs_directly(particles, pairs)
                case, scale = f"{kind}, side {side}, system {k}", max(1.0, float(np.abs(force).max()))
                given = np.asarray(particles.mass)[:, None] * np.asarray(ensemble.particles(k).acceleration)
                assert np.abs(given - force).max() < 3e-5 * scale, case
                assert found[k] == pytest.approx(energy, rel=1e-5, abs=1e-5), case


@pytest.mark.parametrize("pairs", [WCA, WCA_IN_PYTHON], ids=["cpp", "python"])
def test_molecules_move_as_on_the_host(there: str, pairs: tr.Force) -> None:
    mixed = chain(side=8.0, seed=2)[np.random.default_rng(1).permutation(BEADS)].copy()
    for name, bath in BATHS.items():
        ours, theirs = (
            tr.Ensemble([chain(side=8.0), mixed], [[pairs, *bonded()]], timestep=0.002, thermostat=bath, device=device)
            for device in ("host", there)
        )
        for ensemble in (ours, theirs):
            ensemble.advance(10)
            ensemble.scale_velocities([1.1, 0.9])
        host, device = (ensemble.advance(200, every=100) for ensemble in (ours, theirs))
        for energy in ("potential", "kinetic", "bath"):
            assert getattr(device, energy) == pytest.approx(getattr(host, energy), rel=1e-5, abs=1e-4), (name, energy)
        assert apart(ours.particles(1), theirs.particles(1)) < 1e-5, name


def test_molecules_with_excluded_pairs_move_as_on_the_host(there: str) -> None:
    particles, pairs = dimers(50, 4.5)
    particles.velocity[:] = np.random.default_rng(2).normal(size=(50, 3))
    for excluding in EXCLUDING.values():
        forces = [excluding(pairs), tr.HarmonicBonds(np.arange(50).reshape(-1, 2), k=200, length=0.2)]
        ours, theirs = (
            tr.Ensemble([particles] * 2, [forces], timestep=0.002, device=device) for device in ("host", there)
        )
        energies = [ensemble.advance(150, every=50).potential for ensemble in (ours, theirs)]
        assert energies[1] == pytest.approx(energies[0], rel=1e-4, abs=1e-3)
        assert apart(ours.particles(1), theirs.particles(1)) < 3e-5


def test_every_truncation_of_lennard_jones_is_that_of_the_host(there: str) -> None:
    liquid = tr.ic.lennard_jones(108, density=0.6, temperature=1.0, seed=3)
    truncations: list[Any] = ["plain", "energy-shifted", "force-shifted", "switched"]
    for truncation in truncations:
        atoms = tr.LennardJones(epsilon=0.7, sigma=0.9, cutoff=2.0, truncation=truncation)
        forces = [[atoms, tr.HarmonicBonds(rows(2, 40), k=20, length=1.2)]]
        ours, theirs = (tr.Ensemble([liquid], forces, timestep=0.002, device=device) for device in ("host", there))
        assert theirs.advance(50).potential == pytest.approx(ours.advance(50).potential, rel=1e-5), truncation
        assert apart(ours.particles(0), theirs.particles(0)) < 1e-5, truncation


def test_gravity_and_tables_act_beside_bonds(there: str) -> None:
    r = np.linspace(0.5, 1.6, 200)
    table = tr.bond_potential(tr.table(r, 30 * (r - 1) ** 2), pairs=rows(2))
    forces = [[tr.Gravity(softening=0.3, G=2.0), table, *bonded()[1:]]]
    ours, theirs = (
        tr.Ensemble([chain()], forces, timestep=0.002, container=(2.0, 10.0), device=device)
        for device in ("host", there)
    )
    assert theirs.advance(50).potential == pytest.approx(ours.advance(50).potential, rel=1e-5)
    assert np.abs(theirs.positions - ours.positions).max() < 1e-5


def test_the_energy_is_conserved(there: str) -> None:
    """The error of the leapfrog goes with the square of the step."""
    errors = []
    for timestep in (0.004, 0.002):
        ensemble = tr.Ensemble([chain(seed=k) for k in range(2)], [[WCA, *bonded()]], timestep=timestep, device=there)
        energies = ensemble.advance(round(4 / timestep), every=10)
        errors.append((energies.potential + energies.kinetic).std(axis=0).max())
    assert errors[0] < 0.01
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.35)


def test_volumes_move_as_on_the_host(there: str) -> None:
    particles, pairs = dimers(50, 4.5)
    forces = [EXCLUDING["cpp"](pairs), tr.HarmonicBonds(np.arange(50).reshape(-1, 2), k=2, length=0.2)]
    ours, theirs = (
        tr.Ensemble(
            [particles] * 2, [forces], timestep=0.004, thermostat=LANGEVIN, device=device,
            barostat=tr.Barostat(pressure=1.0, every=3),
        )
        for device in ("host", there)
    )  # fmt: skip
    host, device = (ensemble.advance(60, every=20) for ensemble in (ours, theirs))
    np.testing.assert_array_equal(theirs.volume_moves, ours.volume_moves)
    assert ours.volume_moves[1].min() > 0
    assert device.potential == pytest.approx(host.potential, rel=1e-4, abs=1e-3)
    assert np.asarray(theirs.particles(1).box) == pytest.approx(np.asarray(ours.particles(1).box), rel=1e-9)


def test_states_of_an_exchange_differ_by_their_bonds_and_excluded_pairs(there: str) -> None:
    """Energies of all systems in all states are those of the formulas."""
    stiff, factors = np.array([20.0, 40.0, 40.0]), [0.0, 0.0, 0.5]

    def made(device: str) -> tuple[tr.Ensemble, tr.ReplicaExchange]:
        forces = [
            [
                tr.LennardJones(cutoff=3.0, truncation="energy-shifted", exclude=[(*pair, factor) for pair in rows(2)]),
                tr.HarmonicBonds(rows(2), k=k, length=1.0),
            ]
            for k, factor in zip(stiff, factors, strict=True)
        ]
        ensemble = tr.Ensemble(
            [chain()] * 3, forces, timestep=0.002, thermostat=LANGEVIN, temperature=0.7, device=device
        )
        return ensemble, tr.ReplicaExchange(ensemble, [0.7] * 3, exchange_every=20, seed=2)

    (_, here), (ensemble, exchange) = made("host"), made(there)
    ours, theirs = here.run(10), exchange.run(10)
    np.testing.assert_array_equal(theirs.state, ours.state)
    assert theirs.accepted.sum() > 0
    assert theirs.potential_in_all == pytest.approx(ours.potential_in_all, rel=1e-4, abs=1e-3)
    for number, each in enumerate(ensemble.all_particles()):
        length = np.linalg.norm(np.diff(np.asarray(each.position), axis=0), axis=1)
        of_bonds = stiff * ((length - 1) ** 2 / 2).sum()
        near = (4 * (length**-12 - length**-6) - 4 * (3.0**-12 - 3.0**-6)).sum()
        expected = of_bonds + np.array(factors) * near
        found = theirs.potential_in_all[-1][number]
        assert np.diff(found) == pytest.approx(np.diff(expected), rel=1e-5, abs=1e-4)


def test_bits_depend_on_neither_neighbours_calls_nor_a_state_between(there: str) -> None:
    def made(systems: list[tr.ParticleSet]) -> tr.Ensemble:
        return tr.Ensemble(systems, [[WCA, *bonded()]], timestep=0.002, thermostat=LANGEVIN, device=there)

    assert_bits_of_systems_alone(made, [chain(seed=k) for k in range(5)])


@pytest.mark.parametrize("device", ["opencl:0", "cpu"])
def test_molecules_of_a_killed_server_go_to_another_with_the_same_bits(
    device: str, serve: Serve, tmp_path: Path
) -> None:
    servers = [serve("--unix", str(tmp_path / name), "--device", device) for name in "ab"]
    both = [f"unix:{tmp_path / name}/{device}" for name in "ab"]
    particles, pairs = dimers(50, 4.5)
    forces = [EXCLUDING["cpp"](pairs), tr.HarmonicBonds(np.arange(50).reshape(-1, 2), k=200, length=0.2)]
    systems = [particles[np.random.default_rng(k).permutation(50)].copy() for k in range(5)]
    for k, each in enumerate(systems):
        each.velocity[:] = np.random.default_rng(k).normal(size=(50, 3))
    alone, shared = (
        tr.Ensemble(systems, [forces], timestep=0.002, thermostat=LANGEVIN, device=devices)
        for devices in (both[0], both)
    )
    assert np.array_equal(alone.advance(10).potential, shared.advance(10).potential)
    servers[1].kill()
    with pytest.warns(RuntimeWarning, match="its systems go to"):
        found = shared.advance(20, every=10)
    assert np.array_equal(alone.advance(20, every=10).potential, found.potential)
    assert same(alone, shared)


def test_molecules_go_from_a_processor_to_another_device_and_back(there: str) -> None:
    whole, moved = (tr.Ensemble([chain()], [[WCA, *bonded()]], timestep=0.002, thermostat=LANGEVIN) for _ in range(2))
    for device in ("host", there, "cpu"):
        moved.use_devices(device)
        moved.advance(20)
    whole.advance(60)
    assert np.abs(moved.positions - whole.positions).max() < 1e-5


def test_a_bond_that_is_too_long_ends_in_a_sentence(there: str) -> None:
    broken = chain()
    broken.velocity[0] = 40.0 * (broken.position[0] - broken.position[1])
    ensemble = tr.Ensemble([chain(), broken], [[WCA, tr.FENE(rows(2))]], timestep=0.02, device=there)
    sentence = "system 1: the potential FENE is not finite where the members of row 0 of pairs, the particles 0 and 1"
    with pytest.raises(RuntimeError, match=sentence):
        ensemble.advance(50)


def test_quenches_of_molecules_end_where_those_of_the_host_do(there: str) -> None:
    ours, theirs = (
        tr.quenched([chain()], [WCA, *bonded()], longest_move=0.1, device=device) for device in ("host", there)
    )
    assert theirs.energy == pytest.approx(ours.energy, rel=1e-6)

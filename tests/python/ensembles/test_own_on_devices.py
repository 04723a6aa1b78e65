"""Ensembles whose interaction is written in Python, on GPUs, here and of servers: against the host and direct sums."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_pairs import (
    ATOMS,
    BATHS,
    LANGEVIN,
    LENNARD_JONES,
    apart,
    assert_bits_of_systems_alone,
    atoms_in_python,
    charges,
    directly,
    liquids,
    same,
    screened,
    two_potentials,
)

import trellis as tr

DEVICE = "opencl:0"
Serve = Callable[..., "subprocess.Popen[str]"]

pytestmark = pytest.mark.usefixtures("opencl")


@pytest.mark.parametrize("count", [1, 2, 31, 257, 450])
@pytest.mark.parametrize(("cutoff", "side"), [(np.inf, 0.0), (1.5, 0.0), (1.5, 4.0)])
def test_forces_and_energies_are_direct_sums(count: int, cutoff: float, side: float) -> None:
    particles = charges(count, seed=count, side=side)
    force = screened(length=0.7) if np.isinf(cutoff) else screened(length=0.7, cutoff=cutoff)
    ensemble = tr.Ensemble([charges(5), particles], force, timestep=1e-9, device=DEVICE)
    found = ensemble.advance(1).potential[1]
    acceleration, potential = directly(particles, 0.7, cutoff)
    scale = max(1.0, np.sqrt((acceleration**2).sum(axis=1).mean()))
    assert np.abs(ensemble.particles(1).acceleration - acceleration).max() < 2e-5 * scale
    assert found == pytest.approx(potential, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("thermostat", BATHS.values(), ids=BATHS)
def test_systems_move_as_on_the_host(thermostat: tr.Thermostat | None) -> None:
    here, there = (
        tr.Ensemble(liquids(2, 108), ATOMS, timestep=0.002, thermostat=thermostat, device=device)
        for device in ("host", DEVICE)
    )
    for ensemble in (here, there):
        ensemble.advance(10)
        ensemble.scale_velocities([1.1, 0.9])
        if thermostat is not None:
            ensemble.temperature = [0.7, 0.9]
    ours, theirs = (ensemble.advance(40, every=10) for ensemble in (here, there))
    for name in ("potential", "kinetic", "bath"):
        assert getattr(theirs, name) == pytest.approx(getattr(ours, name), rel=1e-5, abs=1e-3), name
    assert apart(here.particles(1), there.particles(1)) < 1e-5
    single = there.advance(4, every=2, energies="potential")
    assert single == pytest.approx(here.advance(4, every=2).potential, rel=1e-5)


def test_volumes_move_as_on_the_host() -> None:
    given: dict[str, Any] = {
        "timestep": 0.004,
        "thermostat": tr.Langevin(temperature=1.5, relaxation_time=0.5, seed=1),
        "barostat": tr.Barostat(pressure=1.0, every=5),
    }
    boxes = [tr.ic.lennard_jones(108, density=0.7, temperature=1.5, seed=seed) for seed in range(2)]
    here, there = (
        tr.Ensemble(boxes, atoms_in_python(cutoff=2.2), **given, device=device) for device in ("host", DEVICE)
    )
    ours, theirs = (ensemble.advance(100, every=20) for ensemble in (here, there))
    np.testing.assert_array_equal(there.volume_moves, here.volume_moves)
    assert there.volume_moves[1].min() > 2
    assert theirs.bath == pytest.approx(ours.bath, abs=1e-2)
    assert np.ptp(there.particles(0).box, axis=0) == pytest.approx(np.ptp(here.particles(0).box, axis=0), rel=1e-9)
    total = theirs.potential + theirs.kinetic + theirs.bath
    assert np.ptp(total, axis=0).max() < 0.02 * theirs.kinetic.min()


def test_fields_matrices_and_tables_are_those_of_the_host() -> None:
    system = tr.ic.lennard_jones(108, density=0.7, seed=1)
    random = np.random.default_rng(2)
    system.add_field("eps", values=random.uniform(0.8, 1.2, 108))
    system.add_field("sigma", values=random.uniform(0.9, 1, 108))
    system.add_field("kind", values=np.arange(108) % 2)
    r = np.sqrt(np.linspace(0.6**2, 2.5**2, 2000))
    matrices: Any = {"eps": [[1.0, 1.2], [1.2, 0.5]], "sigma": [[1.0, 0.8], [0.8, 0.88]]}
    for force in (
        tr.pair_potential(
            LENNARD_JONES, cutoff=2.5, truncation="switched", fields=["eps", "sigma"], mix="lorentz-berthelot"
        ),
        tr.pair_potential(LENNARD_JONES, cutoff=2.5, truncation="energy-shifted", **matrices),
        tr.pair_potential(tr.table(r, 4 * (r**-12 - r**-6)), cutoff=2.5),
    ):
        here, there = (tr.Ensemble([system], force, timestep=0.002, device=device) for device in ("host", DEVICE))
        assert there.advance(50).potential == pytest.approx(here.advance(50).potential, rel=1e-5)
        assert apart(here.particles(0), there.particles(0)) < 1e-5


def test_states_of_an_exchange_differ_by_a_parameter() -> None:
    """Energies of all systems in all states are direct sums, walls included."""
    lengths = [0.5, 0.7, 0.7, 1.0]
    bath = tr.Langevin(temperature=1, relaxation_time=0.5, seed=5)
    ensemble = tr.Ensemble(
        [charges(20, seed=3)] * 4, [screened(length=each) for each in lengths], timestep=0.002, thermostat=bath,
        container=(2.0, 50.0), temperature=[1.0, 1.0, 1.2, 1.2], device=DEVICE,
    )  # fmt: skip
    exchange = tr.ReplicaExchange(ensemble, [1.0, 1.0, 1.2, 1.2], exchange_every=10, seed=4)
    history = exchange.run(50)
    assert (np.diff(history.state, axis=0) != 0).any()
    for k in range(4):
        now = ensemble.particles(k)
        centre = np.average(now.position, axis=0, weights=now.mass)
        beyond = np.maximum(np.linalg.norm(np.asarray(now.position) - centre, axis=1) - 2.0, 0)
        for hamiltonian, length in enumerate((0.5, 0.7, 1.0)):
            expected = directly(now, length, np.inf)[1] + 25.0 * (beyond**2).sum()
            assert history.potential_in_all[-1][k, hamiltonian] == pytest.approx(expected, abs=1e-4)


def test_states_of_an_exchange_are_two_potentials() -> None:
    here, there = (two_potentials(device).run(20) for device in ("host", DEVICE))
    np.testing.assert_array_equal(there.state, here.state)
    assert here.accepted.sum() > 0
    assert there.potential_in_all == pytest.approx(here.potential_in_all, rel=1e-4, abs=1e-4)


def test_bits_do_not_depend_on_calls_neighbours_or_a_state_between() -> None:
    def made(systems: list[tr.ParticleSet]) -> tr.Ensemble:
        return tr.Ensemble(systems, ATOMS, timestep=0.002, thermostat=LANGEVIN, device=DEVICE)

    assert_bits_of_systems_alone(made, liquids(2, 108))


def test_a_state_goes_on_elsewhere() -> None:
    whole = tr.Ensemble(liquids(2), ATOMS, timestep=0.002, thermostat=LANGEVIN)
    moved = tr.Ensemble(liquids(2), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=DEVICE)
    moved.advance(20)
    moved.use_devices("cpu")
    moved.advance(20)
    whole.advance(40)
    assert apart(whole.particles(0), moved.particles(0)) < 1e-5


@pytest.mark.usefixtures("keys")
def test_a_server_gives_the_bits_of_its_device(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"), "--device", DEVICE)
    lent = f"unix:{tmp_path / 'socket'}/{DEVICE}"
    near, far = (
        tr.Ensemble(liquids(3, 108), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=device)
        for device in (DEVICE, lent)
    )
    for ours, theirs in zip(near.advance(40, every=10), far.advance(40, every=10), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert same(near, far)
    histories = [two_potentials(device).run(10) for device in (DEVICE, lent)]
    np.testing.assert_array_equal(histories[0].potential_in_all, histories[1].potential_in_all)


@pytest.mark.usefixtures("keys")
def test_systems_of_a_killed_server_go_to_another_with_the_same_bits(serve: Serve, tmp_path: Path) -> None:
    servers = [serve("--unix", str(tmp_path / name), "--device", DEVICE) for name in "ab"]
    there = [f"unix:{tmp_path / name}/{DEVICE}" for name in "ab"]
    alone, shared = (
        tr.Ensemble(liquids(4, 108), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=device)
        for device in (DEVICE, there)
    )
    for call in range(4):
        if call == 2:
            servers[0].kill()
            with pytest.warns(RuntimeWarning, match="its systems go to"):
                theirs = shared.advance(10)
        else:
            theirs = shared.advance(10)
        assert np.array_equal(alone.advance(10).potential, theirs.potential), call
    kept = shared.state()
    servers[1].kill()
    with pytest.raises(RuntimeError, match="none is left"):
        shared.advance(10)
    resumed = tr.Ensemble(liquids(4, 108), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=DEVICE)
    resumed.restore(kept)
    resumed.advance(10)
    alone.advance(10)
    assert same(alone, resumed)


def test_an_interaction_of_too_large_a_table_is_refused() -> None:
    r = np.sqrt(np.linspace(0.6**2, 2.5**2, 4000))
    with pytest.raises(ValueError, match="rows of tables: on a device, 2048 are allowed"):
        tr.Ensemble(
            liquids(1), tr.pair_potential(tr.table(r, 4 * (r**-12 - r**-6)), cutoff=2.5), timestep=0.002, device=DEVICE
        )

"""Ensembles whose interaction is written in Python, on processors of servers: against the host and direct sums."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from own_pairs import (
    ATOMS,
    BATHS,
    LANGEVIN,
    apart,
    atoms_in_python,
    charges,
    directly,
    liquids,
    same,
    screened,
    two_potentials,
)

import trellis as tr

Serve = Callable[..., "subprocess.Popen[str]"]

pytestmark = pytest.mark.usefixtures("keys")


def lent(serve: Serve, socket: Path) -> tuple[str, subprocess.Popen[str]]:
    """Return a processor of a new server, and the server."""
    server = serve("--unix", str(socket), "--device", "cpu")
    return f"unix:{socket}/cpu", server


def test_forces_and_energies_are_direct_sums(serve: Serve, tmp_path: Path) -> None:
    """Systems differ by a parameter of their interaction."""
    there, _ = lent(serve, tmp_path / "socket")
    lengths = [0.5, 0.7, 0.5, 0.7]
    for count in (1, 2, 17, 257):
        for cutoff, side in ((np.inf, 0.0), (1.5, 0.0), (1.5, 4.0)):
            systems = [charges(count, seed=count + k, side=side) for k in range(4)]
            within = {} if np.isinf(cutoff) else {"cutoff": cutoff}
            forces = [screened(length=length, **within) for length in lengths]
            ensemble = tr.Ensemble(systems, forces, timestep=1e-9, device=there)
            found = ensemble.advance(1).potential
            for k, length in enumerate(lengths):
                acceleration, potential = directly(systems[k], length, cutoff)
                scale = max(1.0, np.sqrt((acceleration**2).sum(axis=1).mean()))
                case = f"{count} particles, cutoff {cutoff}, side {side}, system {k}"
                assert np.abs(ensemble.particles(k).acceleration - acceleration).max() < 2e-5 * scale, case
                assert found[k] == pytest.approx(potential, rel=1e-5, abs=1e-5), case


@pytest.mark.parametrize("barostat", [None, tr.Barostat(pressure=1.0, every=5)], ids=["boxes stay", "boxes change"])
def test_systems_move_as_on_the_host(serve: Serve, tmp_path: Path, barostat: tr.Barostat | None) -> None:
    there, _ = lent(serve, tmp_path / "socket")
    systems = [tr.ic.lennard_jones(108, density=0.7, temperature=1.5, seed=seed) for seed in range(3)]
    for name, thermostat in BATHS.items():
        if barostat is not None and thermostat is None:
            continue
        ours, theirs = (
            tr.Ensemble(
                systems, atoms_in_python(cutoff=2.2), timestep=0.002, thermostat=thermostat, barostat=barostat,
                device=device,
            )
            for device in ("host", there)
        )  # fmt: skip
        for ensemble in (ours, theirs):
            ensemble.advance(10)
            ensemble.scale_velocities([1.1, 0.9, 1.0])
        host, server = (ensemble.advance(20, every=10) for ensemble in (ours, theirs))
        for energy in ("potential", "kinetic", "bath"):
            assert getattr(server, energy) == pytest.approx(getattr(host, energy), rel=1e-5, abs=1e-2), (name, energy)
        assert apart(ours.particles(1), theirs.particles(1)) < 1e-5, name
        if barostat is not None:
            np.testing.assert_array_equal(theirs.volume_moves, ours.volume_moves)
        single = theirs.advance(4, every=2, energies="potential")
        assert single == pytest.approx(ours.advance(4, every=2).potential, rel=1e-5)


def test_states_of_an_exchange_are_two_potentials(serve: Serve, tmp_path: Path) -> None:
    there, _ = lent(serve, tmp_path / "socket")
    ours, theirs = (two_potentials(device).run(20) for device in ("host", there))
    np.testing.assert_array_equal(theirs.state, ours.state)
    assert ours.accepted.sum() > 0
    assert theirs.potential_in_all == pytest.approx(ours.potential_in_all, rel=1e-4, abs=1e-4)


def test_systems_of_a_killed_server_go_to_another_with_the_same_bits(serve: Serve, tmp_path: Path) -> None:
    (first, server), (second, _), (third, _) = (lent(serve, tmp_path / name) for name in "abc")
    alone, shared = (
        tr.Ensemble(liquids(4, 108), ATOMS, timestep=0.002, thermostat=LANGEVIN, device=devices)
        for devices in (third, [first, second])
    )
    assert np.array_equal(alone.advance(10).potential, shared.advance(10).potential)
    server.kill()
    with pytest.warns(RuntimeWarning, match="its systems go to"):
        shared.advance(10)
    alone.advance(10)
    assert same(alone, shared)

"""A gas of which each particle has its own time step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import trellis as tr

OWN = tr.IndividualSteps(longest=0.02)


def blast(steps: tr.IndividualSteps | None = OWN, device: str = "host") -> tr.Simulation:
    return tr.Simulation(tr.ic.sedov(4096), [tr.Sph(courant=0.2)], timestep=steps, device=device)


def test_a_blast_keeps_its_energy_and_its_shock_with_fewer_updates() -> None:
    """Against the same blast with one step for all."""
    sim, plain = blast(), blast(None)
    updates = rungs = 0
    for _ in range(3):
        sim.run(steps=1)
        updates += sim.rung_use["updates"]
        rungs = max(rungs, sum(count > 0 for count in sim.rung_use["particles"]))
    plain.run(until=sim.time)
    assert rungs >= 3
    assert updates < 0.8 * plain.step_count * len(sim.particles)
    assert abs(sim.energies().error) < 2e-3
    order, other = np.argsort(sim.particles.id), np.argsort(plain.particles.id)
    apart = sim.particles.position[order] - plain.particles.position[other]
    apart -= np.round(apart)
    assert np.sqrt(np.mean(np.sum(apart**2, axis=1))) < 0.02 / 16
    momentum = np.sum(sim.particles.mass[:, None] * sim.particles.velocity, axis=0)
    assert np.abs(momentum).max() < 1e-4


def test_a_blast_on_a_device_is_that_of_the_host() -> None:
    ends = []
    for device in ("host", "cpu"):
        sim = blast(device=device)
        sim.run(steps=2)
        momentum = np.sum(sim.particles.mass[:, None] * sim.particles.velocity, axis=0)
        assert np.abs(momentum).max() < 1e-4
        assert abs(sim.energies().error) < 2e-3
        ends.append((sim.rung_use, sim.particles))
    (use, host), (use_of_device, device_ends) = ends
    assert use == use_of_device
    order, other = np.argsort(host.id), np.argsort(device_ends.id)
    np.testing.assert_array_equal(device_ends.column("rung")[other], host.column("rung")[order])
    apart = device_ends.position[other] - host.position[order]
    assert np.abs(apart - np.round(apart)).max() < 1e-5


def test_a_checkpoint_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole = blast()
    whole.run(steps=2)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", whole.state())
    whole.run(steps=2)
    resumed = tr.Simulation.resume(tr.io.read_checkpoint(tmp_path / "state.hdf5"), [tr.Sph(courant=0.2)], OWN)
    resumed.run(steps=2)
    for name in ("position", "velocity", "internal_energy", "density", "rung"):
        assert whole.particles.column(name).tobytes() == resumed.particles.column(name).tobytes(), name


def test_stars_within_a_gas_do_not_change_it() -> None:
    """Types choose the particles of the gas; massless stars at rest among them are moved by nothing."""
    gas = tr.ic.sedov(4096)
    alone = tr.Simulation(gas.copy(), [tr.Sph(courant=0.2)], timestep=OWN)
    gas.add_field("type")
    both = tr.Simulation(gas, [tr.Sph(courant=0.2)], timestep=OWN)
    stars = tr.ParticleSet.from_columns(
        position=0.9 * gas.position[:100], mass=np.zeros(100), id=10_000 + np.arange(100)
    )
    for name, value in {"type": 4, "internal_energy": 0, "smoothing_length": 0}.items():
        stars.add_field(name)
        stars.column(name)[:] = value
    both.add(stars)
    alone.run(steps=2)
    both.run(steps=2)
    is_gas = both.particles.column("type") == 0
    assert is_gas.sum() == 4096
    order, other = np.argsort(both.particles.id[is_gas]), np.argsort(alone.particles.id)
    apart = both.particles.position[is_gas][order] - alone.particles.position[other]
    apart -= np.round(apart)
    # Trees of other rows have other blocks, of which each has one limit by signals.
    assert np.sqrt(np.mean(np.sum(apart**2, axis=1))) < 1e-5
    assert np.all(both.particles.velocity[~is_gas] == 0)


def test_a_file_runs_a_gas(trellis: Command, tmp_path: Path) -> None:
    file = tmp_path / "blast.toml"
    file.write_text(
        '[ic]\nmodel = "sedov"\nparticles = 4096\n[sph]\ncourant = 0.2\n[steps]\nlongest = 0.008\n'
        f'[run]\nuntil = 0.02\nsnapshot_every = 0.01\noutput = "{tmp_path / "out"}"\n'
    )
    done = trellis("run", file)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("snapshot_*.hdf5"))) == 3


def test_a_negative_energy_is_refused() -> None:
    gas = tr.ic.sedov(512)
    gas.column("internal_energy")[3] = -1
    with pytest.raises(tr.InputError, match="internal_energy of row 3 is -1: allowed is 0 or more"):
        tr.Simulation(gas, [tr.Sph()], timestep=OWN).energies()

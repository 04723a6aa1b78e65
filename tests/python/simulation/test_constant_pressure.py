"""Constant pressure in a simulation: the liquid's density, books, the same bits after a resume, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trellis as tr
from trellis.io import read_checkpoint, write_checkpoint

ATOMS = tr.LennardJones(cutoff=2.5, truncation="energy-shifted")
LANGEVIN = tr.Langevin(temperature=1.0, relaxation_time=0.3, seed=3)
BAROSTAT = tr.Barostat(pressure=1.0, every=4, seed=5)


def atoms(particles: int = 256, density: float = 0.7) -> tr.ParticleSet:
    return tr.ic.lennard_jones(particles, density=density, temperature=1.0, seed=1)


def liquid(particles: tr.ParticleSet | None = None, **more: Any) -> tr.Simulation:
    given: dict[str, Any] = {"timestep": 0.004, "thermostat": LANGEVIN, "barostat": BAROSTAT, **more}
    return tr.Simulation(atoms() if particles is None else particles, given.pop("forces", [ATOMS]), **given)


def volume(sim: tr.Simulation) -> float:
    low, high = sim.particles.box
    return float((high - low).prod())


def test_the_liquid_has_the_density_of_nist() -> None:
    """At k T = 0.85, where the pressure is 0.5536 at the density 0.82 (see test_molecules_full.py)."""
    temperature, density, cutoff = 0.85, 0.82, 3.0
    outside = 0.5536 - tr.analysis.lennard_jones_tail_pressure(density, cutoff)
    forces = [tr.LennardJones(cutoff=cutoff, truncation="energy-shifted")]
    molten = tr.ic.lennard_jones(500, density=0.8, temperature=6.0, seed=1)
    hot = tr.Langevin(temperature=4.0, relaxation_time=0.5, seed=3)
    tr.Simulation(molten, forces, timestep=0.002, thermostat=hot).run(steps=1500)
    sim = liquid(
        molten,
        forces=forces,
        thermostat=tr.Langevin(temperature=temperature, relaxation_time=0.2, seed=3),
        barostat=tr.Barostat(pressure=outside, every=5, seed=4),
    )
    sim.run(steps=1500)
    densities: list[float] = []
    pressures: list[float] = []

    def measure(now: tr.Simulation) -> None:
        densities.append(500 / volume(now))
        pressures.append(now.pressure())

    sim.run(steps=8000, callbacks=[(10, measure)])
    for found, right, least in ((densities, density, 4e-3), (pressures, outside, 0.08)):
        error = np.std(found) / np.sqrt(tr.analysis.effective_samples(np.array(found)))
        print(f"{np.mean(found):.5f} +- {error:.5f}, right {right:.5f}")
        assert error < least
        assert abs(np.mean(found) - right) < 4 * error
    tried, accepted = sim.volume_moves
    assert tried == 9499 // 5
    assert 0.2 < accepted / tried < 0.6


def test_the_books_are_kept() -> None:
    sim = liquid(thermostat=tr.NoseHoover(temperature=1.0, relaxation_time=0.5))
    sim.run(steps=200)
    assert sim.volume_moves[1] > 5
    assert volume(sim) != pytest.approx(256 / 0.7, rel=1e-3)
    assert abs(sim.energies().error) < 2e-3
    assert repr(BAROSTAT) in repr(sim)


def test_charges_in_a_box_are_held() -> None:
    """A molten salt, whose long-range part is on a mesh that follows the box."""
    salt = atoms(density=0.5)
    salt.add_field("charge")
    salt.charge = np.where(np.arange(len(salt)) % 2 == 0, 1.0, -1.0)
    sim = liquid(salt, forces=[ATOMS, tr.Coulomb()], timestep=0.002)
    sim.run(steps=100)
    assert sim.volume_moves[1] > 3
    assert abs(sim.energies().error) < 2e-3
    again = tr.Simulation(salt.copy(), [ATOMS, tr.Coulomb()], timestep=0.002)
    assert sim.energies().potential == pytest.approx(again.energies().potential, rel=1e-5)


def test_a_resumed_simulation_has_the_same_bits(tmp_path: Path) -> None:
    without_seeds: dict[str, Any] = {
        "thermostat": tr.Langevin(temperature=1.0, relaxation_time=0.3),
        "barostat": tr.Barostat(pressure=1.0, every=4),
    }
    whole = liquid(**without_seeds)
    whole.run(steps=30)
    for stop in (7, 8, 9):  # before, at and after a move
        first = liquid(**without_seeds)
        first.run(steps=stop)
        write_checkpoint(tmp_path / "state.hdf5", first.state())
        kept = read_checkpoint(tmp_path / "state.hdf5")
        second = tr.Simulation.resume(kept, [ATOMS], 0.004, **without_seeds)
        second.run(steps=30 - stop)
        assert second.volume_moves == whole.volume_moves
        assert second.energies() == whole.energies()
        assert np.array_equal(second.particles.box, whole.particles.box)
        assert np.array_equal(second.particles.position, whole.particles.position)
        assert second.barostat.settings == whole.barostat.settings  # type: ignore[union-attr]


def test_added_particles_leave_the_account_of_moves() -> None:
    sim = liquid()
    sim.run(steps=20)
    moves, error = sim.volume_moves, sim.energies().error
    sim.remove([3, 4])
    assert sim.volume_moves == moves
    assert sim.energies().error == pytest.approx(error, rel=0.1)
    sim.run(steps=20)
    assert sim.volume_moves[0] > moves[0]


def test_it_is_the_same_on_a_device() -> None:
    here, there = liquid(), liquid(device="cpu")
    for sim in (here, there):
        sim.run(steps=40)
    assert here.volume_moves == there.volume_moves
    assert volume(here) == pytest.approx(volume(there), rel=1e-9)
    assert here.energies().potential == pytest.approx(there.energies().potential, rel=1e-4)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"thermostat": None}, "a barostat is given, but no thermostat: a pressure is held at a temperature"),
        ({"forces": [tr.LennardJones(cutoff=2.5)]}, "truncation is 'plain': with a barostat, allowed are"),
        (
            {"timestep": tr.IndividualSteps(longest=0.004)},
            "a barostat is given, but particles have time steps of their own: allowed is one for all",
        ),
        (
            {"forces": [ATOMS, tr.external.UniformField(acceleration=(0, 0, -1.0))]},
            "a barostat is given, but a force has no potential between particles",
        ),
        (
            {"thermostat": None, "resident": True, "device": "cpu", "forces": [tr.Gravity(softening=0.1)]},
            r"barostat is Barostat\(.*\), but particles that stay on a device have none",
        ),
    ],
)
def test_what_cannot_be_held_is_refused(more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(tr.InputError, match=sentence):
        liquid(**more)


def test_what_has_no_volume_or_potential_is_refused() -> None:
    with pytest.raises(tr.InputError, match="the box is not periodic along all axes: it has no volume"):
        liquid(tr.ic.cluster(7, seed=1))
    gas = tr.ic.sod(8)
    with pytest.raises(tr.InputError, match="a force has no potential between particles"):
        liquid(gas, forces=[tr.Sph()], timestep=None)
    expanding: dict[str, Any] = {"cosmology": tr.Cosmology(omega_m=1.0, H0=0.1), "scale_factor": 0.1, "timestep": None}
    with pytest.raises(tr.InputError, match=r"barostat is Barostat\(.*\), but expanding space has no barostat"):
        liquid(tr.ic.plummer(10), forces=[tr.Gravity(softening=0.1)], thermostat=None, **expanding)
    with pytest.raises(tr.InputError, match="volume_moves is asked for, but there is no barostat"):
        liquid(barostat=None).volume_moves  # noqa: B018

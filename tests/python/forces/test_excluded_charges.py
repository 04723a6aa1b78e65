"""Charges of pairs that Coulomb's force leaves out or scales, against sums written here with NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.run.simulation_run import SimulationRun

SIDES = np.array([7.0, 9.5, 8.0])
FINE: dict[str, Any] = {"accuracy": 1e-4, "precision": "double"}


def molecules() -> tuple[tr.ParticleSet, NDArray[np.float64]]:
    """Return 32 molecules of three charges in a liquid, some across faces, and their excluded and scaled pairs."""
    random, first = np.random.default_rng(2), 3 * np.arange(32)
    middle = (np.indices((4, 4, 2)).reshape(3, -1).T + 0.5) / [4, 4, 2] * SIDES
    position = (middle[:, None] + random.normal(scale=0.4, size=(32, 3, 3))).reshape(-1, 3) % SIDES
    charge = (random.uniform(0.5, 1.5, (32, 1)) * [0.4, -1.0, 0.6]).ravel()
    mass = random.uniform(0.5, 2.0, 96)
    velocity = random.normal(size=(96, 3))
    fluid = tr.ParticleSet.from_columns(
        position=position, velocity=velocity, mass=mass, charge=charge, box=[[0.0] * 3, SIDES]
    )
    pairs = [[first, first + 1, 0 * first], [first + 2, first + 1, 0 * first], [first, first + 2, 0 * first + 0.25]]
    return fluid, np.concatenate(pairs, axis=1).T.astype(float)


def taken_back(
    ions: tr.ParticleSet, pairs: NDArray[np.float64], softening: float = 0.0
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return what pairs add: the energy, the accelerations, and the virial tensor."""
    row = np.argsort(ions.id)
    a, b = row[pairs[:, 0].astype(int)], row[pairs[:, 1].astype(int)]
    d = ions.position[a] - ions.position[b]
    d -= SIDES * np.round(d / SIDES)
    r2 = (d**2).sum(axis=1) + softening**2
    energy = (pairs[:, 2] - 1) * ions.charge[a] * ions.charge[b] / np.sqrt(r2)
    force = (energy / r2)[:, None] * d
    accelerations = np.zeros((len(ions), 3))
    np.add.at(accelerations, a, force)
    np.add.at(accelerations, b, -force)
    return float(energy.sum()), accelerations / ions.mass[:, None], d.T @ force


@pytest.mark.parametrize("softening", [0.0, 0.2])
def test_energy_force_and_virial_are_those_of_the_other_pairs(softening: float) -> None:
    ions, pairs = molecules()
    whole = tr.Simulation(ions.copy(), [tr.Coulomb(softening=softening, **FINE)], timestep=1e-4)
    sim = tr.Simulation(ions, [tr.Coulomb(softening=softening, exclude=pairs, **FINE)], timestep=1e-4)
    for _ in range(2):
        energy, accelerations, virial = taken_back(sim.particles, pairs, softening)
        assert sim.energies().potential == pytest.approx(whole.energies().potential + energy, rel=1e-11)
        order, row = np.argsort(sim.particles.id), np.argsort(whole.particles.id)
        expected = whole.particles.acceleration[row] + accelerations[order]
        assert np.abs(sim.particles.acceleration[order] - expected).max() < 1e-10
        assert np.abs(sim.pressure_tensor() - whole.pressure_tensor() - virial / SIDES.prod()).max() < 1e-11
        if softening == 0:
            change = virial.trace() / 3 / SIDES.prod()
            assert sim.pressure() == pytest.approx(whole.pressure() + change, rel=1e-10)
        assert sim.force_error(96)["over_rms"] < (1e-4 if softening == 0 else 2e-3)  # docs/mesh.md
        assert len(sim.list_use) == len(sim.sizes) == 1
        sim.run(steps=1)
        whole.particles.position[row] = sim.particles.position[np.argsort(sim.particles.id)]
        whole.particles.velocity[row] = sim.particles.velocity[np.argsort(sim.particles.id)]


def test_a_charge_that_changes_changes_what_is_taken_back() -> None:
    ions, pairs = molecules()
    sim = tr.Simulation(ions, [tr.Coulomb(exclude=pairs, **FINE)], timestep=1e-4)
    sim.energies()
    sim.particles.charge[:] *= 2
    again = tr.Simulation(sim.particles.copy(), [tr.Coulomb(exclude=pairs, **FINE)], timestep=1e-4)
    assert sim.energies().potential == again.energies().potential


def test_a_pair_with_a_factor_of_one_and_no_pairs_are_all_pairs() -> None:
    ions, _ = molecules()
    energies = []
    for pairs in (None, [], [(0, 1, 1.0)]):
        sim = tr.Simulation(ions.copy(), [tr.Coulomb(exclude=pairs, **FINE)], timestep=1e-4)
        energies.append(sim.energies().potential)
    assert energies[1] == energies[0] == pytest.approx(energies[2], rel=1e-13)


@pytest.mark.parametrize("timestep", [5e-3, tr.IndividualSteps(longest=2e-2)])
def test_energy_is_conserved_on_any_steps(timestep: Any) -> None:
    ions, pairs = molecules()
    bonds = tr.HarmonicBonds(pairs[:, :2].astype(int), k=20.0, length=0.6)
    forces = [tr.Coulomb(softening=0.5, exclude=pairs, **FINE), bonds]
    if not isinstance(timestep, float):
        forces.append(tr.StepLimit(lambda particles: np.where(particles.mass < 1, 5e-3, 2e-2)))
    sim = tr.Simulation(ions, forces, timestep=timestep)
    before = sim.energies().total
    sim.run(until=0.4)
    assert abs(sim.energies().total / before - 1) < 1.5e-3
    if not isinstance(timestep, float):
        assert sim.rung_use is not None
        assert len(sim.rung_use["particles"]) > 1


def test_pairs_that_cannot_be_are_refused() -> None:
    ions, _ = molecules()
    for pairs, sentence in {
        ((3, 3),): "exclude has the pair 3 and 3: allowed are two different particles",
        ((0, 1), (1, 0, 0.5)): "exclude has the pair 0 and 1 with the factors 0 and 0.5: allowed is one",
        ((0, 1, -1.0),): "exclude has the pair 0 and 1 with the factor -1: allowed is 0 or more",
    }.items():
        with pytest.raises(ValueError, match=sentence):
            tr.Coulomb(exclude=pairs)
    with pytest.raises(ValueError, match="pairs name particle 96, but no particle has this id"):
        tr.Simulation(ions, [tr.Coulomb(exclude=[(0, 96)])], timestep=1e-4).run(steps=1)


FILE = """
initial_conditions = "ions.hdf5"
coulomb.exclude = [[0, 2, 0.25]]
bonds = [{ potential = "harmonic", parameters = { k = 1.0, length = 0.6 }, file = "bonds.txt", exclude = true }]
run = { timestep = 1e-4, until = 1e-3, output = "out", snapshot_every = 1e-3 }
"""


def test_a_parameter_file_excludes_pairs_and_bonds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ions, _ = molecules()
    tr.io.write_snapshot("ions.hdf5", ions)
    Path("bonds.txt").write_text("0 1\n1 2\n")
    Path("run.toml").write_text(FILE)
    run = SimulationRun(load(Path("run.toml")))
    pairs = [(0, 1), (1, 2), (0, 2, 0.25)]
    bonds = tr.HarmonicBonds([(0, 1), (1, 2)], k=1.0, length=0.6)
    ours = tr.Simulation(ions, [tr.Coulomb(exclude=pairs), bonds], timestep=1e-4)
    assert run.simulation.energies().potential == pytest.approx(ours.energies().potential, rel=1e-12)

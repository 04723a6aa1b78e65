"""Mixtures of Lennard-Jones atoms, from Python and by parameter files, against sums written here with NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.run.simulation_run import SimulationRun

KOB_ANDERSEN: dict[str, Any] = {
    "kinds": {"A": (1.0, 1.0), "B": (0.5, 0.88)},
    "pairs": [("A", "B", 1.5, 0.8)],
    "cutoff": 2.5,
    "cutoff_in_sigma": True,
}
EPSILON = np.array([[1.0, 1.5], [1.5, 0.5]])
SIGMA = np.array([[1.0, 0.8], [0.8, 0.88]])

FILE = """
[ic]
model = "lennard-jones"
particles = 500
density = 1.2
temperature = 2.0
kinds = [4, 1]

[lennard_jones]
kinds = { A = [1.0, 1.0], B = [0.5, 0.88] }
pairs = [["A", "B", 1.5, 0.8]]
cutoff_in_sigma = true
precision = "double"

[run]
until = 0.006
timestep = 0.003
snapshot_every = 0.006
"""


def summed(
    atoms: tr.ParticleSet, epsilon: NDArray[np.float64], sigma: NDArray[np.float64], cutoff: Any, *, shifted: bool
) -> tuple[float, float]:
    """Return the energy, and the virial summed over pairs, of the textbook's potential."""
    low, high = atoms.box
    kind = atoms.kind.astype(int)
    i, j = np.triu_indices(len(atoms), 1)
    d = atoms.position[j] - atoms.position[i]
    d -= (high - low) * np.round(d / (high - low))
    r = np.linalg.norm(d, axis=1)
    e, s = epsilon[kind[i], kind[j]], sigma[kind[i], kind[j]]
    c = np.broadcast_to(cutoff, epsilon.shape)[kind[i], kind[j]]
    u = 4 * e * ((s / r) ** 12 - (s / r) ** 6)
    if shifted:
        u -= 4 * e * ((s / c) ** 12 - (s / c) ** 6)
    w = 24 * e * (2 * (s / r) ** 12 - (s / r) ** 6)
    return float(u[r < c].sum()), float(w[r < c].sum())


@pytest.mark.parametrize("truncation", ["plain", "energy-shifted"])
def test_kob_and_andersens_liquid_has_the_energy_of_its_pairs(truncation: str) -> None:
    atoms = tr.ic.lennard_jones(500, density=1.2, temperature=2.0, kinds=(4, 1))
    assert np.bincount(atoms.kind.astype(int)).tolist() == [400, 100]
    force: Any = tr.LennardJones(**KOB_ANDERSEN, truncation=truncation, precision="double")
    sim = tr.Simulation(atoms, [force], timestep=0.003)
    sim.run(until=0.15)
    energy, virial = summed(sim.particles, EPSILON, SIGMA, 2.5 * SIGMA, shifted=truncation == "energy-shifted")
    assert sim.energies().potential == pytest.approx(energy, rel=1e-11)
    assert sim.particles.virial.sum() / 2 == pytest.approx(virial, rel=1e-11)
    assert sim.pressure() == pytest.approx(
        (2 * sim.energies().kinetic + virial) / (3 * np.prod(np.diff(atoms.box, axis=0))), rel=1e-9
    )


@pytest.mark.parametrize("mixing", ["lorentz-berthelot", "geometric"])
def test_many_kinds_follow_their_rule(mixing: Any) -> None:
    random = np.random.default_rng(5)
    epsilon, sigma = random.uniform(0.5, 1.5, 27), random.uniform(0.9, 1.1, 27)
    force = tr.LennardJones(
        kinds={f"k{k}": (e, s) for k, (e, s) in enumerate(zip(epsilon, sigma, strict=True))},
        mixing=mixing,
        precision="double",
    )
    atoms = tr.ic.lennard_jones(864)
    atoms.kind = random.integers(0, 27, 864)
    mean = np.add.outer(sigma, sigma) / 2 if mixing == "lorentz-berthelot" else np.sqrt(np.multiply.outer(sigma, sigma))
    energy, _ = summed(atoms, np.sqrt(np.multiply.outer(epsilon, epsilon)), mean, 2.5, shifted=False)
    assert tr.Simulation(atoms, [force], 0.001).energies().potential == pytest.approx(energy, rel=1e-11)
    fast = tr.LennardJones(**{**force.settings, "precision": "single"})
    assert tr.Simulation(atoms, [fast], 0.001).energies().potential == pytest.approx(energy, rel=1e-6)


def test_a_switched_potential_conserves_energy_and_its_pressure_is_how_the_energy_changes_with_volume() -> None:
    force = tr.LennardJones(**KOB_ANDERSEN, truncation="switched", switch_distance=2.0, precision="double")
    assert force.settings["switch_distance"] == pytest.approx(2.0)
    atoms = tr.ic.lennard_jones(500, density=1.2, temperature=1.0, kinds=(4, 1))
    sim = tr.Simulation(atoms, [force], timestep=0.001)
    sim.run(until=0.2)
    start = sim.energies().total
    sim.run(until=0.6)
    assert sim.energies().total == pytest.approx(start, abs=500 * 1e-4)
    virial = sim.particles.virial.sum() / 2
    energies = []
    for scale in (1 - 1e-5, 1 + 1e-5):
        scaled = tr.ParticleSet.from_columns(
            position=sim.particles.position * scale, mass=1.0, kind=sim.particles.kind, box=atoms.box * scale
        )
        energies.append(tr.Simulation(scaled, [force], 0.001).energies().potential)
    assert (energies[1] - energies[0]) / 2e-5 == pytest.approx(-virial, rel=1e-5)


def test_kinds_are_the_same_on_any_number_of_ranks(found_on: FoundOn) -> None:
    program = """
force = tr.LennardJones(kinds={"A": (1.0, 1.0), "B": (0.5, 0.88)}, pairs=[("A", "B", 1.5, 0.8)], precision="double")
sim = tr.Simulation(tr.ic.lennard_jones(1372, density=1.2, kinds=(4, 1)), [force], 0.003)
sim.run(until=0.06)
found = [sim.energies().potential, sim.pressure()]
"""
    assert found_on(2, program) == pytest.approx(found_on(1, program), rel=1e-9)


def test_types_of_particles_are_kinds_of_their_names() -> None:
    atoms = tr.ic.lennard_jones(256)
    atoms.type = np.where(np.arange(256) % 3 == 0, "gas", "stars")
    kinds: Any = {"stars": (1.0, 1.0), "gas": (0.5, 0.9)}
    by_type = tr.Simulation(atoms, [tr.LennardJones(kinds=kinds)], 0.001).energies().potential
    assert (atoms.kind == np.where(np.arange(256) % 3 == 0, 1, 0)).all()
    again = tr.ic.lennard_jones(256)
    again.kind = atoms.kind
    assert tr.Simulation(again, [tr.LennardJones(kinds=kinds)], 0.001).energies().potential == by_type


def test_runs_by_a_parameter_file(tmp_path: Path) -> None:
    path = tmp_path / "liquid.toml"
    path.write_text(FILE)
    run = load(path, [f"run.output={tmp_path / 'liquid'}"])
    SimulationRun(run).run()
    kept = tr.io.read_checkpoint(tmp_path / "liquid" / "checkpoint.hdf5").particles
    assert np.bincount(kept.kind.astype(int)).tolist() == [400, 100]
    energy, _ = summed(kept, EPSILON, SIGMA, 2.5 * SIGMA, shifted=False)
    assert 0.5 * (kept.mass * kept.potential).sum() == pytest.approx(energy, rel=1e-11)
    assert load(tmp_path / "liquid" / "parameters.toml").lennard_jones == run.lennard_jones


def test_can_be_copied_and_shown() -> None:
    force = tr.LennardJones(**KOB_ANDERSEN)
    assert tr.LennardJones(**force.settings).settings == force.settings
    assert "kinds={'A': (1.0, 1.0), 'B': (0.5, 0.88)}" in repr(force)
    assert force.pair_parameters()[0][1] == pytest.approx((1.5, 0.8, 2.0))
    assert tr.LennardJones(sigma=2.0, cutoff=5.0).pair_parameters() == [[(1.0, 2.0, 5.0)]]
    assert tr.LennardJones(sigma=2.0, cutoff_in_sigma=True).pair_parameters() == [[(1.0, 2.0, 5.0)]]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"kinds": {"A": (1.0, -1.0)}}, "sigma of kind A is -1: allowed is above 0"),
        ({"kinds": {"A": (-1.0, 1.0)}}, "epsilon of kind A is -1: allowed is 0 or more"),
        ({"kinds": {}}, "kinds names no kind: allowed are 1 to 64 kinds"),
        ({"kinds": {"A": (1.0,)}}, "kinds has 1 numbers for A: allowed are two, epsilon and sigma"),
        ({"kinds": {f"k{k}": (1, 1) for k in range(65)}}, "kinds has 65 kinds: allowed are 1 to 64"),
        ({"kinds": {"A": (1, 1)}, "pairs": [("A", "C", 1, 1)]}, "pairs has the kind C: allowed are A"),
        ({"kinds": {"A": (1, 1)}, "pairs": [("A", 1, 1)]}, "allowed are two kinds, epsilon and sigma"),
        (
            {"kinds": {"A": (1, 1), "B": (1, 1)}, "pairs": [("A", "B", 1, 1), ("B", "A", 2, 1)]},
            "pairs has B and A twice, with different parameters",
        ),
        ({"kinds": {"A": (1, 1)}, "mixing": "sum"}, "mixing is 'sum': allowed are lorentz-berthelot, geometric"),
        ({"kinds": {"A": (1, 1)}, "sigma": 2.0}, "kinds are given beside an epsilon or a sigma"),
        ({"pairs": [("A", "B", 1, 1)]}, "pairs or mixing is given without kinds"),
        ({"switch_distance": 2.0}, "switch_distance is given: allowed with truncation switched"),
        (
            {"truncation": "switched", "switch_distance": 2.5},
            "switch_distance is 2.5: allowed is at least 0 and below the cutoff, 2.5",
        ),
    ],
)
def test_says_what_is_allowed(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tr.LennardJones(**given)


def test_says_what_atoms_need() -> None:
    force = tr.LennardJones(**KOB_ANDERSEN)
    atoms = tr.ic.lennard_jones(256)
    with pytest.raises(ValueError, match=r"no kinds: allowed are a field `kind`, with numbers 0 \(A\) to 1 \(B\)"):
        tr.Simulation(atoms, [force], 0.001).energies()
    atoms.kind = 2.0
    with pytest.raises(ValueError, match=r"kind of row 0 is 2: allowed are numbers 0 \(A\) to 1 \(B\)"):
        tr.Simulation(atoms, [force], 0.001).energies()
    with pytest.raises(ValueError, match="kinds are given, but small systems have atoms of one kind"):
        tr.Ensemble([atoms], force, timestep=0.001)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("kinds = { A = [1.0, -1.0] }", "sigma of kind A is -1: allowed is above 0"),
        ("kinds = { A = 1.0 }", "lennard_jones.kinds"),
        ('kinds = { A = [1.0, 1.0] }\npairs = [["A", "B", 1.0, 1.0]]', "pairs has the kind B: allowed are A"),
    ],
)
def test_a_wrong_parameter_file_is_an_error_of_one_sentence(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f'[ic]\nmodel = "lennard-jones"\n[lennard_jones]\n{line}\n[run]\nuntil = 1.0\ntimestep = 0.1\n')
    with pytest.raises(ValueError, match=sentence) as error:
        load(path)
    assert "\n" not in str(error.value)

"""Excluded and scaled pairs of forces of short range, against sums written here with NumPy."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.io import read_checkpoint, write_checkpoint

CUTOFF = 2.5
Pairs = list[tuple[float, ...]]

CHAINS = """
pairs = []
for first in range(0, 500, 5):
    for a in range(first, first + 5):
        pairs += [(a, b) for b in (a + 1, a + 2) if b < first + 5] + [(a, a + 3, 0.5)] * (a + 3 < first + 5)
"""


def chains() -> tuple[tr.ParticleSet, Pairs]:
    """Return atoms of a liquid in chains of five: 1-2 and 1-3 neighbours excluded, 1-4 neighbours by a half."""
    found: dict[str, Any] = {}
    exec(CHAINS, found)
    return tr.ic.lennard_jones(500, density=0.8, temperature=1.0, seed=1), found["pairs"]


def direct_sums(particles: tr.ParticleSet, pairs: Pairs) -> tuple[float, NDArray[np.float64], float]:
    """Return energy, accelerations and pressure; masses, epsilon and sigma are 1."""
    low, high = particles.box
    d = particles.position[:, None] - particles.position[None]
    d -= (high - low) * np.round(d / (high - low))
    r2 = (d**2).sum(-1)
    factor, row = np.ones(r2.shape), np.argsort(particles.id)
    for one, other, *given in pairs:
        a, b = row[int(one)], row[int(other)]
        factor[a, b] = factor[b, a] = given[0] if given else 0
    factor[r2 >= CUTOFF**2] = 0
    np.fill_diagonal(factor, 0)
    np.fill_diagonal(r2, 1)
    s6 = r2**-3
    outward = factor * 24 * (2 * s6**2 - s6)
    accelerations = ((outward / r2)[..., None] * d).sum(1)
    motion = particles.velocity - particles.velocity.mean(0)
    pressure = ((motion**2).sum() + outward.sum() / 2) / (3 * (high - low).prod())
    return float((factor * 4 * (s6**2 - s6)).sum() / 2), accelerations, float(pressure)


def test_energy_force_and_pressure_are_those_of_the_other_pairs(device: str) -> None:
    atoms, pairs = chains()
    force = tr.LennardJones(cutoff=CUTOFF, exclude=pairs, precision="double")
    sim = tr.Simulation(atoms, [force], timestep=0.002, device=device)
    for _ in range(2):
        energy, accelerations, pressure = direct_sums(sim.particles, pairs)
        assert sim.energies().potential == pytest.approx(energy, rel=1e-12)
        assert sim.pressure() == pytest.approx(pressure, rel=1e-11)
        assert np.abs(sim.particles.acceleration - accelerations).max() < 1e-10
        assert sim.force_error(100)["maximum"] < 1e-12
        sim.run(steps=30)  # rows are sorted, lists are reused
    assert sim.list_use[0]["reuses"] > 0


def test_kinds_and_interactions_in_python_leave_out_the_same_pairs(device: str) -> None:
    atoms, pairs = chains()
    energy, accelerations, _ = direct_sums(atoms, pairs)
    atoms.add_field("kind", values=np.arange(500) % 2)
    given: dict[str, Any] = {"cutoff": CUTOFF, "exclude": pairs, "precision": "double"}
    forces = [
        tr.LennardJones(kinds={"A": (1.0, 1.0), "B": (1.0, 1.0)}, **given),
        tr.pair_potential("4*(r**-12 - r**-6)", **given),
    ]
    for force in forces:
        sim = tr.Simulation(tr.ParticleSet.from_columns(**columns(atoms)), [force], timestep=0.002, device=device)
        assert sim.energies().potential == pytest.approx(energy, rel=1e-12)
        found = sim.particles.acceleration[np.argsort(sim.particles.id)]
        assert np.abs(found - accelerations).max() < 1e-10
        assert sim.force_error(100)["maximum"] < 1e-12


def columns(atoms: tr.ParticleSet) -> dict[str, Any]:
    return {name: atoms.column(name).copy() for name in ("position", "velocity", "mass", "kind")} | {
        "box": atoms.box[1] - atoms.box[0]
    }


def test_a_chain_of_excluded_atoms_keeps_its_energy() -> None:
    atoms, pairs = chains()
    force = tr.LennardJones(cutoff=CUTOFF, truncation="force-shifted", exclude=pairs)
    bonds = tr.pair_potential("50*(r - 1)**2", cutoff=0.999)  # keeps excluded atoms from the same place
    sim = tr.Simulation(atoms, [force, bonds], timestep=0.001)
    sim.run(steps=400)
    assert abs(sim.energies().error) < 2e-5


@pytest.mark.parametrize("where", ["host", "cpu"])
def test_results_are_the_same_on_ranks(found_on: FoundOn, where: str) -> None:
    program = f"""{CHAINS}
force = tr.LennardJones(exclude=pairs, precision="double", device="{where}")
sim = tr.Simulation(tr.ic.lennard_jones(500, density=0.8, temperature=1.0, seed=1), [force], 0.002)
sim.run(steps=40)
found = [sim.energies().potential, sim.energies().kinetic, sim.pressure()]
"""
    assert found_on(3, program) == pytest.approx(found_on(1, program), rel=1e-9)


def test_a_run_resumes_bit_for_bit(tmp_path: Path, device: str) -> None:
    atoms, pairs = chains()
    forces = [tr.LennardJones(exclude=pairs, device=device)]
    whole = tr.Simulation(atoms, forces, timestep=0.002)
    whole.run(steps=13)
    write_checkpoint(tmp_path / "half.hdf5", whole.state())
    again = tr.Simulation.resume(read_checkpoint(tmp_path / "half.hdf5"), forces, 0.002)
    whole.run(steps=20)
    again.run(steps=20)
    assert (again.particles.velocity == whole.particles.velocity).all()


@pytest.mark.parametrize("array", [np.array([[0, 1], [4, 2]], np.uint32), np.array([[0, 1, 0], [4, 2, 0.25]])])
def test_pairs_may_be_an_array(array: NDArray[Any]) -> None:
    force = tr.LennardJones(exclude=array)
    assert force.settings["exclude"] == [(0, 1), (4, 2) if array.shape[1] == 2 else (4, 2, 0.25)]
    assert pickle.loads(pickle.dumps(force)).settings == force.settings
    assert tr.LennardJones(exclude=array[:0]).settings["exclude"] is None


def test_a_parameter_file_has_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    path.write_text(
        '[ic]\nmodel = "lennard-jones"\nparticles = 108\n\n[lennard_jones]\nexclude = [[0, 1], [3, 2, 0.5]]\n\n'
        '[run]\nuntil = 0.01\ntimestep = 0.005\noutput = "pairs"\nsnapshot_every = 0.01\n'
    )
    file = load(path)
    assert file.lennard_jones is not None
    assert file.lennard_jones.model_dump()["exclude"] == [[0, 1], [3, 2, 0.5]]
    with pytest.raises(ValueError, match=r"exclude has the pair 3 and 3: allowed are two different particles"):
        load(path, ["lennard_jones.exclude=[[3, 3]]"])


@pytest.mark.parametrize(
    ("exclude", "sentence"),
    [
        ([(1, 1)], "exclude has the pair 1 and 1: allowed are two different particles"),
        ([(1, 2, -1.0)], "exclude has the pair 1 and 2 with the factor -1: allowed is 0 or more"),
        ([(1, 2), (2, 1, 0.5)], "exclude has the pair 1 and 2 with the factors 0 and 0.5: allowed is one"),
        ([(1, 2, 0.5, 3)], "exclude has (1, 2, 0.5, 3): allowed are the ids of two particles, and perhaps a factor"),
        (np.array([[1, -2]]), "exclude has [1, -2]: allowed are the ids of two particles, and perhaps a factor"),
        ([(1, 2.5)], "exclude has (1, 2.5): allowed are the ids of two particles, and perhaps a factor"),
    ],
)
def test_wrong_pairs_are_refused(exclude: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        tr.LennardJones(exclude=exclude)
    assert str(error.value) == sentence


@tr.interaction(results=["sums", "nearest"])
def closeness(i: Any, j: Any, out: Any) -> None:
    d = j.position - i.position
    out.sums += j.mass
    out.nearest.raise_to(1 / tr.dot(d, d))


@pytest.mark.usefixtures("opencl")
def test_a_device_leaves_out_of_sums_and_maxima_what_the_host_does() -> None:
    _, pairs = chains()
    here, there = (
        tr.Simulation(
            chains()[0],
            [closeness(cutoff=CUTOFF, exclude=pairs, precision="double", device=where)],
            timestep=0.002,
        )
        for where in ("host", "opencl:0")
    )
    for sim in (here, there):
        sim.run(steps=1)
    assert here.particles.column("sums").std() > 0
    for name in ("sums", "nearest"):
        np.testing.assert_allclose(there.particles.column(name), here.particles.column(name), rtol=1e-13)


def test_pairs_stay_when_other_atoms_come_and_go(device: str) -> None:
    atoms, pairs = chains()
    pairs = [pair for pair in pairs if max(pair[:2]) < 495]
    force = tr.LennardJones(cutoff=CUTOFF, exclude=pairs, precision="double")
    sim = tr.Simulation(atoms, [force], timestep=0.002, device=device)
    sim.run(steps=3)
    place = sim.particles.position[sim.particles.id == 496]
    sim.remove([496, 498])
    sim.add(tr.ParticleSet.from_columns(position=place, mass=[1.0], id=[900]))
    energy, accelerations, _ = direct_sums(sim.particles, pairs)
    assert sim.energies().potential == pytest.approx(energy, rel=1e-12)
    assert np.abs(sim.particles.acceleration - accelerations).max() < 1e-10


def test_particles_that_are_not_there_and_small_systems_are_refused() -> None:
    atoms = tr.ic.lennard_jones(108)
    missing = "exclude has the pair 200 and 3, but no particle has the id 200"
    with pytest.raises(ValueError, match=missing):
        tr.Simulation(atoms, [tr.LennardJones(exclude=[(3, 200)])], 0.005).energies()
    with pytest.raises(ValueError, match="system 0: excluded pairs name particle 200, but no particle has this id"):
        tr.Ensemble([atoms], tr.LennardJones(exclude=[(3, 200)]), timestep=0.005)
    sim = tr.Simulation(atoms, [tr.LennardJones(exclude=[(3, 4)])], 0.005)
    sim.run(steps=2)
    with pytest.raises(ValueError, match="no particle has the id 4"):
        sim.remove([4])
    sim.remove([5])
    assert len(sim.particles) == 107
    sim.run(steps=1)


def test_many_pairs_are_shown_by_the_first_ones(recwarn: pytest.WarningsRecorder) -> None:
    atoms, pairs = chains()
    forces = [tr.LennardJones(exclude=[*pairs, last]) for last in ((0, 9), (0, 8))]
    assert repr(forces[0]) == f"LennardJones(exclude=[(0, 1), (0, 2), (0, 3, 0.5), ... {len(pairs) + 1} in all])"
    assert repr(forces[1]) == repr(forces[0])
    tr.Simulation(atoms, forces, timestep=0.001)
    assert not recwarn.list, "these are two forces"
    assert tr.LennardJones(exclude=pairs[:3]).settings["exclude"] == pairs[:3]

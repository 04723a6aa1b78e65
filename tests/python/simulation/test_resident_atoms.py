"""Atoms that stay on a device: as on the host, in simulations, checkpoints and runs of parameter files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_snapshot
from trellis.run.simulation_run import SimulationRun

THERE: dict[str, Any] = {"device": "cpu", "resident": True}
ATOMS = tr.LennardJones(truncation="force-shifted", reuse_steps=10)
RUN = """
[run]
timestep = 0.005
until = 0.2
log_every = 5
snapshot_every = 0.05
checkpoint_every = 0.1
output = "out"

[ic]
model = "lennard-jones"
particles = 500
density = 0.8442
temperature = 1.44

[lennard_jones]
truncation = "force-shifted"
"""


def two_kinds() -> tr.ParticleSet:
    """Return hot atoms of two kinds in a periodic box."""
    atoms = tr.ic.lennard_jones(500, temperature=3.0, seed=2)
    atoms.add_field("kind", values=np.arange(500) % 2)
    return atoms


MIXTURE = tr.LennardJones(
    kinds={"a": (1.0, 1.0), "b": (0.5, 0.9)}, cutoff=2.0, truncation="force-shifted", reuse_steps=10
)


@pytest.mark.parametrize("force", [ATOMS, MIXTURE], ids=["one_kind", "two_kinds"])
def test_atoms_that_stay_are_those_of_the_host(force: tr.LennardJones) -> None:
    host = tr.Simulation(two_kinds(), [force], 0.002, keep_order=True, device="cpu")
    there = tr.Simulation(two_kinds(), [force], 0.002, **THERE)
    for sim in (host, there):
        sim.run(steps=41)
    for name in ("position", "velocity", "acceleration", "virial"):
        values = host.particles.column(name)
        np.testing.assert_allclose(there.particles.column(name), values, atol=2e-3 * np.abs(values).max())
    assert there.energies().total == pytest.approx(host.energies().total, rel=1e-6)
    assert abs(there.energies().error) < 1e-4
    assert {name: there.list_use[0][name] for name in ("constructions", "early", "reuses")} == {
        name: host.list_use[0][name] for name in ("constructions", "early", "reuses")
    }
    assert there.force_error(100)["rms"] < 1e-5
    assert there.phases["Check lists"] > 0


def test_they_are_resumed_bit_for_bit(tmp_path: Path) -> None:
    sim = tr.Simulation(two_kinds(), [MIXTURE], 0.002, **THERE)
    sim.run(steps=7)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", sim.state())
    sim.run(steps=11)
    again = tr.Simulation.resume(tr.io.read_checkpoint(tmp_path / "state.hdf5"), [MIXTURE], 0.002, **THERE)
    again.run(steps=11)
    for name in ("position", "velocity", "acceleration", "potential", "virial"):
        np.testing.assert_array_equal(again.particles.column(name), sim.particles.column(name))


def test_what_is_changed_between_steps_is_taken() -> None:
    sims = [tr.Simulation(two_kinds(), [MIXTURE], 0.002, keep_order=True, device="cpu")]
    sims.append(tr.Simulation(two_kinds(), [MIXTURE], 0.002, **THERE))
    for sim in sims:
        sim.run(steps=5)
        sim.particles.column("kind")[:100] = 0
        sim.particles.position[3] += 0.05
        sim.run(steps=5)
    np.testing.assert_allclose(sims[1].particles.position, sims[0].particles.position, atol=1e-4)


def test_crossings_of_the_box_are_counted() -> None:
    host = tr.Simulation(two_kinds(), [MIXTURE], 0.002, keep_order=True, device="cpu")
    there = tr.Simulation(two_kinds(), [MIXTURE], 0.002, **THERE)
    for sim in (host, there):
        sim.run(steps=15)
        sim.particles.count_images()
        sim.run(steps=45)
    paths = [sim.particles.unwrapped_position() for sim in (host, there)]
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-3)
    assert np.abs(there.particles.column("image")).sum() > 0


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    file = tmp_path / "melt.toml"
    file.write_text(RUN)
    there = ["run.device=cpu", "run.resident=true"]
    last = {}
    for place, until in (("whole", "0.2"), ("part", "0.1")):
        SimulationRun(load(file, [*there, f"run.output={tmp_path / place}", f"run.until={until}"])).run()
    SimulationRun(load(file, [*there, f"run.output={tmp_path / 'part'}"]), resume=True).run()
    for place in ("whole", "part"):
        last[place] = read_snapshot(tmp_path / place / "snapshot_0004.hdf5").particles
    for name in ("position", "velocity", "virial"):
        np.testing.assert_array_equal(last["part"].column(name), last["whole"].column(name))


def test_what_cannot_stay_is_said() -> None:
    atoms = tr.ic.lennard_jones(108)
    gas = tr.ic.sedov(8)
    with pytest.raises(InputError, match=r"^the first force is Sph\(.*: particles that stay on a device move under gr"):
        tr.Simulation(gas, [tr.Sph()], 0.01, **THERE)
    with pytest.raises(InputError, match=r"^the forces are 2, external fields aside: particles that stay"):
        tr.Simulation(atoms, [ATOMS, MIXTURE], 0.01, **THERE)
    with pytest.raises(InputError, match=r"^an external field is given in a periodic box, where particles that stay"):
        tr.Simulation(atoms, [ATOMS, tr.external.HarmonicTrap(frequency=[1.0, 1.0, 1.0])], 0.01, **THERE)
    pairs = tr.pair_potential(lambda r: 1 / r**12, cutoff=2.0)
    with pytest.raises(InputError, match=r"^the force of short range cannot act on particles that stay on a device"):
        tr.Simulation(atoms, [pairs], 0.01, **THERE)


def test_atoms_in_open_space_stay_in_a_trap() -> None:
    forces = [ATOMS, tr.external.HarmonicTrap(frequency=[1.0, 1.0, 1.0])]
    host, there = (tr.ic.lennard_jones(108) for _ in range(2))
    for atoms in (host, there):
        atoms.box = [[-np.inf] * 3, [np.inf] * 3]
    tr.Simulation(host, forces, 0.002, keep_order=True).run(steps=20)
    sim = tr.Simulation(there, forces, 0.002, **THERE)
    sim.run(steps=20)
    np.testing.assert_allclose(sim.particles.position, host.position, atol=1e-5)
    assert abs(sim.energies().error) < 1e-3

"""The pressure is -dU/dV for each force that gives a virial, and refused with the name of any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.config import load
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

MELT = Path(__file__).parents[3] / "examples" / "lj_melt.toml"


def ions(scale: float = 1.0, kick: float = 0.0) -> tr.ParticleSet:
    """Return 512 ions at distances of about 1, all positions and the box scaled; kick: speed of all along x."""
    random = np.random.default_rng(1)
    lattice = np.indices((8, 8, 8)).reshape(3, -1).T
    made = tr.ParticleSet.from_columns(
        position=scale * (1.1 * (lattice + 0.5) + random.uniform(-0.15, 0.15, (512, 3))),
        velocity=np.tile([kick, 0.0, 0.0], (512, 1)),
        mass=random.uniform(1.0, 3.0, 512),
    )
    made.add_field("charge")
    made.charge[:] = 1 - 2 * (lattice.sum(axis=1) % 2)
    made.box = [[0.0] * 3, [8.8 * scale] * 3]
    return made


SHIFTED = tr.LennardJones(cutoff=3.0, truncation="force-shifted", precision="double")
CHARGED = tr.Coulomb(coupling=10.0, accuracy=1e-4, precision="double")


@pytest.mark.parametrize("forces", [[SHIFTED], [CHARGED], [SHIFTED, CHARGED], [CHARGED, SHIFTED]])
def test_is_how_the_energy_changes_with_the_volume(forces: list[tr.Force]) -> None:
    def energy(scale: float) -> float:
        return tr.Simulation(ions(scale), forces, timestep=0.001).energies().potential

    step = 1e-4
    volume = np.array([(8.8 * (1 + sign * step)) ** 3 for sign in (1, -1)])
    exact = -(energy(1 + step) - energy(1 - step)) / (volume[0] - volume[1])
    sim = tr.Simulation(ions(), forces, timestep=0.001)
    assert sim.pressure() == pytest.approx(exact, abs=2e-4 * sum(abs(term) for term in terms(forces)))
    drifting = tr.Simulation(ions(kick=5.0), forces, timestep=0.001)
    assert drifting.pressure() == pytest.approx(sim.pressure(), rel=1e-9)  # a flow of all is no pressure


def terms(forces: Sequence[tr.Force]) -> list[float]:
    """Return the pressure of each force alone."""
    return [tr.Simulation(ions(), [force], timestep=0.001).pressure() for force in forces]


def test_counts_each_force_after_steps_and_on_a_box_that_is_not_neutral() -> None:
    sim = tr.Simulation(ions(), [SHIFTED, CHARGED], timestep=0.001)
    sim.run(steps=3)
    here = tr.ParticleSet.from_columns(
        **{name: getattr(sim.particles, name).copy() for name in ("position", "mass", "velocity")}
    )
    here.add_field("charge")
    here.charge[:] = sim.particles.charge
    here.box = sim.particles.box
    again = tr.Simulation(here, [SHIFTED, CHARGED], timestep=0.001)
    assert sim.pressure() == pytest.approx(again.pressure(), rel=1e-5)
    bare = ions()
    bare.charge[:] += 0.1
    charged = tr.Simulation(bare, [CHARGED], timestep=0.001)
    volume = 8.8**3
    assert charged.pressure() == pytest.approx(charged.energies().potential / (3 * volume), rel=1e-9)


def test_needs_the_virial_of_every_force() -> None:
    others: list[tuple[tr.Force, str]] = [
        (tr.Gravity(softening=0.1), "Gravity"),
        (tr.Coulomb(softening=0.1), "Coulomb with softening = 0.1"),
        (tr.external.UniformField(acceleration=[1.0, 0.0, 0.0]), "UniformField"),
        (tr.External(lambda position, _: (np.zeros_like(position), np.zeros(len(position)))), "External"),
    ]
    for force, name in others:
        sim = tr.Simulation(ions(), [SHIFTED, force], timestep=0.001)
        with pytest.raises(tr.InputError, match=f"pressure is asked for, but {name} is among the forces, whose virial"):
            sim.pressure()


def test_of_an_ideal_gas_is_that_of_its_motion() -> None:
    gas = tr.ic.lennard_jones(500, density=0.5, temperature=2.0)
    gas.add_field("virial")
    gas.virial[:] = 7.0  # as a file may have it
    sim = tr.Simulation(gas, [], timestep=0.005)
    assert sim.pressure() == pytest.approx(0.5 * 2.0 * 499 / 500, rel=1e-12)  # 3 N - 3 degrees of freedom
    gas.box = [[-np.inf] * 3, [np.inf] * 3]
    with pytest.raises(tr.InputError, match="the box is not periodic along all axes"):
        sim.pressure()


def test_energy_logs_of_molecules_have_it(tmp_path: Path) -> None:
    run = SimulationRun(load(MELT, ["ic.particles=256", "run.until=0.05", f"run.output={tmp_path}/melt"]))
    run.run()
    log = read_energy_log(tmp_path / "melt" / "energy.csv")
    assert log["temperature"][-1] == pytest.approx(run.simulation.temperature(), rel=1e-12)
    assert log["pressure"][-1] == pytest.approx(run.simulation.pressure(), rel=1e-12)
    SimulationRun(load(MELT, ["ic.particles=256", "run.until=0.1", f"run.output={tmp_path}/melt"]), resume=True).run()
    longer = read_energy_log(tmp_path / "melt" / "energy.csv")
    assert (longer["pressure"][: len(log["step"])] == log["pressure"]).all()
    assert len(longer["step"]) > len(log["step"])


@pytest.mark.parametrize(
    "section",
    ['pair = {potential = "exp(-r**2)", cutoff = 2.0}', "coulomb = {}", "gravity = {softening = 0.1}"],
    ids=str.split,
)
def test_energy_logs_of_other_forces_and_thermostats_have_it(section: str, tmp_path: Path) -> None:
    tr.io.write_snapshot(tmp_path / "ions.hdf5", ions())
    (tmp_path / "run.toml").write_text(
        f"""initial_conditions = "{tmp_path}/ions.hdf5"
        {section}
        thermostat = {{method = "langevin", temperature = 1.0, relaxation_time = 1.0}}
        run = {{until = 0.02, timestep = 0.01, snapshot_every = 1, output = "{tmp_path}/run"}}"""
    )
    run = SimulationRun(load(tmp_path / "run.toml"))
    run.run()
    log = read_energy_log(tmp_path / "run" / "energy.csv")
    assert log["temperature"][-1] == pytest.approx(run.simulation.temperature(), rel=1e-12)
    if not section.startswith("gravity"):
        assert log["pressure"][-1] == pytest.approx(run.simulation.pressure(), rel=1e-12)
        assert run.units_said == "reduced units"

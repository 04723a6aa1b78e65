"""Molecular dynamics: the Lennard-Jones force, thermostats, pressure, from Python and by parameter files."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import FoundOn

import trellis as tr
from trellis.config import load
from trellis.run.simulation_run import SimulationRun

MELT = Path(__file__).parents[3] / "examples" / "lj_melt.toml"

THERMOSTATS: list[tr.Thermostat] = [
    tr.Langevin(temperature=0.8, relaxation_time=0.2, seed=3),
    tr.NoseHoover(temperature=0.8, relaxation_time=0.5),
    tr.Csvr(temperature=0.8, relaxation_time=0.2, seed=3),
    tr.Andersen(temperature=0.8, relaxation_time=0.4, seed=3),
]
thermostats = pytest.mark.parametrize("thermostat", THERMOSTATS, ids=["langevin", "nose_hoover", "csvr", "andersen"])


def test_a_melt_begins_and_goes_on_as_lammpss() -> None:
    """LAMMPS, in.lj: after 100 steps T 0.7574531, E_pair -5.7585055, P 0.20726105; other velocities, other noise."""
    particles = tr.ic.lennard_jones(32_000)
    sim = tr.Simulation(particles, [tr.LennardJones(cutoff=2.5, precision="double")], timestep=0.005)
    assert sim.energies().potential / 32_000 == pytest.approx(-6.7733681, abs=1e-7)
    assert sim.pressure() == pytest.approx(-5.0197073, abs=1e-6)
    assert sim.temperature() == pytest.approx(1.44, abs=1e-9)
    fast = tr.Simulation(particles, [tr.LennardJones(cutoff=2.5)], timestep=0.005)
    assert fast.energies().potential / 32_000 == pytest.approx(-6.7733681, rel=1e-6)
    fast.run(until=0.5)
    assert fast.temperature() == pytest.approx(0.7574531, abs=0.009)
    assert fast.energies().potential / 32_000 == pytest.approx(-5.7585055, abs=0.0135)
    assert fast.pressure() == pytest.approx(0.20726105, abs=0.07)


@thermostats
def test_holds_its_temperature_and_with_its_bath_energy_is_conserved(thermostat: tr.Thermostat) -> None:
    sim = tr.Simulation(
        tr.ic.lennard_jones(500),
        [tr.LennardJones(cutoff=2.5, truncation="force-shifted")],
        timestep=0.002,
        thermostat=thermostat,
    )
    sim.run(until=1.0)
    start, seen = sim.energies().conserved, []
    sim.run(until=5.0, callbacks=[(10, lambda now: seen.append(now.temperature()))])
    assert np.mean(seen) == pytest.approx(0.8, abs=0.04)
    # of a temperature that scatters by T (2 / 3 N)^(1/2)
    assert np.std(seen) == pytest.approx(0.8 * np.sqrt(2 / 1500), rel=0.4)
    assert sim.energies().conserved == pytest.approx(start, abs=500 * 2e-3)
    assert abs(sim.energies().bath) > 500 * 0.05


@thermostats
def test_resumes_bit_for_bit(tmp_path: Path, thermostat: tr.Thermostat) -> None:
    def begin() -> tr.Simulation:
        return tr.Simulation(tr.ic.lennard_jones(500), [tr.LennardJones()], 0.005, thermostat=thermostat)

    whole, half = begin(), begin()
    whole.run(until=0.3)
    half.run(until=0.15)
    tr.io.write_checkpoint(tmp_path / "half.hdf5", half.state())
    again = tr.Simulation.resume(
        tr.io.read_checkpoint(tmp_path / "half.hdf5"), [tr.LennardJones()], 0.005, thermostat=thermostat
    )
    again.run(until=0.3)
    assert (again.particles.velocity == whole.particles.velocity).all()
    assert again.energies().conserved == whole.energies().conserved


def test_langevins_noise_is_the_same_on_any_number_of_ranks(found_on: FoundOn) -> None:
    program = """
bath = tr.Langevin(temperature=0.8, relaxation_time=0.2)
sim = tr.Simulation(tr.ic.lennard_jones(1372), [tr.LennardJones(precision="double")], 0.005, thermostat=bath)
sim.run(until=0.1)
found = [sim.temperature(), sim.pressure(), sim.energies().bath]
"""
    assert found_on(2, program) == pytest.approx(found_on(1, program), rel=1e-9)


def parameters(folder: Path, *more: str) -> list[str]:
    return ["ic.particles=500", "run.until=0.1", "run.snapshot_every=0.05", f"run.output={folder}", *more]


@pytest.mark.parametrize("method", ["langevin", "nose-hoover", "csvr", "andersen"])
def test_runs_by_a_parameter_file_and_resumes(tmp_path: Path, method: str) -> None:
    text = MELT.read_text() + f'\n[thermostat]\nmethod = "{method}"\ntemperature = 0.8\nrelaxation_time = 0.5\n'
    path = tmp_path / "melt.toml"
    path.write_text(text)
    SimulationRun(load(path, parameters(tmp_path / "whole"))).run()
    part = load(path, parameters(tmp_path / "part", "run.until=0.05"))
    SimulationRun(part).run()
    SimulationRun(load(path, parameters(tmp_path / "part")), resume=True).run()
    whole, resumed = (tr.io.read_checkpoint(tmp_path / name / "checkpoint.hdf5") for name in ("whole", "part"))
    assert whole.step_count == 20
    assert (whole.particles.velocity == resumed.particles.velocity).all()
    assert whole.thermostat == resumed.thermostat
    assert len(whole.thermostat) == (7 if method == "nose-hoover" else 1)
    shutil.copy(tmp_path / "whole" / "parameters.toml", path)
    assert load(path) == load(tmp_path / "whole" / "parameters.toml")


@pytest.mark.pixels
def test_the_example_runs(tmp_path: Path) -> None:
    SimulationRun(load(MELT, parameters(tmp_path / "melt"))).run()
    assert len(list((tmp_path / "melt").glob("snapshot_*.hdf5"))) == 3
    assert (tmp_path / "melt" / "overview.png").exists()


def test_the_skin_is_a_length() -> None:
    assert tr.LennardJones(cutoff=4.0, skin=0.3).settings["skin"] == pytest.approx(0.3)
    assert tr.LennardJones(cutoff=4.0).settings["skin"] == pytest.approx(6.2**0.5 - 2)
    assert tr.LennardJones(cutoff=0.5).settings["skin"] == pytest.approx(0.5)


def test_says_what_is_allowed() -> None:
    with pytest.raises(ValueError, match=r"skin is 2.6: allowed is 0 to the cutoff, 2.5"):
        tr.LennardJones(cutoff=2.5, skin=2.6)
    with pytest.raises(ValueError, match="sigma is 0: allowed is above 0"):
        tr.LennardJones(sigma=0)
    with pytest.raises(ValueError, match="truncation is 'shifted': allowed are plain, energy-shifted, force-sh"):
        tr.LennardJones(truncation="shifted")
    with pytest.raises(ValueError, match="temperature is -1: allowed is 0 or more"):
        tr.Langevin(temperature=-1, relaxation_time=1)
    with pytest.raises(ValueError, match="length is 0: allowed is 1 or more"):
        tr.NoseHoover(temperature=1, relaxation_time=1, length=0)

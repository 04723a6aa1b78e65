"""Runs of parameter files in expanding space: a sphere in open comoving space, as other codes' files begin one."""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command, contents

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint, read_snapshot
from trellis.run.energy_log import EnergyLog, read_energy_log
from trellis.run.job import Job

BEGIN = 0.1
FALL = -0.02  # of Gadget's velocities over distance
SPHERE = """
initial_conditions = "begin.hdf5"

[cosmology]
{cosmology}

[gravity]
softening = 0.1

[run]
output = "OUTPUT"
checkpoint_every = 0
{run}
"""
RUN = "until_redshift = 3.0\nsnapshot_redshifts = [5.0, 3.0]"


def begin(folder: Path) -> None:
    """Write a file as N-GenIC does: a sphere 1.1 times as dense as the mean, falling in, without units."""
    stars = tr.ic.sphere(60, seed=1, virial_ratio=0.0)
    density = tr.Cosmology(omega_m=0.3).mean_density(tr.units.GADGET.G)
    outer = np.linalg.norm(stars.position, axis=1).max()
    stars.mass = 1.1 * density * 4 / 3 * np.pi * outer**3 / 60
    with h5py.File(folder / "begin.hdf5", "w") as file:
        header = {"Time": BEGIN, "Redshift": 1 / BEGIN - 1, "Omega0": 0.3, "OmegaLambda": 0.7, "HubbleParam": 0.7}
        file.create_group("Header").attrs.update(header | {"NumPart_ThisFile": [0, 60, 0, 0, 0, 0]})
        dark = file.create_group("PartType1")
        dark["Coordinates"], dark["Velocities"] = stars.position, FALL * stars.position
        dark["Masses"], dark["ParticleIDs"] = stars.mass, stars.id


def parameters(folder: Path, *, cosmology: str = "", run: str = RUN, output: str = "run") -> Path:
    if not (folder / "begin.hdf5").exists():
        begin(folder)
    path = folder / "sphere.toml"
    path.write_text(SPHERE.format(cosmology=cosmology, run=run).replace("OUTPUT", str(folder / output)))
    return path


@pytest.mark.filterwarnings("ignore:.*does not name its units")
@pytest.mark.parametrize("cosmology", ["", "steps = 40"])
def test_a_file_of_another_code_runs_to_a_redshift(tmp_path: Path, trellis: Command, cosmology: str) -> None:
    done = trellis("run", parameters(tmp_path, cosmology=cosmology))
    assert done.returncode == 0, done.stderr
    assert "from a = 0.1, z = 9" in done.stdout + done.stderr
    log = read_energy_log(tmp_path / "run" / "energy.csv")
    assert log["time"][[0, -1]].tolist() == [BEGIN, 0.25]
    steps = np.diff(np.log(log["time"]))
    assert steps.max() <= (0.03 if cosmology == "" else np.log(2.5) / 40) * (1 + 1e-9)
    assert abs(log["relative_error"]).max() < 0.003
    first, last = (read_snapshot(tmp_path / "run" / f"snapshot_000{k}.hdf5") for k in (0, 1))
    assert (first.time, last.time) == (1 / 6, 0.25)
    assert repr(last.cosmology) == "Cosmology(omega_m=0.3, omega_lambda=0.7, h=0.7)"
    assert read_checkpoint(tmp_path / "run" / "checkpoint.hdf5").time == 0.25
    # the oracle: the same in Python
    momenta = FALL * BEGIN**1.5
    stars = read_snapshot(tmp_path / "begin.hdf5").particles
    assert stars.velocity == pytest.approx(momenta * stars.position, rel=1e-12)
    sim = tr.Simulation(
        stars,
        [tr.Gravity(softening=0.1, G=tr.units.GADGET.G)],
        cosmology=tr.Cosmology(omega_m=0.3),
        scale_factor=BEGIN,
        log_step=None if cosmology == "" else np.log(0.25 / BEGIN) / 40,
    )
    sim.run(until=0.25, stops=[1 / 6])
    assert last.particles.position == pytest.approx(sim.particles.position, rel=1e-9, abs=1e-9)
    assert sim.step_count == len(steps)


@pytest.mark.filterwarnings("ignore:.*does not name its units")
@pytest.mark.parametrize("cosmology", ["", "steps = 40"])
def test_a_killed_run_resumes_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cosmology: str) -> None:
    path = parameters(tmp_path, cosmology=cosmology)
    unbroken = Job(load(path, [f"run.output={tmp_path / 'unbroken'}"]))
    unbroken.run()

    class Killed(Exception):  # noqa: N818
        pass

    with monkeypatch.context() as patched:
        record = EnergyLog.record

        def killing(log: EnergyLog, simulation: tr.Simulation) -> tr.Energies:
            if simulation.step_count == 21:
                raise Killed
            return record(log, simulation)

        patched.setattr(EnergyLog, "record", killing)
        with pytest.raises(Killed):
            Job(load(path)).run()
    resumed = Job(load(path), resume=True)
    assert resumed.simulation.step_count == 20
    resumed.run()
    assert contents(tmp_path / "run") == contents(tmp_path / "unbroken")


@pytest.mark.filterwarnings("ignore:.*does not name its units")
@pytest.mark.parametrize(
    ("cosmology", "run", "sentence"),
    [
        ("omega_lambda = 0.7", RUN, "'cosmology.omega_m' is missing, but 'cosmology.omega_lambda' is given"),
        ("omega_m = -1", RUN, "'cosmology.omega_m' is -1, but must be above 0"),
        ("steps = 0", RUN, "'cosmology.steps' is 0, but must be at least 1"),
        ("", RUN + "\ntimestep = 0.01", "'run.timestep' is given, but with [cosmology] give 'cosmology.steps'"),
        ("", RUN + "\nuntil = 1.0", "'run' has both until and until_redshift"),
        ("", 'until = "2 Gyr"\nsnapshot_steps = 10', "'run.until' is '2 Gyr', but with [cosmology]"),
        ("", "until_redshift = -2\nsnapshot_steps = 10", "'run' has until_redshift = -2, but a redshift is a number"),
        ("", "until = 0.05\nsnapshot_steps = 10", "until is 0.05, but must be at least 0.1"),
        ("", RUN + "\n[thermostat]\nmethod = 'langevin'\ntemperature = 1.0\nrelaxation_time = 1.0",
         "[thermostat] does not go with [cosmology]"),
    ],
)  # fmt: skip
def test_refuses(tmp_path: Path, cosmology: str, run: str, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        Job(load(parameters(tmp_path, cosmology=cosmology, run=run)))
    assert not (tmp_path / "run").exists()


@pytest.mark.filterwarnings("ignore:.*does not name its units")
def test_all_of_the_header_stands_in_the_kept_parameters(tmp_path: Path) -> None:
    file = load(parameters(tmp_path))
    again = tmp_path / "again.toml"
    again.write_text(file.to_toml())
    assert load(again) == file
    assert file.cosmology is not None
    assert (file.cosmology.omega_m, file.cosmology.H0, file.run.until) == (0.3, 0.1, 0.25)

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
from trellis.output.energy_log import EnergyLog, read_energy_log
from trellis.run.changes import read_changes
from trellis.run.simulation_run import SimulationRun

BEGIN = 0.1
FALL = -0.02  # Gadget's velocities over distance
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
def test_a_file_without_a_redshift_begins_at_its_time(tmp_path: Path) -> None:
    path = parameters(tmp_path)
    first = SimulationRun(load(path)).simulation
    with h5py.File(tmp_path / "begin.hdf5", "r+") as file:
        del file["Header"].attrs["Redshift"]
    again = SimulationRun(load(path, [f"run.output={tmp_path / 'again'}"])).simulation
    assert (again.time, again.particles.velocity.tolist()) == (BEGIN, first.particles.velocity.tolist())
    with h5py.File(tmp_path / "begin.hdf5", "r+") as file:
        file["Header"].attrs["Redshift"] = 0.0
    with pytest.raises(InputError, match=r"'Time' is 0.1 and 'Redshift' 0, but in expanding space"):
        SimulationRun(load(path))


@pytest.mark.filterwarnings("ignore:.*does not name its units")
def test_redshifts_of_snapshots_may_be_changed(tmp_path: Path) -> None:
    path = parameters(tmp_path)
    SimulationRun(load(path)).run()
    later = load(path, ["run.until_redshift=2.9"])
    with pytest.raises(InputError, match=re.escape("--change run.until_redshift: this may differ at any resume")):
        SimulationRun(later, resume=True, changes=["run.until_redshift=2.9"])
    with pytest.raises(InputError, match=re.escape("--change: 'run' has snapshot_redshifts = 3, but must have a list")):
        SimulationRun(later, resume=True, changes=["run.snapshot_redshifts=3"])
    SimulationRun(later, resume=True, changes=["run.snapshot_redshifts=[2.95, 2.9]"]).run()
    times = [read_snapshot(snapshot).time for snapshot in sorted((tmp_path / "run").glob("snapshot_*.hdf5"))]
    assert times == pytest.approx([1 / 6, 1 / 4, 1 / 3.95, 1 / 3.9], abs=1e-15)
    assert [change.key for change in read_changes(tmp_path / "run" / "changes.csv")] == ["run.snapshot_times"]


# Gravity that is another one at step 20, and before the end, while lists go on.
CHANGING = ["gravity.softening_max_physical=0.008", "gravity.lists=reuse", "gravity.reuse_steps=7"]


@pytest.mark.filterwarnings("ignore:.*does not name its units")
@pytest.mark.parametrize(
    ("cosmology", "changes"),
    [
        ("", []),
        ("steps = 40", []),
        ("", [*CHANGING, "gravity.theta=[[9, 0.3], [6.5, 0.6], [5, 0.7]]"]),
        ("", [*CHANGING, "gravity.accuracy=[[9, 1e-4], [6.5, 1e-2]]"]),
        ("steps = 40", [*CHANGING[:1], "gravity.softening={ halo = 0.1 }"]),
    ],
)
def test_a_killed_run_resumes_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cosmology: str, changes: list[str]
) -> None:
    path = parameters(tmp_path, cosmology=cosmology)
    unbroken = SimulationRun(load(path, [f"run.output={tmp_path / 'unbroken'}", *changes]))
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
            SimulationRun(load(path, changes)).run()
    resumed = SimulationRun(load(path, changes), resume=True)
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
        ("", "until_redshift = [3]\nsnapshot_steps = 10", "'run' has until_redshift = [3], but must have one redshift"),
        ("", "until = 0.05\nsnapshot_steps = 10", "until is 0.05, but must be at least 0.1"),
        ("", RUN + "\n[thermostat]\nmethod = 'langevin'\ntemperature = 1.0\nrelaxation_time = 1.0",
         "[thermostat] does not go with [cosmology]"),
    ],
)  # fmt: skip
def test_refuses(tmp_path: Path, cosmology: str, run: str, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        SimulationRun(load(parameters(tmp_path, cosmology=cosmology, run=run)))
    assert not (tmp_path / "run").exists()


@pytest.mark.filterwarnings("ignore:.*does not name its units")
def test_all_of_the_header_stands_in_the_kept_parameters(tmp_path: Path) -> None:
    file = load(parameters(tmp_path))
    again = tmp_path / "again.toml"
    again.write_text(file.to_toml())
    assert load(again) == file
    assert file.cosmology is not None
    assert (file.cosmology.omega_m, file.cosmology.H0, file.run.until) == (0.3, 0.1, 0.25)


def forces_at(a: float, gravity: tr.Gravity) -> np.ndarray:
    sphere = tr.ic.sphere(500, seed=2)
    columns = {name: getattr(sphere, name) for name in ("position", "velocity", "mass")}
    particles = tr.ParticleSet.from_columns(**columns)
    particles.add_field("type")
    particles.type = 1.0
    sim = tr.Simulation(particles, [gravity], cosmology=tr.Cosmology(omega_m=0.3), scale_factor=a)
    sim.energies()
    assert sim.force_error(20)["rms"] < 0.02  # the oracle changes, too
    return particles.acceleration.copy()


def test_gravity_is_at_each_redshift_that_of_its_pair() -> None:
    gravity = tr.Gravity(theta=[(9, 0.3), (4, 0.6)], softening=0.1)
    for a, theta in ((0.05, 0.3), (0.1, 0.3), (0.19, 0.3), (0.2, 0.6), (1.0, 0.6)):
        assert np.array_equal(forces_at(a, gravity), forces_at(a, tr.Gravity(theta=theta, softening=0.1)))
    accuracy = tr.Gravity(accuracy=[(9, 1e-5), (4, 1e-2)], softening=0.1)
    assert np.array_equal(forces_at(0.5, accuracy), forces_at(0.5, tr.Gravity(accuracy=1e-2, softening=0.1)))
    assert not np.array_equal(forces_at(0.1, accuracy), forces_at(0.5, accuracy))


@pytest.mark.parametrize("softening", [0.4, {"halo": 0.4}])
def test_softening_has_a_physical_maximum(softening: float | dict[str, float]) -> None:
    gravity = tr.Gravity(softening=softening, softening_max_physical=0.1, theta=0.3)
    halved = 0.2 if isinstance(softening, float) else {"halo": 0.2}
    for a, length in ((0.1, softening), (0.25, softening), (0.5, halved)):
        assert np.array_equal(forces_at(a, gravity), forces_at(a, tr.Gravity(softening=length, theta=0.3)))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"theta": [(9, 0.3), (9, 0.5)]}, "theta has the redshift 9: allowed are redshifts above -1 that fall"),
        ({"theta": [(9, 0.3), (4, 1.5)]}, "theta is 1.5"),
        ({"theta": []}, "theta is an empty list"),
        ({"accuracy": [(9, 2.0)]}, "accuracy has 2 at redshift 9: allowed is 1e-15 or more and below 1"),
        ({"theta": [(9, 0.3)], "accuracy": [(9, 0.1)]}, "theta and accuracy are both given by redshift"),
        ({"softening": "particles", "softening_max_physical": 1.0}, "softening is that of each particle"),
        ({"softening": {"halo": 1.0}, "softening_max_physical": 1.0, "lists": "reuse"}, "lists is reuse"),
    ],
)
def test_refuses_gravity_that_cannot_change(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        tr.Gravity(**given)


def test_refuses_gravity_that_changes_with_redshift_where_there_is_none(tmp_path: Path) -> None:
    stars = tr.ic.sphere(10, seed=1)
    for given in ({"theta": [(9, 0.3)]}, {"accuracy": [(9, 0.3)]}, {"softening_max_physical": 1.0}):
        with pytest.raises(InputError, match="but no cosmology is given"):
            tr.Simulation(stars, [tr.Gravity(softening=0.1, **given)], 0.1)
    path = tmp_path / "plain.toml"
    path.write_text(
        "[ic]\nmodel = 'sphere'\nparticles = 10\n[gravity]\ntheta = [[9, 0.3]]\n"
        "[run]\noutput = 'x'\ntimestep = 0.1\nuntil = 1.0"
    )
    with pytest.raises(
        InputError, match=re.escape("'gravity.theta' changes with redshift, but there is no [cosmology]")
    ):
        load(path)

"""Runs of a parameter file at constant pressure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command, contents
from mpi_runs import RUN, output

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_snapshot
from trellis.output.energy_log import EnergyLog, read_energy_log
from trellis.run.simulation_run import SimulationRun


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A liquid of 108 atoms in 40 steps."""
    path = tmp_path / "liquid.toml"
    path.write_text(
        f"""
[ic]
model = "lennard-jones"
particles = 108
density = 0.7
temperature = 1.0

[lennard_jones]
cutoff = 2.2
truncation = "energy-shifted"
precision = "double"

[thermostat]
method = "langevin"
temperature = 1.0
relaxation_time = 0.3

[barostat]
pressure = 1.0
every = 3

[run]
until = 0.16
timestep = 0.004
output = "{tmp_path / "out"}"
snapshot_every = 0.04
checkpoint_every = 0
"""
    )
    return path


def test_the_log_has_the_volume_and_each_snapshot_its_box(file: Path, tmp_path: Path) -> None:
    SimulationRun(load(file)).run()
    log = read_energy_log(tmp_path / "out" / "energy.csv")
    assert list(log)[-3:] == ["temperature", "pressure", "volume"]
    assert log["volume"][:4] == pytest.approx(108 / 0.7)  # the first move follows step 3, and is of step 4
    assert len(np.unique(log["volume"])) > 3
    assert np.abs(log["relative_error"]).max() < 2e-3
    for number in range(5):
        low, high = read_snapshot(tmp_path / "out" / f"snapshot_{number:04d}.hdf5").particles.box
        assert (high - low).prod() == pytest.approx(log["volume"][10 * number], rel=1e-12)


@pytest.mark.parametrize("killed_at", [21, 22, 23])
def test_a_killed_run_resumes_bit_for_bit(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    SimulationRun(load(file, [f"run.output={tmp_path / 'unbroken'}"])).run()

    class Killed(Exception):  # noqa: N818
        pass

    with monkeypatch.context() as patched:
        record = EnergyLog.record

        def killing(log: EnergyLog, simulation: tr.Simulation) -> tr.Energies:
            if simulation.step_count == killed_at:
                raise Killed
            return record(log, simulation)

        patched.setattr(EnergyLog, "record", killing)
        with pytest.raises(Killed):
            SimulationRun(load(file)).run()
    resumed = SimulationRun(load(file), resume=True)
    assert resumed.simulation.step_count == killed_at - 1
    resumed.run()
    assert contents(tmp_path / "out") == contents(tmp_path / "unbroken")


def test_a_run_on_ranks_is_that_of_one(file: Path, tmp_path: Path, mpirun: Command) -> None:
    for ranks in (1, 2):
        done = mpirun(ranks, *RUN, file, *output(tmp_path / str(ranks)))
        assert done.returncode == 0, done.stderr
    alone, shared = (read_energy_log(tmp_path / name / "energy.csv") for name in "12")
    for name in ("volume", "potential", "bath", "pressure"):
        assert shared[name] == pytest.approx(alone[name], rel=1e-6, abs=1e-6), name
    assert len(np.unique(shared["volume"])) > 3


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["thermostat"], "[barostat] is given, but there is no [thermostat]: a pressure is held at a temperature"),
        (["steps.longest=0.004", "run.timestep"], "[steps] does not go with [barostat]"),
        (["sph.neighbours=40"], "[sph] does not go with [barostat]"),
        (['external=[{ model = "uniform", acceleration = [0, 0, 1] }]'], "[external] does not go with [barostat]"),
        (["cosmology.omega_m=1"], "does not go with [cosmology]"),
        (["barostat.pressure=-1"], "'barostat.pressure' is -1, but must be at least 0"),
        (["lennard_jones.truncation=plain"], "truncation is 'plain': with a barostat, allowed are"),
        (['ic={ model = "cluster", particles = 7 }'], "the box is not periodic along all axes: it has no volume"),
    ],
)
def test_what_cannot_be_held_is_refused(file: Path, tmp_path: Path, changes: list[str], sentence: str) -> None:
    for name in [each for each in changes if "=" not in each]:
        file.write_text(_without(file.read_text(), name))
    with pytest.raises(InputError) as refused:
        SimulationRun(load(file, [each for each in changes if "=" in each]))
    assert sentence in str(refused.value)
    assert not (tmp_path / "out").exists()


def _without(text: str, name: str) -> str:
    """Return the text of a file without a section, or a key of one."""
    section, _, key = name.partition(".")
    head, _, tail = text.partition(f"[{section}]\n")
    own, _, others = tail.partition("\n\n")
    if not key:
        return f"{head}{others}"
    lines = [line for line in own.splitlines() if not line.startswith(f"{key} =")]
    return "\n".join([f"{head}[{section}]", *lines, "", others])

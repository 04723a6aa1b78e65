"""Unusable input of runs: each case is refused in one sentence, and leaves nothing behind; notes of others."""

from __future__ import annotations

import re
import signal
import subprocess
import warnings
from pathlib import Path
from typing import Any

import h5py
import pytest
from conftest import Command, contents

import trellis as tr
from trellis.config import load
from trellis.errors import RunError
from trellis.io import read_checkpoint, read_snapshot, write_snapshot
from trellis.run.simulation_run import SimulationRun
from trellis.simulation.progress import live_line, time_left
from trellis.simulation.progress.time_left import TimeLeft


def started_from(snapshot: Path, parameter_file: Path) -> str:
    """Return the parameters, but for a start from a snapshot."""
    return f'initial_conditions = "{snapshot}"\n[gravity]{parameter_file.read_text().partition("[gravity]")[2]}'


def check_refused(done: subprocess.CompletedProcess[str], sentence: str, out: Path) -> None:
    assert (done.returncode, done.stderr) == (2, f"error: {sentence}\n")
    assert not out.exists()


def test_an_end_that_is_over_is_refused(parameter_file: Path, tmp_path: Path, trellis: Command) -> None:
    out = tmp_path / "out"
    write_snapshot(tmp_path / "late.hdf5", tr.ic.plummer(20), time=7.0)
    late = tmp_path / "late.toml"
    late.write_text(started_from(tmp_path / "late.hdf5", parameter_file))
    check_refused(trellis("run", late), "until is 0.8, but must be at least 7, the start", out)
    SimulationRun(load(parameter_file)).run()
    before = contents(out)
    done = trellis("run", parameter_file, "--resume", "--set", "run.until=0.4")
    assert (done.returncode, done.stderr) == (2, "error: until is 0.4, but must be at least 0.8, the time now\n")
    assert contents(out) == before
    assert trellis("run", parameter_file, "--resume").returncode == 0  # it is complete


def test_an_output_folder_that_is_a_file_is_refused(parameter_file: Path, tmp_path: Path, trellis: Command) -> None:
    (tmp_path / "out").write_text("mine")
    for more in ([], ["--overwrite"]):
        done = trellis("run", parameter_file, *more)
        assert done.returncode == 2
        assert done.stderr == f"error: run.output is '{tmp_path / 'out'}', which is a file, but must be a folder\n"
    assert (tmp_path / "out").read_text() == "mine"


def test_a_start_without_a_finite_energy_is_refused(parameter_file: Path, tmp_path: Path, trellis: Command) -> None:
    done = trellis("run", parameter_file, "--set", "gravity.softening=1e30")
    assert done.returncode == 2
    sentence = r"error: the energy at the start is nan \(kinetic 0.0437\d+, potential nan, external 0, internal 0\),"
    assert re.search(sentence, done.stderr)
    assert not (tmp_path / "out").exists()


def test_a_step_that_leaves_the_numbers_fails_in_a_sentence(parameter_file: Path, tmp_path: Path) -> None:
    huge = ["run.timestep=1e300", "run.until=1e308", "run.snapshot_every=1e307"]
    job = SimulationRun(load(parameter_file, huge))
    with pytest.raises(RunError, match=r"^the run failed after step 1: .* shorter steps may help$"):
        job.run()
    assert read_checkpoint(tmp_path / "out" / "checkpoint.hdf5").step_count <= 1


def test_a_step_that_is_too_long_ends_the_run_in_a_sentence(tmp_path: Path, trellis: Command) -> None:
    (tmp_path / "melt.toml").write_text(
        '[ic]\nmodel = "lennard-jones"\nparticles = 108\ndensity = 0.6\ntemperature = 0.5\n'
        '[lennard_jones]\ncutoff = 2.5\ntruncation = "force-shifted"\n'
        f'[run]\nuntil = 10.0\ntimestep = 0.1\nsnapshot_steps = 50\nlog_every = 10\noutput = "{tmp_path / "boom"}"\n'
    )
    done = trellis("run", tmp_path / "melt.toml")
    assert done.returncode == 1
    assert re.search(r"the step of 0\.1 at t = .* is too long: .*; its nearest neighbour, of id \d+, is", done.stderr)


def test_an_accuracy_beyond_single_precision(parameter_file: Path, tmp_path: Path, trellis: Command) -> None:
    options = ["--set", "gravity.accuracy=2e-7", "--set", "gravity.precision=single"]
    sentence = "accuracy is 2e-07: allowed with precision single is 3e-07 or more"
    check_refused(trellis("run", parameter_file, *options), sentence, tmp_path / "out")


@pytest.mark.parametrize("where", [{}, {"device": "cpu", "resident": True}])
def test_double_precision_is_taken_where_the_accuracy_needs_it(where: dict[str, Any]) -> None:
    errors = []
    for accuracy in (2e-7, 3e-7):
        gravity = tr.Gravity(softening=0.01, method="tree", order=1, accuracy=accuracy)
        errors.append(tr.Simulation(tr.ic.plummer(300, seed=1), [gravity], 0.01, **where).force_error(100)["rms"])
    assert errors[0] < 1e-12  # nearly all pairs are summed
    assert errors[1] > 1e-8


def test_parameters_may_be_large_numbers() -> None:
    assert tr.Gravity(softening=3.1e21).settings["softening"] == 3.1e21  # 1 kpc in cm
    with pytest.raises(ValueError, match="group_size is 4294967296: allowed is at most 4294967295"):
        tr.Gravity(group_size=2**32)


@pytest.fixture
def without_units(tmp_path: Path) -> Path:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(20), units=tr.units.GADGET)
    with h5py.File(tmp_path / "a.hdf5", "r+") as file:
        for name in ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"):
            del file["Parameters"].attrs[name]
        del file["Header"].attrs["Columns"]  # by which a file is one of ours, with all attributes
    return tmp_path / "a.hdf5"


def test_units_that_are_assumed_are_said_to_be(without_units: Path, parameter_file: Path, trellis: Command) -> None:
    sentence = f"'{without_units}' does not name its units of length, mass and velocity: assumed are Gadget's, units of"
    with pytest.warns(UserWarning, match=re.escape(sentence)):
        read = read_snapshot(without_units)
    assert (read.units, read.units_assumed) == (tr.units.GADGET, True)
    parameter_file.write_text(started_from(without_units, parameter_file))
    steps = ["--set", "run.timestep=1e-6", "--set", "run.until=3e-6"]
    done = trellis("run", parameter_file, *steps)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"note: {sentence} 1 kpc, 1e+10 solar masses, 1 km/s (G = 43007.1)\n") == 1
    assert "1 km/s (G = 43007.1), assumed, from t = 0\n" in done.stdout


def test_units_that_are_named_are_not_assumed(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not read_snapshot(tmp_path / "a.hdf5").units_assumed


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(time_left.time, "monotonic", lambda: now[0])
    return now


def test_the_time_left_is_that_of_the_last_minute(clock: list[float]) -> None:
    left = TimeLeft(100.0, 0.0)
    for _ in range(100):  # a tenth of the pace of later
        clock[0] += 10
        left.note(0.01 * (clock[0] - 1000))
    assert left.seconds == pytest.approx(9000)
    assert re.fullmatch(r"about 2.5 h left, until (\w{3} )?\d\d:\d\d", str(left))
    for _ in range(7):
        clock[0] += 10
        left.note(10 + 0.1 * (clock[0] - 2000))
    assert left.seconds == pytest.approx(830)
    assert re.fullmatch(r"about 14 min left, until (\w{3} )?\d\d:\d\d", str(left))


@pytest.mark.parametrize(
    ("pace", "shown"),
    [
        (10, "about 9 s left"),
        (1e-4, r"about 12 days left, until \d+ \w{3} \d\d:\d\d"),
        (1e-9, "about 3,169 years left"),
    ],
)
def test_the_time_left_is_shown_in_round_numbers(clock: list[float], pace: float, shown: str) -> None:
    left = TimeLeft(100.0, 0.0)
    clock[0] += 1
    left.note(pace)
    assert re.fullmatch(shown, str(left))


def test_a_run_that_takes_years_is_noted(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(live_line, "LINES", 0.0)
    sim = tr.Simulation(tr.ic.plummer(20), [tr.Gravity(softening=0.1)], timestep=1e-12)
    stop = [(40, lambda _: signal.raise_signal(signal.SIGINT))]
    match = r"^at this pace the run takes about [\d,.]+ years more, with steps of 1e-12$"
    with pytest.warns(UserWarning, match=match), pytest.raises(KeyboardInterrupt):
        sim.run(until=1.0, progress=True, callbacks=stop)
    assert re.search(r"step 20, t = 2e-11 of 1, .* dE/E = .*, about [\d,.]+ years left\n", capfd.readouterr().err)


def test_steps_that_are_chosen_begin_short_and_are_no_reason_for_a_note(
    clock: list[float], recwarn: pytest.WarningsRecorder
) -> None:
    left = TimeLeft(1e9, 0.0)
    clock[0] += 1
    left.note(1.0)
    left.warn_if_long(5, 1.0)
    assert len(recwarn) == 0
    left.warn_if_long(30, 1.0)
    left.warn_if_long(31, 1.0)
    assert len(recwarn) == 1

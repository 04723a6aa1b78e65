"""Runs whose energy does not stay what it was: they end, or are marked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command, contents

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint, read_snapshot
from trellis.output.energy_log import read_energy_log
from trellis.run.energy_alarm import ALARM, EnergyAlarm
from trellis.run.simulation_run import SimulationRun
from trellis.simulation.energies import Energies

BAD = 15  # the step after which the error is beyond 5 %


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A collapse of ten points in steps that are too long, and a checkpoint after each."""
    path = tmp_path / "bad.toml"
    path.write_text(
        f"""
[ic]
model = "sphere"
particles = 10
seed = 2
[gravity]
accuracy = 1e-4
[run]
until = 2.05
timestep = 0.1
output = "{tmp_path / "out"}"
snapshot_every = 0.4
checkpoint_every = 0
"""
    )
    return path


def mark(folder: Path) -> dict[str, float]:
    return dict(json.loads((folder / "energy_alarm.json").read_text()))


def test_a_run_whose_energy_is_lost_ends_and_keeps_its_last_checkpoint(
    bad: Path, tmp_path: Path, trellis: Command
) -> None:
    out = tmp_path / "out"
    for resume in ([], ["--resume"]):  # of the same bits, so that it ends in the same way
        done = trellis("run", bad, *resume)
        assert done.returncode == ALARM == 3
        sentence = "error: the run has ended, since the energy error was 0.22 after step 15, at t = 1.5, beyond"
        assert done.stderr.count(sentence) == 1
        assert f"this state is in '{out / 'snapshot_0004.hdf5'}', and the checkpoint that --resume" in done.stderr
        assert "Everything is in" not in done.stdout
        assert read_checkpoint(out / "checkpoint.hdf5").step_count == BAD - 1
        assert read_energy_log(out / "energy.csv")["step"][-1] == mark(out)["step"] == BAD
        assert [read_snapshot(out / f"snapshot_{k:04d}.hdf5").time for k in range(5)] == pytest.approx(
            [0, 0.4, 0.8, 1.2, 1.5]
        )
        assert not (out / "run.lock").exists()
    done = trellis("run", bad, "--resume", "--set", "run.energy_alarm=100")
    assert done.returncode == 0, done.stderr
    unbroken = tmp_path / "unbroken"
    assert SimulationRun(load(bad, [f"run.output={unbroken}", "run.energy_alarm=100"])).run() is None
    assert contents(out) == contents(unbroken)
    assert not (out / "energy_alarm.json").exists()


@pytest.mark.pixels
def test_a_run_may_go_on_and_is_marked(bad: Path, tmp_path: Path, trellis: Command) -> None:
    whole = ["--set", "run.on_energy_alarm=mark"]
    done = trellis("run", bad, *whole)
    sentence = "the energy error was 0.22 after step 15, at t = 1.5, beyond energy_alarm = 0.05"
    assert done.returncode == ALARM
    assert done.stderr.count(f"note: {sentence}: the run goes on, marked, and will end with exit code 3") == 1
    assert done.stderr.endswith(f"error: the run is marked, since {sentence}.\n")
    assert "Everything is in" in done.stdout
    assert (tmp_path / "out" / "overview.png").exists()
    again = trellis("run", bad, "--resume", *whole)
    assert again.returncode == ALARM
    assert "is complete" in again.stdout
    assert sentence in again.stderr


def test_a_resumed_run_keeps_its_mark_and_no_later_one(bad: Path) -> None:
    marking = ["run.on_energy_alarm=mark"]
    first = SimulationRun(load(bad, ["run.until=1.8", *marking]))
    with pytest.warns(UserWarning, match="the run goes on, marked"):
        first.run()
    resumed = SimulationRun(load(bad, marking), resume=True)
    assert resumed.alarm.mark == first.alarm.mark is not None
    assert resumed.run() is None  # and says nothing again
    assert mark(resumed.folder.path)["step"] == BAD
    path = resumed.folder.energy_alarm
    path.write_text(path.read_text().replace(f'"step": {BAD}', '"step": 1000'))  # later than the checkpoint
    assert SimulationRun(load(bad, ["run.until=2.15", *marking]), resume=True).alarm.mark is None
    path.write_text("[]")
    with pytest.raises(InputError, match=r"energy_alarm.json' is not the mark of an energy alarm"):
        SimulationRun(load(bad, marking), resume=True)


def test_a_state_beyond_the_limit_is_no_checkpoint_even_where_no_line_is_due(bad: Path, tmp_path: Path) -> None:
    stop = SimulationRun(load(bad, ["run.log_every=1000"])).run()
    assert stop is not None
    assert stop.exit_code == ALARM
    assert read_checkpoint(tmp_path / "out" / "checkpoint.hdf5").step_count == BAD - 1
    assert read_energy_log(tmp_path / "out" / "energy.csv")["step"].tolist() == [0]


def test_an_alarm_at_the_last_step_is_one(bad: Path, tmp_path: Path) -> None:
    job = SimulationRun(load(bad, ["run.until=1.5"]))
    stop = job.run()
    assert job.finished()
    assert stop is not None
    assert stop.exit_code == ALARM
    assert not (tmp_path / "out" / "overview.png").exists()


def test_all_ranks_end_together(bad: Path, tmp_path: Path, mpirun: Command) -> None:
    done = mpirun(2, "-m", "trellis", "run", bad, "--set", "run.energy_alarm=0.03")
    assert done.returncode == ALARM, done.stderr
    assert done.stderr.count("the run has ended, since the energy error was") == 1
    assert read_checkpoint(tmp_path / "out" / "checkpoint.hdf5").step_count == mark(tmp_path / "out")["step"] - 1


@pytest.mark.parametrize(
    ("energies", "error"),
    [
        (Energies(kinetic=0.25, potential=-0.5, external=0, internal=0, bath=0, initial=-0.2), 0.25),
        (Energies(kinetic=10, potential=-10.5, external=0, internal=0, bath=0, initial=-0.001), 0.499 / 2.05),
        (Energies(kinetic=1, potential=-0.9, external=0, internal=0, bath=0, initial=0), 0.1 / 0.19),
        (Energies(kinetic=2, potential=-6, external=0, internal=0, bath=1, initial=-3), 0),
        (Energies(kinetic=0, potential=0, external=0, internal=0, bath=0, initial=0), 0),
        (Energies(kinetic=math.nan, potential=-1, external=0, internal=0, bath=0, initial=-1), math.nan),
        (Energies(kinetic=math.inf, potential=-1, external=0, internal=0, bath=0, initial=-1), math.nan),
    ],
)
def test_the_error_is_relative_to_what_is_never_near_zero(energies: Energies, error: float) -> None:
    assert abs(energies.error) == pytest.approx(error, nan_ok=True)


@pytest.fixture
def alarm(bad: Path, tmp_path: Path) -> Callable[..., EnergyAlarm]:
    def make(*changes: str, forces: tuple[object, ...] = ()) -> EnergyAlarm:
        path = tmp_path / "energy_alarm.json"
        return EnergyAlarm(load(bad, changes).run, forces, tr.ParticleSet(1), path)  # type: ignore[arg-type]

    return make


def energies(kinetic: float) -> Energies:
    return Energies(kinetic=kinetic, potential=-1, external=0, internal=0, bath=0, initial=-1)


def test_what_is_not_finite_always_ends_a_run(alarm: Callable[..., EnergyAlarm], tmp_path: Path) -> None:
    sim = tr.Simulation(tr.ic.plummer(5), [tr.Gravity(softening=0.1)], 0.01)
    marked = alarm("run.on_energy_alarm=mark", "run.energy_alarm=1e300")
    marked.look(sim, energies(1e6))
    assert (marked.ended, marked.mark) == (False, None)
    marked.look(sim, energies(math.nan))
    assert marked.ended
    assert str(marked.mark) == "the energy error was nan after step 0, at t = 0"
    assert math.isnan(mark(tmp_path)["error"])


def bar(pattern_speed: float) -> tr.external.RotatingBar:
    return tr.external.RotatingBar(mass=0.1, half_length=0.5, thickness=0.1, pattern_speed=pattern_speed)


def test_forces_may_change_the_energy(alarm: Callable[..., EnergyAlarm]) -> None:
    sim = tr.Simulation(tr.ic.plummer(5), [tr.Gravity(softening=0.1)], 0.01)
    driven = alarm(forces=(tr.Gravity(), bar(pattern_speed=1.0)))
    assert driven.off == "the field of a rotating bar changes with time"
    driven.look(sim, energies(1e6))
    assert not driven.ended
    driven.look(sim, energies(math.inf))
    assert driven.ended
    assert alarm(forces=(tr.Gravity(), bar(pattern_speed=0.0))).off == ""


def test_a_run_says_that_its_alarm_is_off(bad: Path, trellis: Command) -> None:
    bar = "[[external]]\nmodel = 'rotating-bar'\nmass = 0.1\nhalf_length = 0.5\nthickness = 0.1\npattern_speed = 1.0\n"
    bad.write_text(f"{bar}{bad.read_text()}")
    done = trellis("run", bad)
    off = "energy_alarm is off, since the energy is not conserved: the field of a rotating bar changes with time\n"
    assert (done.returncode, done.stdout.count(off)) == (0, 1), done.stderr


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan", "true"])
def test_limits_that_are_refused(bad: Path, value: str) -> None:
    with pytest.raises(InputError, match=r"'run.energy_alarm' is .*, but must be"):
        load(bad, [f"run.energy_alarm={value}"])

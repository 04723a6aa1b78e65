"""The rungs of a run with individual time steps: the log, the live line, and the picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Command, FoundOn, contents

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.output.rung_log import RungLog, read_rung_log
from trellis.run.simulation_run import SimulationRun
from trellis.simulation.progress import live_line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A parameter file of four longest steps."""
    path = tmp_path / "stars.toml"
    path.write_text(
        '[ic]\nmodel = "plummer"\nparticles = 200\nseed = 3\n[gravity]\nsoftening = 0.02\n[steps]\nlongest = 0.0625\n'
        f'[run]\nuntil = 0.25\nsnapshot_every = 0.125\noutput = "{tmp_path / "out"}"\n'
    )
    return path


def done(file: Path, *changes: str, resume: bool = False) -> Path:
    """Return the output folder of a run."""
    job = SimulationRun(load(file, list(changes)), resume=resume)
    job.run()
    return job.folder.path


def test_each_longest_step_has_a_line_with_the_rungs_at_its_beginning(file: Path) -> None:
    log = read_rung_log(done(file, "run.log_every=3") / "rungs.csv")
    sim = tr.Simulation(tr.ic.plummer(200, seed=3), [tr.Gravity(softening=0.02)], tr.IndividualSteps(longest=0.0625))
    assert log["step"].tolist() == [1, 2, 3, 4]
    assert log["begin"].tolist() == [0, 0.0625, 0.125, 0.1875]
    assert log["end"].tolist() == [0.0625, 0.125, 0.1875, 0.25]
    for line in range(4):
        sim.step()
        assert sim.rung_use is not None
        counts = [log[f"rung_{rung}"][line] for rung in range(25)]
        assert counts == sim.rung_use["particles"] + [0] * (25 - len(sim.rung_use["particles"]))
        assert sum(counts) == 200
        assert sum(count > 0 for count in counts) >= 2
        assert log["updates"][line] == sim.rung_use["updates"]
        assert log["level_updates"][line] == sim.rung_use["level_updates"]


def test_a_run_that_goes_on_has_the_log_of_an_unbroken_one(file: Path, tmp_path: Path) -> None:
    unbroken = done(file, f"run.output={tmp_path / 'unbroken'}")
    begun = done(file, "run.until=0.125", "run.snapshot_every=0.125")
    with (begun / "rungs.csv").open("a") as log:  # killed after a step that no checkpoint has
        log.write(f"3,0.125,0.1875,200,0,200{',0' * 24}\n4,0.18")
    done(file, resume=True)
    assert contents(begun) == contents(unbroken)
    assert (begun / "rungs.csv").read_text().count("\n") == 5


def test_lines_that_are_lost_are_noted(file: Path) -> None:
    folder = done(file, "run.until=0.125")
    (folder / "rungs.csv").unlink()
    with pytest.warns(UserWarning, match=r"rungs.csv' lacks the lines up to step 2: they are lost, the run goes on"):
        done(file, resume=True)
    assert read_rung_log(folder / "rungs.csv")["step"].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda line: line.replace(",0\n", "\n"), "is not 30 numbers"),
        (lambda line: "0" + line[1:], "has the step 0 after 1"),
        (lambda line: line.replace(",0\n", ",0.5\n"), r"has a number of particles that is not 0, 1, \.\.\."),
        (lambda line: line.replace(",0\n", ",1000000\n"), r"has \d+ updates of 1.0002e\+06 particles"),
    ],
)
def test_a_damaged_line_is_named(file: Path, damage: Callable[[str], str], problem: str) -> None:
    path = done(file, "run.until=0.125") / "rungs.csv"
    heading, first, second = path.read_text().splitlines(keepends=True)
    path.write_text(heading + first + damage(second))
    with pytest.raises(InputError, match=rf"rungs.csv' is damaged: line 3, '.*', {problem}"):
        read_rung_log(path)
    path.write_text("step\n")
    with pytest.raises(InputError, match=r"rungs.csv' is not a log of rungs: its first line is not the names"):
        read_rung_log(path)


def test_a_new_run_begins_with_an_empty_log(file: Path) -> None:
    path = done(file) / "rungs.csv"
    SimulationRun(load(file, ["run.until=0.125"]), overwrite=True).run()
    assert read_rung_log(path)["step"].tolist() == [1, 2]


def test_the_live_line_has_the_rungs_in_use_and_updates_a_second(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_line, "LINES", 0.0)
    stars, own = tr.ic.plummer(200, seed=3), tr.IndividualSteps(longest=0.0625)
    sim = tr.Simulation(stars, [tr.Gravity(softening=0.02)], own)
    sim.run(steps=1, progress=True)
    assert sim.rung_use is not None
    counts = sim.rung_use["particles"]
    assert isinstance(counts, list)
    in_use = " ".join(str(rung) for rung, count in enumerate(counts) if count > 0)
    assert f", rungs {in_use}, " in capfd.readouterr().err.replace("\n", " ")
    tr.Simulation(tr.ic.plummer(20), [tr.Gravity(softening=0.1)], 0.01).run(steps=1, progress=True)
    assert "rungs" not in capfd.readouterr().err


def test_a_picture_has_the_particles_of_each_rung_and_the_updates(file: Path, tmp_path: Path, trellis: Command) -> None:
    folder = done(file)
    log = read_rung_log(folder / "rungs.csv")
    above, below, *_ = tr.plot.rungs(folder).axes
    (image,) = above.collections
    counts = np.array([log[f"rung_{rung}"] for rung in range(25)])
    deepest = np.flatnonzero(counts.any(axis=1))[-1]
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), 0), counts[: deepest + 1])
    of_all, own, longest = (each.get_data().values for each in below.patches)
    np.testing.assert_array_equal(own, log["updates"])
    np.testing.assert_array_equal(longest, 200)
    assert np.all(of_all >= own)
    assert (above.get_ylabel(), below.get_xlabel()) == ("rung (step: longest / 2$^{rung}$)", "time")
    drawn = trellis("plot", folder, "--rungs", "-o", tmp_path / "rungs.png")
    assert drawn.returncode == 0, drawn.stderr
    assert (tmp_path / "rungs.png").exists()


def test_a_run_without_rungs_has_no_such_picture(
    file: Path, parameter_file: Path, tmp_path: Path, trellis: Command
) -> None:
    assert trellis("run", parameter_file, "--set", "run.until=0.02").returncode == 0
    for source in (tmp_path / "out", tmp_path / "out/snapshot_0000.hdf5", tmp_path / "nothing"):
        refused = trellis("plot", source, "--rungs", "-o", tmp_path / "rungs.png")
        assert refused.returncode == 2
        assert (
            refused.stderr == f"error: there are no rungs to draw in '{source}': allowed is the output folder of a run"
            " with [steps], individual time steps\n"
        )
    (tmp_path / "begun").mkdir()
    with RungLog(tmp_path / "begun/rungs.csv", SimulationRun(load(file), overwrite=True).simulation):
        pass
    with pytest.raises(InputError, match="begun': the run has not taken a step yet"):
        tr.plot.rungs(tmp_path / "begun")


@pytest.mark.skipif(tr.info()["MPI"] == "built without", reason="needs MPI")
def test_on_ranks_the_particles_of_all_are_counted(found_on: FoundOn) -> None:
    program = """
from trellis.simulation.rungs import rung_use_of_all
particles = tr.ic.plummer(200, seed=3)[:200 if tr.rank() == 0 else 0].copy()
sim = tr.Simulation(particles, [tr.Gravity(softening=0.02)], tr.IndividualSteps(longest=1 / 16))
sim.run(steps=2)
use = rung_use_of_all(sim)
found = [sum(use.particles), use.updates, len(use.in_use())]
"""
    alone, shared = found_on(1, program), found_on(2, program)
    assert shared[0] == alone[0] == 200
    assert shared[1] == pytest.approx(alone[1], rel=0.02)
    assert shared[2] == alone[2]

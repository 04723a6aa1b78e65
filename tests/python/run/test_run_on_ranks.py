"""Runs and programs that mpirun starts on several ranks."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command
from mpi_runs import RUN, begun, output, ranks_of

import trellis as tr
from trellis import world
from trellis.config import load
from trellis.io import read_checkpoint, read_snapshot, write_snapshot
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

REUSE = ["--set", "gravity.lists=reuse", "--set", "gravity.reuse_steps=8"]
ENDLESS = ["--set", "run.until=200", "--set", "run.checkpoint_every=1e9"]


def by_id(particles: tr.ParticleSet) -> dict[str, bytes]:
    order = np.argsort(particles.id)
    return {name: particles.column(name)[order].tobytes() for name in particles.field_names}


@pytest.mark.parametrize(
    ("ranks", "files", "scheme"), [(2, 1, "all-to-all"), (4, 3, "domain-tree"), (3, 9, "all-gather")]
)
def test_a_run_on_ranks_is_that_of_one(
    parameter_file: Path, tmp_path: Path, mpirun: Command, ranks: int, files: int, scheme: str
) -> None:
    alone = SimulationRun(load(parameter_file, [f"run.output={tmp_path / 'alone'}"]))
    alone.run()
    settings = ["--set", f"run.files={files}", "--set", f"gravity.let={scheme}"]
    done = mpirun(ranks, *RUN, parameter_file, *settings, "--check-forces", 50, "--set", "run.checkpoint_every=1e9")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f"Running 300 particles on {ranks} ranks, N-body units (G = 1), from t = 0") == 1
    assert done.stdout.count("Relative force error of 50 particles") == 2
    assert done.stderr.count("step 40, t = 0.8 of 0.8") == 1
    folder = tmp_path / "out"
    parts = min(files, ranks)
    assert len(list(folder.glob("snapshot_*.hdf5"))) == 9 * parts
    assert len(list(folder.glob("checkpoint*.hdf5"))) == (1 if parts == 1 else parts + 1)
    assert (folder / "overview.png").exists()
    log, expected = read_energy_log(folder / "energy.csv"), read_energy_log(alone.folder.energy_log)
    for name in ("step", "time", "kinetic", "potential", "virial_ratio"):
        assert log[name] == pytest.approx(expected[name], rel=3e-4), name
    for here, there in zip(
        (folder / f"snapshot_{k:04d}.hdf5" for k in range(9)), alone.folder.snapshots(), strict=True
    ):
        shared, whole = read_snapshot(here).particles, read_snapshot(there).particles
        assert sorted(shared.id) == sorted(whole.id)
    order, expected_order = np.argsort(shared.id), np.argsort(whole.id)
    assert shared.position[order] == pytest.approx(whole.position[expected_order], abs=1e-3)
    with h5py.File(sorted(folder.glob("snapshot_0000*.hdf5"))[0]) as file:
        header = file["Header"].attrs
        assert header["NumFilesPerSnapshot"] == parts
        assert header["NumPart_Total"].tolist() == [0, 300, 0, 0, 0, 0]
        assert header["NumPart_ThisFile"].sum() == len(file["PartType1/ParticleIDs"])


# in the middle of the lists' use; and just before they, and the domains, are made again
@pytest.mark.parametrize(("files", "steps"), [pytest.param(1, 19, marks=pytest.mark.whole), (2, 23)])
def test_a_checkpoint_goes_on_bit_for_bit_on_as_many_ranks_and_on_others_too(
    parameter_file: Path, tmp_path: Path, mpirun: Command, files: int, steps: int
) -> None:
    settings = [parameter_file, *REUSE, "--set", "run.checkpoint_every=1e9", "--set", f"run.files={files}"]
    whole, broken, other = (tmp_path / name for name in ("whole", "broken", "other"))
    assert mpirun(4, *RUN, *settings, *output(whole)).returncode == 0
    half = ["--set", f"run.until={0.02 * steps}"]
    assert mpirun(4, *RUN, *settings, *output(broken), *half).returncode == 0
    shutil.copytree(broken, other)
    done = mpirun(4, *RUN, *settings, *output(broken), "--resume")
    assert done.returncode == 0, done.stderr
    states = [read_checkpoint(folder / "checkpoint.hdf5") for folder in (whole, broken)]
    assert by_id(states[0].particles) == by_id(states[1].particles)
    assert (broken / "energy.csv").read_text() == (whole / "energy.csv").read_text()
    done = mpirun(3, *RUN, *settings, *output(other), "--resume")
    assert done.returncode == 0, done.stderr
    logs = [read_energy_log(folder / "energy.csv") for folder in (whole, other)]
    assert logs[1]["step"].tolist() == list(range(41))
    assert logs[1]["total"] == pytest.approx(logs[0]["total"], rel=1e-4)
    state = read_checkpoint(other / "checkpoint.hdf5")
    assert sorted(state.particles.id) == list(range(300))
    assert state.step_count == 40


@pytest.mark.usefixtures("mpirun")
@pytest.mark.parametrize("files", [pytest.param(1, marks=pytest.mark.whole), 3])
def test_a_rank_that_is_killed_ends_the_run_which_resumes(
    parameter_file: Path, tmp_path: Path, mpirun: Command, files: int
) -> None:
    settings = [parameter_file, "--set", "run.until=20", "--set", f"run.files={files}"]
    with begun(tmp_path / "out", *settings) as process:
        os.kill(ranks_of(process)[1], signal.SIGKILL)
        process.communicate(timeout=30)
        assert process.returncode != 0
    before = read_checkpoint(tmp_path / "out" / "checkpoint.hdf5")
    assert sorted(before.particles.id) == list(range(300))
    remains = [tmp_path / "out" / name for name in ("checkpoint.9999.0.hdf5", ".checkpoint.9999.1.hdf5.part")]
    for path in remains:  # of a checkpoint that was not completed
        path.touch()
    until = (before.step_count + 2.1) * 0.02
    done = mpirun(3, *RUN, *settings, "--resume", "--set", f"run.until={until}")
    assert done.returncode == 0, done.stderr
    assert read_checkpoint(tmp_path / "out" / "checkpoint.hdf5").step_count == before.step_count + 3
    assert not list((tmp_path / "out").glob(".*"))
    assert len(list((tmp_path / "out").glob("checkpoint*.hdf5"))) == (1 if files == 1 else files + 1)


@pytest.mark.usefixtures("mpirun")
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *(pytest.param(number, marks=pytest.mark.whole) for number in (signal.SIGINT, signal.SIGHUP))],
)
def test_a_signal_to_mpirun_stops_all_ranks_at_the_end_of_a_step(
    parameter_file: Path, tmp_path: Path, number: signal.Signals
) -> None:
    # mpirun takes this long to send SIGTERM, and as long again to send SIGKILL
    patience = {"OMPI_MCA_odls_base_sigkill_timeout": "3"}
    with begun(tmp_path / "out", parameter_file, *ENDLESS, **patience) as process:
        process.send_signal(number)
        printed, errors = process.communicate(timeout=60)
    assert process.returncode == 1  # mpirun's own
    check_stopped(tmp_path / "out", "SIGTERM", printed, errors)


def check_stopped(folder: Path, why: str, printed: str, errors: str) -> None:
    assert printed.count("Stopped with a checkpoint") == 1, errors
    assert why in printed
    assert "Traceback" not in errors
    assert "MPI_ABORT" not in errors
    log = read_energy_log(folder / "energy.csv")
    assert read_checkpoint(folder / "checkpoint.hdf5").step_count == log["step"][-1]
    assert not (folder / "run.lock").exists()


@pytest.mark.usefixtures("mpirun")
@pytest.mark.parametrize(
    ("to", "number", "code"),
    [
        (slice(None), signal.SIGINT, 130),
        (slice(1, 2), signal.SIGTERM, 143),
        (slice(None), signal.SIGHUP, 129),
        pytest.param(slice(1, 2), signal.SIGINT, 130, marks=pytest.mark.whole),
        pytest.param(slice(None), signal.SIGTERM, 143, marks=pytest.mark.whole),
        pytest.param(slice(1, 2), signal.SIGHUP, 129, marks=pytest.mark.whole),
    ],
)
def test_a_signal_to_the_ranks_stops_all_at_the_same_step(
    parameter_file: Path, tmp_path: Path, number: signal.Signals, code: int, to: slice
) -> None:
    """As srun and scancel send it to all; and to one alone."""
    with begun(tmp_path / "out", parameter_file, *ENDLESS) as process:
        for rank in ranks_of(process)[to]:
            os.kill(rank, number)
        printed, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    check_stopped(tmp_path / "out", f"after {number.name}", printed, errors)


@pytest.mark.usefixtures("mpirun")
def test_sigusr1_to_mpirun_has_all_ranks_write_a_checkpoint_and_go_on(parameter_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with begun(folder, parameter_file, *ENDLESS, "--set", "run.files=2") as process:
        process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + 60
        while read_checkpoint(folder / "checkpoint.hdf5").step_count == 0:
            assert time.monotonic() < end
            time.sleep(0.1)
        lines = (folder / "energy.csv").read_text().count("\n")
        while (folder / "energy.csv").read_text().count("\n") < lines + 3:
            assert process.poll() is None
            time.sleep(0.01)


def test_ranks_end_before_their_time_limit(parameter_file: Path, tmp_path: Path, mpirun: Command) -> None:
    done = mpirun(3, *RUN, parameter_file, *ENDLESS, "--time-limit", "00:00:09")
    assert done.returncode == 75, done.stderr
    assert float(done.stdout.partition("steps in ")[2].split()[0]) < 9
    check_stopped(tmp_path / "out", "before --time-limit", done.stdout, done.stderr)


def test_a_second_run_on_ranks_is_refused(parameter_file: Path, tmp_path: Path, mpirun: Command) -> None:
    with begun(tmp_path / "out", parameter_file, *ENDLESS) as process:
        done = mpirun(2, *RUN, parameter_file, *ENDLESS, "--overwrite")
        assert done.returncode == 2
        assert done.stderr.count(f"a run is under way in '{tmp_path / 'out'}' (process {ranks_of(process)[0]} on") == 1
        assert process.poll() is None


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--set", "run.until=soon"], "'run.until' is 'soon', but must be a number"),
        (["--set", "run.device=cpu", "--set", "run.resident=true"], "resident is true on 3 ranks"),
        (["--nonsense"], "No such option: --nonsense"),
    ],
)
def test_what_all_ranks_find_wrong_is_said_once(
    parameter_file: Path, mpirun: Command, more: list[str], sentence: str
) -> None:
    done = mpirun(3, *RUN, parameter_file, *more)
    assert done.returncode == 2
    assert done.stderr.count(sentence) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert not Path(load(parameter_file).run.output).exists()


def test_ranks_that_read_different_files_of_one_name_are_refused(tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, trellis as tr\nos.chdir(sys.argv[1] + str(tr.rank()))\ntr.io.read_snapshot('a.hdf5')\n"
    )
    for rank in range(2):
        (tmp_path / f"of{rank}").mkdir()
        write_snapshot(tmp_path / f"of{rank}" / "a.hdf5", tr.ic.plummer(50, seed=rank + 1))
    done = mpirun(2, program, tmp_path / "of")
    assert done.returncode == 2
    assert "rank 1 has 'a.hdf5' with the SHA-256 checksum" in done.stderr
    (tmp_path / "of1" / "a.hdf5").write_bytes((tmp_path / "of0" / "a.hdf5").read_bytes())
    assert mpirun(2, program, tmp_path / "of").returncode == 0


def test_ranks_with_other_parameters_are_caught_at_the_start(parameter_file: Path, mpirun: Command) -> None:
    other = [":", "-n", 2, sys.executable, *RUN, parameter_file, "--set", "run.until=0.4"]
    done = mpirun(1, *RUN, parameter_file, *other)
    assert done.returncode == 2
    assert done.stderr.count("'run.until' is 0.4 on rank 1, but 0.8 on rank 0: all ranks need the same") == 1
    assert not Path(load(parameter_file).run.output).exists()


PROGRAM = """
import numpy as np
import trellis as tr
stars = tr.ic.plummer(500, seed=4)
stars.add_field("colour")
stars.colour = stars.id
sim = tr.Simulation(stars, [tr.Gravity(softening=0.05, accuracy=1e-4)], timestep=0.01)
sim.run(until=0.1, progress=True, callbacks=[(5, lambda now: now.energies().error)])
numbers = (sim.particle_count(), sim.energies().total, sim.interactions, *sim.momentum(), *sim.centre_of_mass(),
           sim.force_error(100)["rms"])
tr.io.write_snapshot("shared.hdf5", sim.particles, time=sim.time, files=2)
read = tr.io.read_snapshot("shared.hdf5").particles
everyone = tr.world.gather((numbers, len(stars), len(read), bool((read.colour == read.id).all())))
if tr.rank() == 0:
    print(repr(everyone))
"""


def test_a_program_runs_on_ranks_without_a_line_more(
    tmp_path: Path, mpirun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM)
    done = mpirun(3, tmp_path / "program.py")
    assert done.returncode == 0, done.stderr
    everyone = eval(done.stdout, {"np": np, "nan": np.nan})
    numbers, here, read, same = (list(each) for each in zip(*everyone, strict=True))
    assert numbers[1:] == numbers[:-1]
    assert numbers[0][0] == sum(here) == sum(read) == 500
    assert max(here) < 300
    assert max(read) == 167
    assert all(same)
    assert numbers[0][-1] < 1e-4
    alone = tr.Simulation(tr.ic.plummer(500, seed=4), [tr.Gravity(softening=0.05, accuracy=1e-4)], timestep=0.01)
    alone.run(until=0.1)
    assert numbers[0][1] == pytest.approx(alone.energies().total, rel=1e-4)  # the accuracy of both
    assert set(read_snapshot(tmp_path / "shared.hdf5").particles.id) == set(range(500))


@pytest.mark.parametrize(
    ("failure", "code", "sentence"),
    [
        ("tr.ParticleSet(5).mass = [1, 2]", 2, "trellis: rank 1: values of shape (2,) do not fit"),
        ("1 / 0", 1, "trellis: rank 1: ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_on_one_rank_ends_the_run_with_its_sentence(
    tmp_path: Path, mpirun: Command, failure: str, code: int, sentence: str
) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        f"""
import trellis as tr
def fail(_simulation):
    if tr.rank() == 1:
        {failure}
sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity()], timestep=0.01)
sim.run(until=1.0, callbacks=[(5, fail)])
"""
    )
    done = mpirun(3, path)
    assert done.returncode == code
    assert done.stderr.count(sentence) == 1, done.stderr
    assert done.stderr.count("Traceback") == (code == 1)


def test_particles_made_on_every_rank_are_refused(tmp_path: Path, mpirun: Command) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        """
import trellis as tr
stars = tr.ParticleSet.from_columns(position=[[0, 0, 0], [1, 0, 0]], mass=1)
tr.Simulation(stars, [tr.Gravity()], timestep=0.01).step()
"""
    )
    done = mpirun(2, path)
    assert done.returncode == 2
    assert done.stderr.count("make particles on rank 0 only, and none on the others") == 1, done.stderr


def test_overwrite_takes_the_files_of_all_ranks_away(parameter_file: Path, tmp_path: Path, mpirun: Command) -> None:
    settings = [parameter_file, "--set", "run.until=0.1", "--set", "run.files=2"]
    assert mpirun(2, *RUN, *settings).returncode == 0
    SimulationRun(load(parameter_file, ["run.until=0.1"]), overwrite=True).run()
    left = {path.name for path in (tmp_path / "out").glob("*.hdf5")}
    assert left == {"checkpoint.hdf5", "snapshot_0000.hdf5", "snapshot_0001.hdf5"}


def test_several_copies_of_a_program_without_mpi_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(world.LAUNCHED, "4")
    with pytest.raises(ValueError, match=r"^mpirun has started 4 processes, but each is a run of its own"):
        tr.Simulation(tr.ic.plummer(10), [tr.Gravity()], timestep=0.01)

"""The command line: through typer's runner where nothing can fail, as a process where the exit code matters."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command, FlipBit
from typer.testing import CliRunner

import trellis as tr
from trellis.cli.app import app
from trellis.cli.bench import MODELS as OFFERED
from trellis.config import MODELS, document
from trellis.io import read_snapshot
from trellis.output.energy_log import read_energy_log

runner = CliRunner()
Patch = pytest.MonkeyPatch


def failed(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one sentence of a command that failed as it should."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.mark.parametrize("model", [model for model in MODELS if model != "cosmology"])
def test_ic_writes_what_python_makes(tmp_path: Path, model: str) -> None:
    path = tmp_path / "a.hdf5"
    result = runner.invoke(app, ["ic", model, "--particles", "100", "-o", str(path)])
    assert result.exit_code == 0, result.output
    made = getattr(tr.ic, model.replace("-", "_"))(100)
    assert result.output.startswith(f"{len(made):,} particles in ")
    read = read_snapshot(path).particles
    for name in made.public_fields:
        assert np.array_equal(read.column(name), made.column(name))


def test_ic_takes_the_models_own_parameters(tmp_path: Path) -> None:
    path = tmp_path / "a.hdf5"
    options = ["--particles", "100", "--seed", "7", "--virial-ratio", "0.5", "--output", str(path)]
    assert runner.invoke(app, ["ic", "sphere", *options]).exit_code == 0
    assert np.array_equal(read_snapshot(path).particles.velocity, tr.ic.sphere(100, seed=7, virial_ratio=0.5).velocity)
    assert "--cut-radius" in runner.invoke(app, ["ic", "plummer", "--help"], env={"COLUMNS": "200"}).output


@pytest.mark.pixels
def test_ic_plot_and_run_from_a_file(tmp_path: Path, parameter_file: Path, trellis: Command) -> None:
    assert trellis("ic", "plummer", "--particles", 200, "-o", tmp_path / "a.hdf5").returncode == 0
    _, _, rest = parameter_file.read_text().partition("[gravity]")
    parameter_file.write_text(f'initial_conditions = "a.hdf5"\n[gravity]{rest}')
    done = trellis("run", parameter_file, "--set", "run.until=0.1", "--check-forces", 50)
    assert done.returncode == 0, done.stderr
    assert "Running 200 particles, N-body units (G = 1), from t = 0" in done.stdout
    assert done.stdout.count("Relative force error of 50 particles") == 2
    assert "percentile 99" in done.stdout
    assert "step 5, t = 0.1 of 0.1" in done.stderr
    assert "dE/E" in done.stderr
    out = tmp_path / "out"
    for sources in ([out], [out / "snapshot_0000.hdf5", out / "snapshot_0001.hdf5"]):
        picture = tmp_path / "picture.png"
        assert trellis("plot", *sources, "-o", picture).returncode == 0
        assert picture.read_bytes().startswith(b"\x89PNG")
        picture.unlink()


def test_info_and_parameters() -> None:
    result = runner.invoke(app, ["info"])
    assert result.exit_code == 0
    for part in ("version", "compiler", "SIMD", "threads", "AMD GPUs", "MPI", "ranks", "memory", "Python"):
        assert part in result.output
    assert runner.invoke(app, ["parameters"]).output == document()


def test_bench_names_the_phases() -> None:
    result = runner.invoke(app, ["bench", "--particles", "500", "--theta", "0.5", "--accuracy", "0.01", "--steps", "2"])
    assert result.exit_code == 0, result.output
    for part in ("theta 0.5", "accuracy 0.01", "Set root cell", "Sort key", "Force kernel", "RMS force error"):
        assert part in result.output


@pytest.mark.parametrize(
    ("change", "code", "sentence"),
    [
        ("run.untl=1", 2, "unknown key 'run.untl': did you mean 'run.until'?"),
        ("gravity.softening=-1", 2, "'gravity.softening' is -1, but must be at least 0"),
        ("ic.particles=many", 2, "'ic.particles' is 'many', but must be a whole number"),
        ("run.output=collapse.toml", 2, "run.output is 'collapse.toml', which is a file, but must be a folder"),
        ("run.output=/proc/nowhere", 2, "cannot write '/proc/nowhere': no such file or directory"),
        ("gravity.order=99", 2, "order is 99"),
    ],
)
def test_input_that_cannot_be_used(
    parameter_file: Path, trellis: Command, monkeypatch: Patch, change: str, code: int, sentence: str
) -> None:
    monkeypatch.chdir(parameter_file.parent)
    assert sentence in failed(trellis("run", parameter_file, "--set", change), code)


def test_files_that_cannot_be_used(tmp_path: Path, parameter_file: Path, trellis: Command) -> None:
    assert "there is no file" in failed(trellis("run", tmp_path / "nowhere.toml"), 2)
    assert "there is no file" in failed(trellis("plot", tmp_path / "nowhere.hdf5"), 2)
    file = tmp_path / "file"
    file.write_text("")
    where = f"run.output={file / 'out'}"
    assert f"cannot write '{file / 'out'}': not a directory" in failed(
        trellis("run", parameter_file, "--set", where), 2
    )
    assert "not a directory" in failed(trellis("ic", "sphere", "--particles", 10, "-o", file / "a.hdf5"), 2)
    tr.io.write_snapshot(tmp_path / "a.hdf5", tr.ic.sphere(10))
    (tmp_path / "a.hdf5").write_bytes((tmp_path / "a.hdf5").read_bytes()[:1000])
    assert "is truncated: its end is missing" in failed(trellis("plot", tmp_path / "a.hdf5"), 2)


def test_a_run_into_an_occupied_folder(parameter_file: Path, trellis: Command) -> None:
    assert trellis("run", parameter_file).returncode == 0
    assert "holds a run already" in failed(trellis("run", parameter_file), 2)
    again = trellis("run", parameter_file, "--resume")
    assert again.returncode == 0
    assert "is complete: it reached t = 0.8" in again.stdout
    assert trellis("run", parameter_file, "--overwrite").returncode == 0
    assert trellis("run", parameter_file, "--overwrite", "--resume").returncode == 2


def test_a_full_disk_ends_a_run_with_code_1(parameter_file: Path, trellis: Command) -> None:
    out = parameter_file.parent / "out"
    changes = ("--set", "ic.particles=20", "--set", "run.until=6")
    failure = trellis("run", parameter_file, *changes, largest_file=60_000)
    assert failure.returncode == 1
    assert "Traceback" not in failure.stderr
    assert failure.stderr.strip().splitlines()[-1] == f"error: cannot write '{out / 'energy.csv'}': file too large"
    assert (out / "checkpoint.hdf5").exists()
    assert trellis("run", parameter_file, *changes, "--resume").returncode == 0
    assert read_energy_log(out / "energy.csv")["step"].tolist() == list(range(301))


def test_a_first_file_too_large_for_the_disk(tmp_path: Path, trellis: Command) -> None:
    path = tmp_path / "a.hdf5"
    sentence = failed(trellis("ic", "sphere", "--particles", 1000, "-o", path, largest_file=30_000), 1)
    assert sentence == f"error: cannot write '{path}': file too large"
    assert list(tmp_path.iterdir()) == []


def test_warnings_are_notes(tmp_path: Path, trellis: Command) -> None:
    tr.io.write_snapshot(tmp_path / "a.hdf5", tr.ic.sphere(10))
    with h5py.File(tmp_path / "a.hdf5", "r+") as file:
        file["Parameters"].attrs["ComovingIntegrationOn"] = 1
    done = trellis("plot", tmp_path / "a.hdf5", "-o", tmp_path / "a.png")
    assert done.returncode == 0
    assert done.stderr.startswith("note: ")
    assert "space will not expand" in done.stderr


def test_a_file_that_is_there_is_replaced_only_on_request(tmp_path: Path, trellis: Command) -> None:
    parameters, snapshot, picture = (tmp_path / name for name in ("a.toml", "a.hdf5", "a.png"))
    parameters.write_text("precious")
    make = ("ic", "sphere", "--particles", 10, "-o")
    kept = f"error: '{parameters}' is there already: replace it with --overwrite, or choose another with --output"
    assert failed(trellis(*make, parameters), 2) == kept
    assert failed(trellis("model", "calibrate", "-o", parameters), 2) == kept
    assert parameters.read_text() == "precious"
    assert trellis(*make, parameters, "--overwrite").returncode == 0
    assert len(read_snapshot(parameters).particles) == 10
    assert trellis(*make, snapshot).returncode == 0
    assert trellis("plot", snapshot, "-o", picture).returncode == 0
    assert "is there already" in failed(trellis("plot", snapshot, "-o", picture), 2)
    assert trellis("plot", snapshot, "-o", picture, "--overwrite").returncode == 0
    assert "is a folder, but must be a file to write" in failed(trellis("plot", snapshot, "-o", tmp_path), 2)


def test_what_is_drawn_is_never_replaced(tmp_path: Path, parameter_file: Path, trellis: Command) -> None:
    assert trellis("run", parameter_file, "--set", "run.until=0.02").returncode == 0
    out = tmp_path / "out"
    (tmp_path / "link").symlink_to(out / "snapshot_0000.hdf5")
    for k in range(2):
        tr.io.write_snapshot(tmp_path / f"b.{k}.hdf5", tr.ic.sphere(10))
    files = {path: path.read_bytes() for path in [*out.iterdir(), *tmp_path.glob("b.*")] if path.suffix != ".png"}
    for source, target in [
        (out, out / "snapshot_0000.hdf5"),
        (out, tmp_path / "link"),
        (out, out / "energy.csv"),
        (out / "snapshot_0000.hdf5", out / "snapshot_0000.hdf5"),
        (tmp_path / "b.0.hdf5", tmp_path / "b.1.hdf5"),
    ]:
        sentence = failed(trellis("plot", source, "-o", target, "--overwrite"), 2)
        assert sentence == (
            f"error: '{target}' is read by this command, and stays as it is: choose another file with --output"
        )
    assert {path: path.read_bytes() for path in files} == files
    assert trellis("plot", out, "-o", out / "overview.png", "--overwrite").returncode == 0


def test_a_damaged_checkpoint_is_not_resumed(parameter_file: Path, trellis: Command, flip_bit: FlipBit) -> None:
    assert trellis("run", parameter_file, "--set", "run.until=0.02").returncode == 0
    checkpoint = parameter_file.parent / "out" / "checkpoint.hdf5"
    flip_bit(checkpoint, "fields/position")
    sentence = failed(trellis("run", parameter_file, "--resume"), 2)
    assert sentence == f"error: '{checkpoint}' is damaged: the checksum of 'position' is wrong"


def test_the_home_folder_in_paths(tmp_path: Path, parameter_file: Path, trellis: Command, monkeypatch: Patch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert trellis("ic", "sphere", "--particles", 10, "--output=~/a.hdf5").returncode == 0
    assert trellis("plot", "~/a.hdf5", "--output=~/a.png").returncode == 0
    assert (
        trellis("run", f"~/{parameter_file.name}", "--set", "run.output=~/b", "--set", "run.until=0.02").returncode == 0
    )
    assert (tmp_path / "a.png").exists()
    assert (tmp_path / "b" / "checkpoint.hdf5").exists()
    assert "there is no file" in failed(trellis("model", "predict", "--system", "~/c.toml"), 2)


def test_names_that_are_too_long(tmp_path: Path, parameter_file: Path, trellis: Command) -> None:
    long = tmp_path / f"{'x' * 300}.toml"
    for command in [
        ("ic", "sphere", "--particles", 10, "-o", long),
        ("plot", long),
        ("run", long),
        ("run", parameter_file, "--set", f"run.output={long}"),
        ("model", "predict", "--system", long),
    ]:
        assert failed(trellis(*command), 2).endswith(": file name too long")


def test_more_threads_than_can_be(trellis: Command, monkeypatch: Patch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "99999")
    sentence = failed(trellis("bench", "--particles", 100), 2)
    assert sentence.startswith("error: OMP_NUM_THREADS is 99999, but must be at most ")
    program = "import trellis as tr; tr.Simulation(tr.ic.plummer(3000), [], 0.01).step()"  # all threads have a part
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0  # with fewer threads


def test_a_run_whose_end_is_before_its_start_or_without_gas(parameter_file: Path, trellis: Command) -> None:
    sentence = failed(trellis("run", parameter_file, "--set", "run.until=-1"), 2)
    assert sentence == "error: until is -1, but must be at least 0, the start"
    assert "no internal energy" in failed(trellis("run", parameter_file, "--set", "sph.gamma=1.4"), 2)
    assert not (parameter_file.parent / "out").exists()


def test_version_and_help() -> None:
    assert runner.invoke(app, ["--version"]).output == f"trellis {tr.info()['version']}\n"
    for command in (
        "",
        "run",
        "ic",
        "ic plummer",
        "plot",
        "movie",
        "view",
        "info",
        "bench",
        "model",
        "model predict",
        "parameters",
    ):
        short, long = (runner.invoke(app, [*command.split(), option]) for option in ("-h", "--help"))
        assert short.exit_code == 0
        assert short.output == long.output
        assert "Usage: " in short.output


@pytest.mark.parametrize("model", OFFERED)
def test_bench_offers_what_runs(model: str) -> None:
    result = runner.invoke(app, ["bench", "--model", model, "--particles", "100", "--theta", "0.5", "--steps", "1"])
    assert result.exit_code == 0, result.output
    assert model in runner.invoke(app, ["bench", "-h"], env={"COLUMNS": "200"}).output


def test_bench_offers_nothing_else(trellis: Command) -> None:
    sentence = failed(trellis("bench", "--model", "sod"), 2)
    assert sentence == f"error: '--model' is 'sod': known are {', '.join(OFFERED)}"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(trellis: Command, monkeypatch: Patch, shell: str) -> None:
    monkeypatch.setenv("_TRELLIS_COMPLETE", f"complete_{shell}")
    for typed, whole in {"trellis pl": "plot", "trellis bench --model her": "hernquist"}.items():
        monkeypatch.setenv("COMP_WORDS", typed)  # as bash has it
        monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)  # as zsh has it
        assert whole in trellis().stdout


LOADING = """
import sys
from importlib import abc
class Interrupting(abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            import os, signal, time
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
sys.meta_path.insert(0, Interrupting())
sys.argv[0] = {program!r}
from trellis.cli import main
"""


@pytest.mark.parametrize("name", ["trellis._core", "trellis.plot", "trellis.cli.app"])
def test_an_interrupt_while_the_command_is_loaded_is_no_traceback(name: str) -> None:
    def ended(program: str) -> subprocess.CompletedProcess[str]:
        text = LOADING.format(name=name, program=program)
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)

    done = ended("/usr/bin/trellis")
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert "KeyboardInterrupt" in ended("program.py").stderr  # which decides itself what Ctrl-C means

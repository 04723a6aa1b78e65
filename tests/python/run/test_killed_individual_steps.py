"""Runs with individual time steps that are killed, and go on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import contents, logged_lines

from trellis.config import load
from trellis.io import read_checkpoint
from trellis.output.rung_log import read_rung_log
from trellis.run.simulation_run import SimulationRun

STEPS = 24
STARS = '[ic]\nmodel = "plummer"\nparticles = 500\n[gravity]\nsoftening = 0.01\n[steps]\nlongest = 0.0625\n'
BLAST = '[ic]\nmodel = "sedov"\nparticles = 512\n[sph]\n[steps]\nlongest = 0.05\n'
COLLAPSE = '[ic]\nmodel = "evrard"\nparticles = 500\n[gravity]\nsoftening = 0.02\n[sph]\n[steps]\nlongest = 0.07\n'


@pytest.fixture(autouse=True)
def _no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trellis.plot.overview", lambda *_: None)  # it takes longer than the run


@pytest.mark.parametrize(
    ("text", "longest"), [(STARS, 0.0625), (BLAST, 0.05), (COLLAPSE, 0.07)], ids=["stars", "blast", "collapse"]
)
def test_kill_at_any_moment_and_resume(tmp_path: Path, text: str, longest: float) -> None:
    """kill -9 at random moments, again and again: in the end all files are those of one run."""
    file, folder, unbroken = tmp_path / "run.toml", tmp_path / "out", tmp_path / "unbroken"
    file.write_text(
        f'{text}[run]\nuntil = {STEPS * longest}\nsnapshot_every = {6.5 * longest}\noutput = "{folder}"\n'
        "checkpoint_every = 0\n"
    )
    SimulationRun(load(file, [f"run.output={unbroken}"])).run()
    command = [sys.executable, "-m", "trellis", "run", str(file)]
    moments, reached = random.Random(len(text)), [0]
    for _ in range(3):
        resume = ["--resume"] if folder.exists() else []
        lines = reached[-1] + moments.randint(4, 5)  # the log may be a step ahead of the checkpoint
        with subprocess.Popen([*command, *resume], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and logged_lines(folder) < lines:
                time.sleep(0.0005)
            time.sleep(moments.uniform(0.0, 0.01))
            process.kill()
        assert process.returncode == -signal.SIGKILL
        reached.append(read_checkpoint(folder / "checkpoint.hdf5").step_count)
        assert reached[-2] < reached[-1] < STEPS
    subprocess.run([*command, "--resume"], capture_output=True, check=True)
    assert contents(folder) == contents(unbroken)
    log = read_rung_log(folder / "rungs.csv")
    in_use = sum(log[f"rung_{rung}"] > 0 for rung in range(25))
    assert in_use[reached[-1]] >= 2

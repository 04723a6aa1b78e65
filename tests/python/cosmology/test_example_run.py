"""The run of examples/cosmology.toml, made small: a periodic cube of cold matter from its initial conditions on."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest
from conftest import Command, contents
from mpi_runs import RUN, begun, output, ranks_of

import trellis as tr
from trellis.config import load
from trellis.io import read_snapshot
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

EXAMPLE = Path(__file__).parents[3] / "examples" / "cosmology.toml"
SMALL: list[object] = [EXAMPLE, "--set", "ic.particles=512", "--set", "run.until_redshift=29"]
SMALL += ["--set", "run.snapshot_redshifts=[29.0]", "--set", "run.checkpoint_every=0"]


def test_the_longest_waves_grow_as_linear_theory_says(tmp_path: Path) -> None:
    settings = ["ic.particles=4096", "steps.longest=0.0671", "run.until_redshift=9"]
    settings += ["run.snapshot_redshifts=[49.0, 9.0]", f"run.output={tmp_path / 'box'}", "run.checkpoint_every=0"]
    SimulationRun(load(EXAMPLE, settings)).run()
    early, late = (read_snapshot(tmp_path / "box" / f"snapshot_000{k}.hdf5") for k in (0, 1))
    assert late.cosmology is not None
    growth = (late.cosmology.D1(late.time) / late.cosmology.D1(early.time)) ** 2
    before, after = (
        tr.analysis.power_spectrum(each.particles, cells=16, order=3, subtract_shot_noise=False)
        for each in (early, late)
    )
    assert after.power[0] / before.power[0] == pytest.approx(growth, rel=0.03)
    log = read_energy_log(tmp_path / "box" / "energy.csv")
    assert np.abs(log["relative_error"]).max() < 0.01


def test_a_killed_run_on_three_ranks_goes_on_bit_for_bit(tmp_path: Path, mpirun: Command) -> None:
    whole, broken = ([*SMALL, *output(tmp_path / name)] for name in ("whole", "broken"))
    done = mpirun(3, *RUN, *whole)
    assert done.returncode == 0, done.stderr
    with begun(tmp_path / "broken", *broken) as process:
        os.kill(ranks_of(process)[1], signal.SIGKILL)
        process.communicate()
        assert process.returncode != 0
    assert not (tmp_path / "broken" / "snapshot_0000.hdf5").exists()
    done = mpirun(3, *RUN, *broken, "--resume")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "whole") == contents(tmp_path / "broken")


def test_a_check_says_that_longest_steps_may_become_more(trellis: Command, tmp_path: Path) -> None:
    done = trellis("check", *SMALL, *output(tmp_path / "box"))
    assert re.search(r"steps +18 or more of 0.03 in ln a, divided for each particle", done.stdout), done.stdout

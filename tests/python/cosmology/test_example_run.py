"""The run of examples/cosmology.toml, made small: a periodic cube of cold matter from its initial conditions on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command, contents

import trellis as tr
from trellis.config import load
from trellis.io import read_snapshot
from trellis.run.energy_log import read_energy_log
from trellis.run.job import Job

EXAMPLE = Path(__file__).parents[3] / "examples" / "cosmology.toml"


def test_the_longest_waves_grow_as_linear_theory_says(tmp_path: Path) -> None:
    settings = ["ic.particles=4096", "cosmology.steps=24", "run.until_redshift=9"]
    settings += ["run.snapshot_redshifts=[49.0, 9.0]", f"run.output={tmp_path / 'box'}", "run.checkpoint_every=0"]
    Job(load(EXAMPLE, settings)).run()
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


def test_a_run_on_three_ranks_goes_on_bit_for_bit(tmp_path: Path, mpirun: Command) -> None:
    run = ["-m", "trellis", "run", EXAMPLE, "--set", "ic.particles=512", "--set", "run.snapshot_redshifts=[30.0, 19.0]"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for output, until, *more in ((whole, 19), (broken, 30), (broken, 19, "--resume")):
        place = ["--set", f"run.output={output}", "--set", f"run.until_redshift={until}"]
        done = mpirun(3, *run, *place, *more)
        assert done.returncode == 0, done.stderr
    assert contents(whole) == contents(broken)

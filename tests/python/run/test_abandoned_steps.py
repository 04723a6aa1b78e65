"""Longest steps of individual steps that signals or the time limit abandon."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Command, logged_lines

import trellis as tr
from trellis.io import read_checkpoint

OWN = tr.IndividualSteps(longest=1 / 16)
FOR_MINUTES = (
    '[ic]\nmodel = "plummer"\nparticles = 500\n[gravity]\nsoftening = 0.01\n[steps]\nlongest = 8\neta = 1e-9\n'
)


class Interrupting:
    """A limit of steps that sends Ctrl-C at one of its calls."""

    def __init__(self, call: int) -> None:
        self.left = call

    def __call__(self, particles: object) -> float:  # noqa: ARG002
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.2)  # longer than between two looks at signals
        return 1 / 256


def limited(limit: Interrupting) -> tr.Simulation:
    return tr.Simulation(tr.ic.plummer(200, seed=3), [tr.Gravity(softening=0.02), tr.StepLimit(limit)], OWN)


@pytest.mark.parametrize("call", [20, 25, 31])  # a step has 16
def test_ctrl_c_abandons_a_step_and_the_simulation_goes_on_to_the_bit(call: int) -> None:
    unbroken = limited(Interrupting(-1))
    unbroken.run(steps=3)
    sim = limited(Interrupting(call))
    with pytest.raises(KeyboardInterrupt):
        sim.run(steps=3)
    assert (sim.step_count, sim.time) == (1, 1 / 16)
    sim.run(steps=2)
    for name in sim.particles.field_names:
        np.testing.assert_array_equal(sim.particles.column(name), unbroken.particles.column(name))


def test_ctrl_c_within_a_single_step_leaves_all_as_it_was() -> None:
    own = tr.IndividualSteps(longest=8, eta=1e-9)
    sim = tr.Simulation(tr.ic.plummer(500, seed=3), [tr.Gravity(softening=0.01)], own)
    sim.energies()
    before = sim.particles.copy()
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        sim.step()
    assert (sim.step_count, sim.time) == (0, 0.0)
    np.testing.assert_array_equal(sim.particles.position, before.position)
    np.testing.assert_array_equal(sim.particles.velocity, before.velocity)


def run_file(folder: Path) -> Path:
    file = folder / "run.toml"
    file.write_text(f'{FOR_MINUTES}[run]\nuntil = 16\nsnapshot_every = 8\noutput = "{folder / "out"}"\n')
    return file


def test_a_step_longer_than_the_time_limit_is_abandoned(trellis: Command, tmp_path: Path) -> None:
    done = trellis("run", run_file(tmp_path), "--time-limit", "5s")
    assert done.returncode == 75, done.stderr
    assert "the end of a first step, which needs a longer limit or a shorter steps.longest" in done.stdout
    assert read_checkpoint(tmp_path / "out" / "checkpoint.hdf5").step_count == 0


def test_sigterm_within_a_step_ends_the_run_at_once_with_a_checkpoint(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trellis", "run", str(run_file(tmp_path))]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and logged_lines(tmp_path / "out") < 1:
            time.sleep(0.001)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        printed, errors = process.communicate(timeout=30)
    assert process.returncode == 143, errors
    assert "Stopped with a checkpoint" in printed
    assert read_checkpoint(tmp_path / "out" / "checkpoint.hdf5").step_count == 0
    assert not (tmp_path / "out" / "run.lock").exists()

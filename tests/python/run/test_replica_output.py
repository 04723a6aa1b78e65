"""Replica exchange from a file: its forecast, its alarm, and configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_exchange import write_exchange
from conftest import Command

from trellis.config import load
from trellis.run.replica_run import ReplicaExchangeRun

TEMPERATURES = "temperatures = [0.2, 0.25, 0.3]"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_exchange(tmp_path, TEMPERATURES)


def test_check_says_what_an_exchange_does(file: Path, trellis: Command, tmp_path: Path) -> None:
    found = trellis("check", file)
    assert found.returncode == 0, found.stderr
    lines = {line.split()[0]: line for line in found.stdout.splitlines()}
    assert "3 of 7 particles, k T from 0.2 to 0.3" in lines["systems"]
    assert "LennardJones: " in lines["force"]
    assert "40 of 10 steps, after 20 of equilibration" in lines["exchanges"]
    assert "a history of" in lines["output"]
    assert not (tmp_path / "out").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cluster.toml"]
    assert trellis("run", file, "--set", "run.until=1.0").returncode == 0
    resumed = trellis("check", file, "--set", "run.until=1.0", "--resume").stdout
    assert "It is complete: it has made 20 exchanges." in resumed
    assert "20 of 10 steps" in trellis("check", file, "--resume").stdout


def test_a_system_whose_energy_is_lost_ends_the_run(file: Path, trellis: Command, tmp_path: Path) -> None:
    """At a time step of 0.05 exchanges were counted with energies beyond 1e13."""
    found = trellis("run", file, "--set", "run.timestep=0.05", "--set", "run.until=200")
    assert found.returncode == 3, found.stdout + found.stderr
    said = " ".join(found.stdout.split())
    assert "the run has ended, since the energy of system" in said
    assert "beyond run.energy_alarm = 0.05" in said
    assert trellis("run", file, "--overwrite").returncode == 0
    assert len(list((tmp_path / "out").glob("exchanges_*.hdf5"))) > 0


def test_configurations_are_written_when_asked_and_each_once(file: Path, tmp_path: Path) -> None:
    hoomd: Any = pytest.importorskip("gsd.hoomd")
    wanted = ["replica_exchange.trajectories=state", "replica_exchange.trajectory_every=5"]
    ReplicaExchangeRun(load(file, [*wanted, f"run.output={tmp_path}/whole"])).run(print)
    part = [*wanted, f"run.output={tmp_path}/part"]
    ReplicaExchangeRun(load(file, [*part, "run.until=0.7"])).run(print)  # to exchange 14
    ReplicaExchangeRun(load(file, part), resume=True).run(print)
    for state in range(3):
        frames = []
        for name in ("whole", "part"):
            with hoomd.open(tmp_path / name / "trajectories_0000" / f"state_{state:03d}.gsd") as opened:
                frames.append([(each.configuration.step, each.particles.position) for each in opened])
        assert [step for step, _ in frames[0]] == [200 + 50 * (k + 1) for k in range(8)]
        for (here, positions), (there, others) in zip(*frames, strict=True):
            assert here == there
            np.testing.assert_array_equal(positions, others)
    again = ReplicaExchangeRun(load(file, [*wanted, f"run.output={tmp_path}/whole"]), overwrite=True)
    again.run(print)
    assert len(list((tmp_path / "whole" / "trajectories_0000").iterdir())) == 3

"""Particles that join a simulation one of whose devices has failed, and was replaced."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Serve

import trellis as tr


@pytest.mark.usefixtures("keys")
@pytest.mark.skipif(tr.info()["network"] == "built without", reason="Trellis was built without a network")
@pytest.mark.parametrize("lost", ["rehearsal:0 takes its place", "its work goes to rehearsal:0.0", "makes its lists"])
def test_particles_join_and_leave_after_a_server_is_killed(serve: Serve, tmp_path: Path, lost: str) -> None:
    server = serve("--unix", str(tmp_path / "socket"))

    def run(device: str) -> np.ndarray:
        among = [device, "rehearsal:0.0"] if "its work" in lost else device
        forces: list[tr.Force] = [tr.Gravity(softening=0.02, device=among)]
        if "lists" in lost:
            forces = [tr.Sph(reuse_steps=2, skin_ratio=0.2, neighbours_device=device)]
        sim = tr.Simulation(tr.ic.evrard(400, seed=1), forces, 0.001, spares=["rehearsal:0", "cpu"])
        newcomers = sim.particles[:20].copy()
        newcomers.id += 10_000
        newcomers.position[:, 0] += 0.01
        sim.run(steps=2)
        server.kill()
        with nullcontext() if device == "cpu" else pytest.warns(RuntimeWarning, match=lost):
            sim.run(steps=4)
        for _ in range(2):
            sim.add(newcomers)
            sim.run(steps=1)
            sim.remove(newcomers.id)
            sim.run(steps=1)
        return np.array(sim.particles.position)

    # lists that the host makes later have the rounding of others
    tolerance = 1e-6 if "lists" in lost else 0
    np.testing.assert_allclose(run(f"unix:{tmp_path / 'socket'}/cpu"), run("cpu"), rtol=0, atol=tolerance)


@pytest.mark.parametrize("spare", ["rehearsal:0", "host"], ids=["a spare", "of the list"])
def test_a_device_that_is_taken_off_stays_off_when_particles_join(spare: str) -> None:
    def run(device: str | list[str], **redundancy: Any) -> np.ndarray:
        forces = [tr.Gravity(softening=0.02)]
        sim = tr.Simulation(tr.ic.plummer(400, seed=3), forces, 0.01, device=device, **redundancy)
        with pytest.warns(RuntimeWarning, match="takes its place|its work goes to") if redundancy else nullcontext():
            sim.run(steps=2)
        newcomers = tr.ic.plummer(10, seed=1)
        newcomers.id += 1000
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sim.add(newcomers)
            sim.run(steps=2)
        return np.array(sim.particles.position)

    named = ["cpu", "rehearsal:0:1", "rehearsal:0.0"] if spare == "host" else ["cpu", "rehearsal:0:1"]
    assert np.array_equal(run(named, redundant=2, spares=[spare]), run("cpu"))

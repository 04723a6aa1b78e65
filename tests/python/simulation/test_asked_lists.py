"""Neighbour lists that a device was asked for a step ahead: case PS-RGN of Nakasato et al. (1997)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Serve

import trellis as tr
from trellis.io import read_checkpoint, write_checkpoint

TIMESTEP = 1e-3


def forces(device: str | None, gravity: str = "host") -> list[tr.Force]:
    far = tr.Gravity(theta=0.6, softening=0.1, method="tree", device=gravity)
    return [tr.Sph(reuse_steps=2, skin_ratio=0.2, neighbours_device=device), far]


def gas(device: str | None, gravity: str = "host") -> tr.Simulation:
    return tr.Simulation(tr.ic.evrard(500, seed=1), forces(device, gravity), TIMESTEP)


def energies(sim: tr.Simulation) -> np.ndarray:
    return np.array(sim.particles.internal_energy)[np.argsort(np.asarray(sim.particles.id))]


def test_a_gas_is_the_same_within_rounding() -> None:
    asked, here = gas("cpu"), gas(None)
    for sim in (asked, here):
        sim.run(steps=6)
    use = asked.list_use[0]
    assert (use["early"], use["reuses"], use["asked"]) == (0, 6, 3)
    assert here.list_use[0]["asked"] == 0
    np.testing.assert_allclose(energies(asked), energies(here), rtol=1e-4)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_resumed_run_has_the_bits_of_the_unbroken_one(tmp_path: Path, steps: int) -> None:
    unbroken = gas("cpu")
    unbroken.run(steps=steps)
    write_checkpoint(tmp_path / "saved.hdf5", unbroken.state())
    unbroken.run(steps=3)
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "saved.hdf5"), forces("cpu"), TIMESTEP)
    resumed.run(steps=3)
    assert np.array_equal(energies(resumed), energies(unbroken))


def test_the_name_host_leaves_lists_to_the_host() -> None:
    sim = gas("host")
    sim.run(steps=3)
    assert sim.list_use[0]["asked"] == 0
    assert tr.Sph().settings["neighbours_device"] is None


def test_a_parameter_file_names_the_device(
    tmp_path: Path, trellis: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = trellis("run", "examples/evrard.toml", "--set", "sph.neighbours_device=nowhere:0", "--set",
                   f"run.output={tmp_path / 'out'}")  # fmt: skip
    assert done.returncode == 2
    assert "nowhere:0" in done.stderr


@pytest.mark.skipif(tr.info()["network"] == "built without", reason="Trellis was built without a network")
@pytest.mark.usefixtures("keys")
def test_a_server_makes_the_lists_until_it_is_killed(serve: Serve, tmp_path: Path) -> None:
    """Gravity and lists are both far away; then gravity goes to a spare, and the host makes the lists: same bits."""
    server = serve("--unix", str(tmp_path / "socket"))
    there = f"unix:{tmp_path / 'socket'}/cpu"
    here, far = (
        gas("cpu", "cpu"),
        tr.Simulation(tr.ic.evrard(500, seed=1), forces(there, there), TIMESTEP, spares=["cpu"]),
    )
    here.run(steps=8)
    far.run(steps=4)
    assert far.list_use[0]["asked"] == 2
    server.kill()
    server.wait()
    with pytest.warns(RuntimeWarning, match="the host makes its lists"):
        far.run(steps=4)
    assert np.array_equal(energies(far), energies(here))

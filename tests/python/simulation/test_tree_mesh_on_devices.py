"""TreePM on devices: the part within the cutoff there, the mesh on the host."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command, Serve

import trellis as tr

FAULTY = "rehearsal:0:1"
TREE = {"method": "treepm", "softening": 0.002, "group_size": 64}


def in_a_box(device: str | list[str], force: object = None, **where: object) -> tuple[np.ndarray, tr.Simulation]:
    """Accelerations of 1500 charged bodies of two types after three steps, by id, and the simulation."""
    random = np.random.default_rng(1)
    particles = tr.ParticleSet.from_columns(position=random.random((1500, 3)), mass=1 / 1500)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    particles.add_field("charge")
    particles.charge[:] = random.uniform(-1, 1, 1500) / 1500
    particles.add_field("type")
    particles.type[:] = 1 + np.arange(1500) % 2
    force = force or tr.Gravity(**TREE)  # type: ignore[arg-type]
    sim = tr.Simulation(particles, [force], 1e-4, device=device, **where)  # type: ignore[arg-type]
    sim.run(steps=3)
    return np.array(particles.acceleration)[np.argsort(particles.id)], sim


def close(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> bool:
    return bool(np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max())


@pytest.mark.parametrize(
    "force",
    [
        tr.Gravity(**TREE),  # type: ignore[arg-type]
        tr.Gravity(**TREE, lists="reuse"),  # type: ignore[arg-type]
        tr.Gravity(**TREE | {"softening": {"halo": 0.001, "disk": 0.002}}),  # type: ignore[arg-type]
        tr.Coulomb(softening=0.002),
    ],
    ids=["one_softening", "reuse", "two_softenings", "charges"],
)
def test_it_is_that_of_the_host(force: object) -> None:
    there, sim = in_a_box("cpu", force)
    here, on_host = in_a_box("host", force)
    assert close(there, here, 2e-5)
    assert sim.interactions == pytest.approx(on_host.interactions, rel=1e-3)  # rounded accelerations choose lists
    assert sim.force_error(200)["rms"] < 1e-3
    assert sim.device_use[0]["kernel_seconds"] > 0
    assert sim.phases["FFT"] > 0


@pytest.mark.usefixtures("opencl")
def test_kernels_for_gpus_do_the_same() -> None:
    there, sim = in_a_box("opencl:0")
    assert close(there, in_a_box("cpu")[0], 1e-5)
    assert sim.force_error(200)["rms"] < 1e-3
    by_copies = tr.Gravity(**TREE, send="particles")  # type: ignore[arg-type]
    np.testing.assert_array_equal(in_a_box("opencl:0", by_copies)[0], there)


def test_devices_share_it_compute_it_twice_and_take_each_others_place() -> None:
    alone = in_a_box("cpu")[0]
    np.testing.assert_array_equal(in_a_box(["cpu", "rehearsal:0"])[0], alone)
    with pytest.warns(RuntimeWarning, match="gave (two results that differ|another result)"):
        pairs = in_a_box(["cpu", FAULTY], redundant=2, spares=["rehearsal:0"])[0]
    np.testing.assert_array_equal(pairs, alone)


def test_a_server_lends_one_with_its_bits(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"), "--device", "cpu")
    for force in (None, tr.Coulomb(softening=0.002)):
        lent = in_a_box(f"unix:{tmp_path / 'socket'}/cpu", force)[0]
        np.testing.assert_array_equal(lent, in_a_box("cpu", force)[0])


def test_individual_steps_have_it() -> None:
    def positions(device: str) -> np.ndarray:
        random = np.random.default_rng(1)
        particles = tr.ParticleSet.from_columns(position=random.random((1500, 3)), mass=1 / 1500)
        particles.position[:750] = 0.5 + 0.02 * (particles.position[:750] - 0.5)
        particles.box = [[0, 0, 0], [1, 1, 1]]
        force = tr.Gravity(**TREE | {"softening": 0.001})  # type: ignore[arg-type]
        sim = tr.Simulation(particles, [force], tr.IndividualSteps(longest=0.01), device=device)
        sim.run(until=0.01)
        assert sim.particles.column("rung").max() >= 2
        return np.array(particles.position)[np.argsort(particles.id)]

    assert np.abs(positions("cpu") - positions("host")).max() < 1e-5


EXPANDING = """
[ic]
model = "cosmology"
particles = 1728
box = 100_000.0
redshift = 20.0
seed = 1

[cosmology]
omega_m = 0.31
omega_b = 0.049
h = 0.677
n_s = 0.967
sigma_8 = 0.81

[gravity]
softening = 160.0
method = "treepm"

[run]
until_redshift = 9.0
snapshot_redshifts = [9.0]
output = "{output}"
device = "{device}"
"""


def test_a_run_in_expanding_space_has_it(tmp_path: Path, trellis: Command) -> None:
    ends = []
    for device in ("host", "cpu"):
        file = tmp_path / f"{device}.toml"
        file.write_text(EXPANDING.format(output=tmp_path / device, device=device))
        done = trellis("run", file)
        assert done.returncode == 0, done.stderr
        ends.append(tr.io.read_snapshot(sorted((tmp_path / device).glob("*.hdf5"))[-1]).particles)
    host, cpu = (np.array(each.position)[np.argsort(each.id)] for each in ends)
    assert np.abs(cpu - host).max() < 1e-5 * 100_000

"""Devices of OpenCL: the kernels for GPUs, run on a processor by the runtime that ``tools/setup.sh ci`` installs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command, Serve

import trellis as tr

DEVICE = "opencl:0"
TREE = {"theta": 0.6, "softening": 0.02, "method": "tree", "order": 1, "group_size": 64}


def accelerations(
    device: str | list[str], *, resident: bool = False, redundant: int = 1, **gravity: object
) -> np.ndarray:
    """Of 2000 bodies after four steps, sorted by identity."""
    forces = [tr.Gravity(**(TREE | gravity))]  # type: ignore[arg-type]
    where = {"device": device, "resident": resident, "redundant": redundant}
    sim = tr.Simulation(tr.ic.plummer(2000, seed=1), forces, 0.01, **where)  # type: ignore[arg-type]
    sim.run(steps=4)
    assert sim.force_error(200)["rms"] < 1e-2
    particles = sim.particles
    return np.array(particles.acceleration)[np.argsort(particles.id)]


def close(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> bool:
    return bool(np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max())


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 1e-5), ("double", 1e-12)])
def test_gravity_is_that_of_the_processor(precision: str, tolerance: float) -> None:
    there = accelerations(DEVICE, precision=precision)
    np.testing.assert_array_equal(accelerations(DEVICE, precision=precision), there)
    np.testing.assert_array_equal(accelerations(DEVICE, precision=precision, send="particles"), there)
    assert close(there, accelerations("cpu", precision=precision), tolerance)
    kept = accelerations(DEVICE, precision=precision, lists="reuse")
    assert close(kept, accelerations("cpu", precision=precision, lists="reuse"), tolerance)


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("accuracy", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("tree", [{"method": "fmm"}, {"method": "tree", "order": 2}], ids=["fmm", "tree"])
def test_expansions_are_those_of_the_host(tree: dict[str, object], accuracy: float) -> None:
    def after_one_step(device: str, **settings: object) -> tuple[np.ndarray, float, int]:
        sizes = {"group_size": 64}  # the lists of the host
        forces = [tr.Gravity(accuracy=accuracy, softening=0.01, **sizes, **tree, **settings)]  # type: ignore[arg-type]
        sim = tr.Simulation(tr.ic.plummer(3000, seed=1), forces, 1e-3, device=device)
        sim.step()
        found = np.array(sim.particles.acceleration)[np.argsort(sim.particles.id)]
        return found, sim.force_error(500)["rms"], sim.interactions

    there, error, interactions = after_one_step(DEVICE)
    assert error <= accuracy
    np.testing.assert_array_equal(after_one_step(DEVICE, send="particles")[0], there)
    here, _, of_host = after_one_step("host")
    assert interactions == of_host
    assert close(there, here, 2e-5)


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("order", [1, 2, 5])
def test_particles_stay_there(order: int) -> None:
    kept = {"resident": True, "lists": "reuse", "method": "fmm" if order > 2 else "tree", "order": order}
    there = accelerations(DEVICE, **kept)  # type: ignore[arg-type]
    np.testing.assert_array_equal(accelerations(DEVICE, **kept), there)  # type: ignore[arg-type]
    assert close(there, accelerations("cpu", **kept), 1e-5)  # type: ignore[arg-type]


@pytest.mark.usefixtures("opencl")
def test_it_shares_a_force_with_another_device() -> None:
    assert close(accelerations([DEVICE, "cpu"]), accelerations("cpu"), 1e-5)


@pytest.mark.usefixtures("opencl")
def test_a_server_lends_it_with_its_bits(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"), "--device", DEVICE)
    lent = f"unix:{tmp_path / 'socket'}/{DEVICE}"
    here = accelerations(DEVICE, lists="reuse")
    np.testing.assert_array_equal(accelerations(lent, lists="reuse"), here)
    np.testing.assert_array_equal(accelerations([DEVICE, lent], redundant=2, lists="reuse"), here)


@pytest.mark.usefixtures("opencl")
def test_it_is_no_pair_with_a_processor() -> None:
    with pytest.raises(ValueError, match=f"cpu \\+ {DEVICE}|{DEVICE} \\+ cpu|{DEVICE}.*cpu|cpu.*{DEVICE}"):
        accelerations([DEVICE, "cpu"], redundant=2)


@pytest.mark.usefixtures("opencl")
def test_atoms_are_those_of_the_host() -> None:
    host, same = tr.ic.lennard_jones(500), tr.ic.lennard_jones(500)
    force = tr.LennardJones(cutoff=2.5, precision="double")
    tr.Simulation(host, [force], 0.005).run(steps=3)
    tr.Simulation(same, [force], 0.005, device=DEVICE).run(steps=3)
    assert close(same.acceleration, host.acceleration, 1e-10)


@pytest.mark.usefixtures("opencl")
def test_too_little_memory_is_one_sentence() -> None:
    gravity = tr.Gravity(**TREE)  # type: ignore[arg-type]
    sim = tr.Simulation(tr.ic.plummer(2000, seed=1), [gravity], 0.01, device=DEVICE, device_memory=1000)
    with pytest.raises(RuntimeError, match=f"device {DEVICE} is out of memory: [0-9]+ bytes asked for"):
        sim.step()


@pytest.mark.usefixtures("opencl")
def test_info_names_its_driver(trellis: Command) -> None:
    said = trellis("info").stdout
    assert f"{DEVICE}: " in said
    assert ", driver " in said


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="there is no device 'opencl:99': on this machine, allowed are cpu"):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity(device="opencl:99")], 0.01)

"""Devices of forces, and lists that serve several steps, as Python sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from conftest import Command

import trellis as tr
from trellis import _core
from trellis.errors import InputError


def accelerations(of_run: str | list[str], **settings: object) -> np.ndarray:
    """Sorted by identity: rows may differ in their order."""
    stars = tr.ic.plummer(2000, seed=1)
    gravity = tr.Gravity(theta=0.6, method="tree", order=1, softening=0.01, **settings)  # type: ignore[arg-type]
    sim = tr.Simulation(stars, [gravity], 0.01, device=of_run)
    sim.run(until=0.03)
    return stars.acceleration[np.argsort(stars.id)]


def test_methods_c1_to_g3_agree() -> None:
    host = accelerations("host")
    indices = accelerations("cpu")
    np.testing.assert_array_equal(accelerations("cpu", send="particles"), indices)
    scale = np.abs(host).max()
    assert np.abs(indices - host).max() < 1e-5 * scale
    assert np.abs(accelerations("cpu", lists="reuse") - host).max() < 1e-2 * scale


@pytest.mark.parametrize("lists", ["rebuild", "reuse"])
def test_several_devices_share_a_force_with_the_bits_of_one(lists: str) -> None:
    alone = accelerations("cpu", lists=lists)
    np.testing.assert_array_equal(accelerations(["cpu", "rehearsal:0"], lists=lists), alone)
    three = ("cpu", "rehearsal:0", "rehearsal:0.0")
    np.testing.assert_array_equal(accelerations("host", device=three, lists=lists), alone)


def test_expansions_are_those_of_the_host() -> None:
    def of_a_step(**settings: object) -> tr.Simulation:
        gravity = tr.Gravity(accuracy=1e-4, method="fmm", softening=0.01, **settings)  # type: ignore[arg-type]
        sim = tr.Simulation(tr.ic.plummer(2000, seed=1), [gravity], 1e-3)
        sim.step()
        return sim

    host, device = of_a_step(), of_a_step(device="cpu")
    assert device.interactions == host.interactions
    assert device.device_use[0]["kernel_seconds"] > 0
    assert device.force_error(500)["rms"] <= 1e-4


def test_auto_is_a_gpu_or_the_host() -> None:
    sim = tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, device="auto")
    if "cuda:0" in _core.devices():
        assert "cuda:0, a GPU" in repr(sim)
    elif "opencl" not in repr(sim):
        assert "host, as there is no GPU" in repr(sim)
    assert tr.Gravity(device="auto").settings["device"] in ("host", "cuda:0", "hip:0", "opencl:0")


def test_devices_of_a_list_are_named() -> None:
    assert tr.Gravity(device=["cpu", "rehearsal:0"]).settings["device"] == ["cpu", "rehearsal:0"]
    assert tr.Gravity(device=["cpu"]).settings["device"] == "cpu"
    shared = tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, device=["cpu", "rehearsal:0"])
    assert "cpu, rehearsal:0" in repr(shared)
    shared.step()
    assert shared.device_use[0]["imbalance"] >= 1
    with pytest.raises(ValueError, match="device is an empty list: allowed are host, or names"):
        tr.Gravity(device=[])
    with pytest.raises(ValueError, match="device names host among others"):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, device=["cpu", "host"])
    with pytest.raises(ValueError, match=r"device is a list \(cpu, rehearsal:0\): particles stay on one device"):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, device=["cpu", "rehearsal:0"], resident=True)


def test_each_force_has_a_device_of_its_own() -> None:
    gas = tr.Simulation(tr.ic.evrard(300, seed=1), [tr.Gravity(softening=0.1, device="cpu"), tr.Sph()], 1e-3)
    gas.run(steps=1)
    assert [use != {} for use in gas.device_use] == [True, False]
    forces = [tr.LennardJones(device="host"), tr.LennardJones()]
    atoms = tr.Simulation(tr.ic.lennard_jones(500), forces, 1e-3, device="cpu")
    atoms.run(steps=1)
    assert [use != {} for use in atoms.device_use] == [False, True]
    with pytest.raises(ValueError, match="there is no device 'cuda:99'"):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity(device="cuda:99")], 0.01)


def test_a_resident_simulation_stays_on_the_device_of_its_gravity() -> None:
    stars = tr.ic.plummer(50, seed=1)
    gravity = tr.Gravity(softening=0.1, device="cpu")
    tr.Simulation(stars, [gravity], 0.01, resident=True).run(steps=1)
    with pytest.raises(ValueError, match="resident is true, but the device is host"):
        tr.Simulation(stars, [tr.Gravity(device="host")], 0.01, device="cpu", resident=True)


def test_memory_of_a_device_that_is_none() -> None:
    with pytest.raises(ValueError, match="device_memory is 0: allowed is 1 or more"):
        tr.Simulation(tr.ic.plummer(5), [tr.Gravity()], 0.01, device="cpu", device_memory=0)


def test_use_is_reported() -> None:
    sim = tr.Simulation(tr.ic.plummer(2000, seed=1), [tr.Gravity(lists="reuse", reuse_steps=5)], 1e-4, device="cpu")
    sim.run(until=1e-3)
    # two before the first step, then at steps 5 and 10
    assert sim.list_use == [{"constructions": 4, "early": 0, "reuses": 8, "prunings": 0, "asked": 0}]
    use = sim.device_use[0]
    assert use["lists_kept"]
    assert use["bytes_up"] > 0
    assert use["kernel_seconds"] > 0
    host = tr.Simulation(tr.ic.plummer(100, seed=1), [tr.Gravity()], 0.01)
    assert host.device_use == [{}]


@pytest.mark.parametrize(
    ("particles", "force", "timestep"),
    [
        (lambda: tr.ic.lennard_jones(500), tr.LennardJones(cutoff=2.5, precision="double"), 0.005),
        (lambda: tr.ic.evrard(500, seed=1), tr.Sph(precision="double"), 1e-3),
    ],
    ids=["atoms", "gas"],
)
def test_forces_of_short_range_take_a_device(
    particles: Callable[[], tr.ParticleSet], force: tr.Force, timestep: float
) -> None:
    host, same = particles(), particles()
    tr.Simulation(host, [force], timestep).run(until=5 * timestep)
    sim = tr.Simulation(same, [force], timestep, device="cpu")
    sim.run(until=5 * timestep)
    assert np.abs(host.acceleration - same.acceleration).max() < 1e-10 * np.abs(host.acceleration).max()
    assert sim.list_use[0]["reuses"] > 0
    assert sim.device_use[0]["lists_kept"]
    assert sim.device_use[0]["kernel_seconds"] > 0


def test_particles_may_stay_on_the_device() -> None:
    gravity = tr.Gravity(theta=0.5, method="tree", order=1, softening=0.05, lists="reuse", reuse_steps=4)
    stars, same = tr.ic.plummer(3000, seed=1), tr.ic.plummer(3000, seed=1)
    resident = tr.Simulation(stars, [gravity], 1 / 128, device="cpu", resident=True)
    resident.run(until=0.125)
    assert resident.particles is stars
    tr.Simulation(same, [gravity], 1 / 128).run(until=0.125)
    assert resident.step_count == 16
    assert resident.list_use[0]["reuses"] > 0
    assert np.abs(stars.position - same.position[np.argsort(same.id)]).max() < 1e-4
    assert resident.interactions > 0
    assert sum(resident.phases.values()) > 0
    assert abs(resident.energies().error) < 1e-3
    assert resident.force_error(500)["rms"] < 1e-2


def test_the_state_before_the_first_step_is_whole() -> None:
    forces, where = [tr.Gravity(lists="reuse", softening=0.05)], {"device": "cpu", "resident": True}
    sim = tr.Simulation(tr.ic.plummer(500, seed=1), forces, 0.01, **where)  # type: ignore[arg-type]
    state = sim.state()
    state = replace(state, particles=state.particles.copy())
    resumed = tr.Simulation.resume(state, forces, 0.01, **where)  # type: ignore[arg-type]
    sim.run(until=0.05)
    expected = sim.particles.position.copy()
    resumed.run(until=0.05)
    np.testing.assert_array_equal(resumed.particles.position, expected)


@pytest.mark.parametrize("count", [0, 2])
def test_particles_that_stay_move_under_one_force(count: int) -> None:
    with pytest.raises(InputError, match=f"the forces are {count}, external fields aside: .* one, gravity or"):
        tr.Simulation(tr.ic.plummer(10, seed=1), [tr.Gravity()] * count, 0.1, device="cpu", resident=True)


def test_memory_may_be_short() -> None:
    stars = tr.ic.plummer(4000, seed=1)
    gravity = tr.Gravity(softening=0.01, method="tree", order=1)
    sim = tr.Simulation(stars, [gravity], 0.01, device="cpu", device_memory=250_000)
    assert sim.force_error(500)["rms"] < 1e-2
    assert sim.device_use[0]["in_blocks"]


def test_groups_are_larger_on_gpus() -> None:
    names = ("cpu", "cuda:0", "hip:0", "ssh://box/opencl:1")
    sizes = {name: tr.Gravity(device=name).settings["group_size"] for name in names}
    assert sizes == {"cpu": 64, "cuda:0": 256, "hip:0": 256, "ssh://box/opencl:1": 256}
    assert tr.Gravity(device="cuda:0", group_size=100).settings["group_size"] == 100


def test_what_forces_keep_for_themselves_is_no_field_of_the_user() -> None:
    stars = tr.ic.plummer(100, seed=1)
    tr.Simulation(stars, [tr.Gravity(lists="reuse")], 0.01)
    assert "_list_position_0" in stars.field_names
    assert "_list" not in repr(stars)
    assert not [name for name in dir(stars) if name.startswith("_list")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lists": "sometimes"}, "lists is 'sometimes': allowed are rebuild, reuse"),
        ({"send": "letters"}, "send is 'letters': allowed are particles, indices"),
        ({"lists": "reuse", "reuse_steps": 0}, "reuse_steps is 0: allowed is 1 or more"),
        ({"opening_growth": -1.0}, "opening_growth is -1: allowed is 0 to 1"),
    ],
)
def test_settings_are_refused_in_a_sentence(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        tr.Gravity(**settings)  # type: ignore[arg-type]


def test_an_unknown_device_is_refused(trellis: Command, parameter_file: str) -> None:
    with pytest.raises(InputError, match="there is no device 'gpu': on this machine, allowed are cpu"):
        tr.Simulation(tr.ic.plummer(10, seed=1), [tr.Gravity()], 0.1, device="gpu")
    result = trellis("run", str(parameter_file), "--set", "run.device=gpu")
    assert result.returncode == 2
    assert "there is no device 'gpu'" in result.stderr


def test_out_of_memory_names_the_device() -> None:
    sim = tr.Simulation(tr.ic.plummer(4000, seed=1), [tr.Gravity()], 0.01, device="cpu", device_memory=1000)
    with pytest.raises(RuntimeError, match="device cpu is out of memory"):
        sim.step()

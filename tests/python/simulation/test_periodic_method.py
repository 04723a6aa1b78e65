"""The method of gravity in a periodic box where none is given: the one that takes least time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import trellis as tr
from trellis import _core

AUTOMATIC = _core.DeviceOptions(device="auto").names
LOW, HIGH = [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]


def near_a_grid(box: list[list[float]]) -> tr.ParticleSet:
    grid = (np.indices((12, 12, 12)).reshape(3, -1).T + 0.5) / 12
    grid += 0.004 * np.sin(2 * np.pi * grid)
    particles = tr.ParticleSet.from_columns(position=grid % 1, mass=1 / 1728)
    particles.box = box
    return particles


def begun(box: list[list[float]], **settings: object) -> tr.Simulation:
    device = settings.pop("device", "host")
    sim = tr.Simulation(near_a_grid(box), [tr.Gravity(softening=0.002, **settings)], 1e-6, device=device)
    sim.step()
    return sim


def test_it_is_a_mesh_and_a_tree_which_take_fewer_interactions() -> None:
    chosen, by_images = begun([LOW, HIGH]), begun([LOW, HIGH], method="fmm")
    assert chosen.forces[0].settings["method"] == "treepm"
    assert by_images.forces[0].settings["method"] == "fmm"
    assert chosen.interactions < by_images.interactions / 2
    assert chosen.force_error(100)["median"] < 1e-3


@pytest.mark.parametrize(
    ("box", "settings", "method"),
    [
        ([LOW, HIGH], {"accuracy": 7e-4}, "treepm"),
        ([LOW, HIGH], {"accuracy": 6e-4}, "fmm"),
        ([LOW, HIGH], {"theta": 0.5}, "treepm"),
        ([LOW, HIGH], {"accuracy": 1e-5}, "fmm"),
        ([LOW, HIGH], {"device": "auto"}, "treepm" if AUTOMATIC == ["host"] else "fmm"),
        ([LOW, HIGH], {"method": "tree"}, "tree"),
        ([LOW, [1.0, 1.0, 2.0]], {}, "treepm"),
        ([[0.0, 0.0, -np.inf], [1.0, 1.0, np.inf]], {}, "fmm"),
        ([[-np.inf] * 3, [np.inf] * 3], {}, "fmm"),
    ],
)
def test_it_is_chosen_by_the_box_and_the_settings(
    box: list[list[float]], settings: dict[str, object], method: str
) -> None:
    assert begun(box, **settings).forces[0].settings["method"] == method


@pytest.mark.parametrize("force", [partial(tr.Gravity, method="treepm"), tr.Coulomb])
def test_a_mesh_with_a_long_softening_is_noted(force: Callable[..., tr.Force]) -> None:
    particles = near_a_grid([LOW, HIGH])
    particles.charge = 1.0
    with pytest.warns(
        UserWarning, match=r"^softening is 0.01, 0.12 of the mean distance of .* cutoff the mesh"
    ) as said:
        tr.Simulation(particles, [force(softening=0.01)], 1e-6)
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(particles, [force(softening=0.008)], 1e-6)


@pytest.mark.parametrize(
    ("own", "of_the_simulation", "method"),
    [("cpu", "host", "fmm"), ("host", "cpu", "treepm"), (["host"], "cpu", "treepm")],
)
def test_the_device_of_the_force_decides(own: object, of_the_simulation: str, method: str) -> None:
    gravity = tr.Gravity(softening=0.002, device=own)
    sim = tr.Simulation(near_a_grid([LOW, HIGH]), [gravity], 1e-6, device=of_the_simulation)
    assert sim.forces[0].settings["method"] == method


def test_softenings_by_type_have_a_mesh_too() -> None:
    particles = near_a_grid([LOW, HIGH])
    particles.add_field("type")
    particles.type = np.where(particles.position[:, 0] < 0.5, 1, 2)
    sim = tr.Simulation(particles, [tr.Gravity(softening={"halo": 0.001, "disk": 0.0024})], 1e-6)
    sim.step()
    assert sim.forces[0].settings["method"] == "treepm"
    assert sim.force_error(100)["median"] < 1e-3


@pytest.mark.filterwarnings("ignore:the particles have a column 'softening'")
@pytest.mark.parametrize("softening", [0.003, {"halo": 0.001, "disk": 0.003}, "particles"])
def test_long_softenings_which_act_beyond_the_cutoff_have_none(softening: object) -> None:
    particles = near_a_grid([LOW, HIGH])
    particles.add_field("type")
    particles.type = 1 + np.arange(1728) % 2
    particles.softening = np.where(np.arange(1728) == 5, 0.003, 0.001)
    sim = tr.Simulation(particles, [tr.Gravity(softening=softening)], 1e-6)
    assert sim.forces[0].settings["method"] == "fmm"


def test_heavy_particles_among_light_ones_have_none() -> None:
    particles = near_a_grid([LOW, HIGH])
    particles.mass[:8] *= 8
    sim = tr.Simulation(particles, [tr.Gravity(softening=0.002)], 1e-6)
    assert sim.forces[0].settings["method"] == "fmm"


@pytest.mark.parametrize("kind", [tr.Gravity, tr.Coulomb])
def test_particles_that_come_within_the_cutoff_act_also_by_kept_lists(kind: type[tr.Gravity | tr.Coulomb]) -> None:
    def largest_error(speed: float) -> tuple[float, tr.Simulation]:
        towards_each_other = tr.ParticleSet.from_columns(
            position=[[0.7, 0.5, 0.5], [0.3, 0.5, 0.5]], velocity=[[speed, 0, 0], [-speed, 0, 0]], mass=1.0, box=1.0
        )  # through the faces of the box
        towards_each_other.charge = [1.0, -1.0]
        sim = tr.Simulation(towards_each_other, [kind(accuracy=1e-2, lists="reuse")], 1e-4)
        errors = []
        for _ in range(8):
            sim.step()
            errors.append(sim.force_error()["rms"])
        return max(errors), sim

    error, fast = largest_error(300.0)
    assert error < 1e-2
    assert fast.list_use[0]["reuses"] < 7
    error, slow = largest_error(3.0)
    assert error < 1e-2
    assert slow.list_use[0]["reuses"] == 8

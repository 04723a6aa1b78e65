"""Fast multipoles of pair potentials in Python on devices, against the host, direct sums, and gravity of C++."""

from __future__ import annotations

from typing import Any

import pytest
from own_interactions import after_a_step, difference, dust
from test_devices import PRECISIONS, graph_device, roundings
from test_expansions import SCREENED

import trellis as tr
from trellis import _core

__all__ = ["graph_device"]  # a fixture

POTENTIALS: list[tuple[str, dict[str, float]]] = [
    (SCREENED, {"e": 0.05, "length": 0.5}),
    ("-log(r)", {}),
    ("1 / sqrt(r)", {}),
]


def screened(source: str = "mass", **settings: Any) -> tr.Force:
    return tr.pair_potential(SCREENED, source=source, e=0.05, length=0.5, **settings)


def both(particles: tr.ParticleSet, device: str, **given: Any) -> tuple[tr.Simulation, tr.Simulation]:
    """Return simulations after a step on a device and on the host, by the same lists."""
    here, there = (after_a_step(particles, screened(**given, group_size=64, device=name)) for name in ("host", device))
    return there, here


@PRECISIONS
@pytest.mark.parametrize(
    ("method", "order"), [("fmm", 2), ("fmm", 3), ("fmm", 4), ("fmm", 5), ("tree", 1), ("tree", 2)]
)
def test_a_device_has_the_lists_and_the_forces_of_the_host(
    graph_device: str, method: str, order: int, precision: str, tolerance: float
) -> None:
    there, here = both(dust(3000), graph_device, source="charge", method=method, order=order, theta=0.6,
                       precision=precision)  # fmt: skip
    assert there.interactions == here.interactions
    for name in ("acceleration", "potential"):
        error = difference(there.particles.column(name), here.particles.column(name))
        assert error <= 4 * tolerance * roundings(graph_device)
    assert there.force_error(200)["rms"] == pytest.approx(here.force_error(200)["rms"], rel=0.01, abs=1e-6)


@pytest.mark.parametrize("accuracy", [1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize(("text", "parameters"), POTENTIALS)
def test_the_accuracy_asked_for(graph_device: str, text: str, parameters: dict[str, float], accuracy: float) -> None:
    force = tr.pair_potential(text, source="mass", accuracy=accuracy, device=graph_device, **parameters)
    sim = tr.Simulation(tr.ic.plummer(5000, seed=4), [force], timestep=1e-9)
    sim.run(steps=2)
    assert sim.force_error(500)["rms"] <= accuracy


def test_expansions_are_the_default_as_on_the_host(graph_device: str) -> None:
    there, here = both(tr.ic.plummer(3000, seed=1), graph_device, accuracy=1e-4)
    assert there.interactions == here.interactions
    assert difference(there.particles.acceleration, here.particles.acceleration) < 2e-6
    assert there.device_use[0]["kernel_seconds"] > 0


def test_gravity_is_that_of_cpp(graph_device: str) -> None:
    stars = tr.ic.plummer(3000, seed=3)
    given: dict[str, Any] = {"accuracy": 1e-4, "group_size": 64, "device": graph_device}
    ours = after_a_step(stars, tr.pair_potential("-1 / sqrt(r**2 + e**2)", source="mass", e=0.01, **given))
    theirs = after_a_step(stars, tr.Gravity(softening=0.01, **given))
    assert difference(ours.particles.acceleration, theirs.particles.acceleration) < 1e-4
    assert ours.force_error(500)["rms"] < 1e-4


def test_two_runs_have_the_same_bits(graph_device: str) -> None:
    found = []
    for threads in (1, 2):
        tr.set_threads(threads)
        sim = tr.Simulation(tr.ic.plummer(2000, seed=1), [screened(device=graph_device)], timestep=0.01)
        sim.run(steps=3)
        found.append(sim.particles.position.copy())
    assert (found[0] == found[1]).all()


def test_reused_lists(graph_device: str) -> None:
    force = screened(lists="reuse", accuracy=1e-4, device=graph_device)
    sim = tr.Simulation(tr.ic.plummer(3000, seed=2), [force], timestep=1e-3)
    sim.run(steps=10)
    assert sim.list_use[0]["reuses"] > 4
    assert sim.force_error(300)["rms"] < 1e-4


@pytest.mark.usefixtures("opencl")
def test_several_devices_share_the_groups() -> None:
    stars = tr.ic.plummer(3000, seed=2)
    there, here = (
        after_a_step(stars, screened(accuracy=1e-4, group_size=64, device=device))
        for device in (["opencl:0", "cpu"], "host")
    )
    assert there.interactions == here.interactions
    assert difference(there.particles.acceleration, here.particles.acceleration) < 2e-6
    assert there.device_use[0]["imbalance"] < 1.5


@pytest.mark.parametrize("given", [{"method": "fmm"}, {"order": 2}])
def test_a_potential_without_derivatives_everywhere_is_refused(graph_device: str, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="but this interaction has no radial derivatives: allowed is"):
        tr.pair_potential(lambda r: abs(r - 1), source="mass", device=graph_device, **given)


@pytest.mark.skipif(not _core.has_cuda_compiler(), reason="no libnvrtc.so")
@pytest.mark.parametrize(("text", "parameters"), POTENTIALS)
def test_texts_are_compiled_for_gpus_of_nvidia(text: str, parameters: dict[str, float]) -> None:
    force = tr.pair_potential(text, source="charge", **parameters)
    _, arguments = force.interaction._program(False, parameters)
    for order in (2, 5):
        for precision in ("single", "double"):
            for kernel in _core.texts_of_far_graph(arguments["far_graph"], order, precision):
                assert _core.compiled_for_cuda(kernel, 9, 0).startswith(b"\x7fELF")

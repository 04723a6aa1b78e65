"""Interactions in Python on GPUs and on the processor as a device, against those of the host and against C++ there."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from own_interactions import after_a_step, difference, dust, gravity, lennard_jones, liquid, melt, yukawa

import trellis as tr
from trellis import _core


@pytest.fixture(params=["opencl:0", "cpu"])
def graph_device(request: pytest.FixtureRequest) -> str:
    """Return a device that makes kernels of graphs."""
    if request.param != "cpu":
        request.getfixturevalue("opencl")
    return str(request.param)


PRECISIONS = pytest.mark.parametrize(("precision", "tolerance"), [("single", 3e-7), ("double", 2e-14)])


def roundings(device: str) -> int:
    """Return how much larger errors of rounding are: the processor rounds products before it adds them."""
    return 2 if device == "cpu" else 1


@PRECISIONS
def test_gravity_is_that_of_cpp(graph_device: str, precision: str, tolerance: float) -> None:
    stars = tr.ic.plummer(3000, seed=2)
    tree: dict[str, Any] = {"theta": 0.6, "group_size": 100, "precision": precision, "device": graph_device}
    ours = after_a_step(stars, gravity(epsilon2=1e-4, **tree))
    theirs = after_a_step(stars, tr.Gravity(softening=0.01, method="tree", order=1, **tree))
    for name in ("acceleration", "potential"):
        error = difference(ours.particles.column(name), theirs.particles.column(name))
        assert error <= tolerance * roundings(graph_device)
    assert ours.interactions == theirs.interactions


@PRECISIONS
def test_lennard_jones_is_that_of_cpp(graph_device: str, precision: str, tolerance: float) -> None:
    atoms = melt()
    given = {"cutoff": 2.5, "skin": 0.5, "precision": precision, "device": graph_device}
    ours, theirs = (after_a_step(atoms, force(**given)) for force in (lennard_jones, tr.LennardJones))
    for name in ("acceleration", "potential", "virial"):
        error = difference(ours.particles.column(name), theirs.particles.column(name))
        assert error <= tolerance * roundings(graph_device)
    assert ours.interactions == theirs.interactions


@tr.interaction(results=["sums", "signs"])
def everything(i: Any, j: Any, out: Any, *, a: float = 0.7, b: float = 1.3) -> None:
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d))
    waves = tr.sin(a * r) * tr.cos(b * r) + tr.exp(-a * r) * tr.log(1 + r) + r**1.3 / (1 + r) ** 3
    waves += tr.erfc(a * r) * tr.tanh(b * r) + tr.erf(r)
    out.sums += i.mass * waves + tr.minimum(r, b) * tr.maximum(r, a) + abs(d.x) * tr.exp(a)
    beyond = (r < a) | ~(d.y <= 0) & (i.mass < j.mass)
    out.signs += tr.where(beyond, 1, -0.5) + tr.where(d.z == 0, 1, 0)


@pytest.mark.filterwarnings("ignore:everything.* is not linear")
@pytest.mark.parametrize("given", [{"theta": 0.5, "group_size": 64}, {"cutoff": 1.0}])
@PRECISIONS
def test_each_operation_is_that_of_the_host(
    graph_device: str, given: dict[str, float], precision: str, tolerance: float
) -> None:
    particles = dust(1000)
    here, there = (
        after_a_step(particles, everything(**given, precision=precision, device=device))
        for device in ("host", graph_device)
    )
    for name in ("sums", "signs"):
        assert difference(there.particles.column(name), here.particles.column(name)) <= 2 * tolerance


def test_a_potential_on_the_device_of_the_simulation(graph_device: str) -> None:
    soft = tr.pair_potential("e * (1 - r)**2", cutoff=1.0, e=50.0)
    sim = tr.Simulation(liquid(8, 2.0), [soft], timestep=0.002, device=graph_device)
    before = sim.energies().total
    sim.run(steps=100)
    assert sim.list_use[0]["reuses"] > 50
    assert abs(sim.energies().total - before) < 1e-3 * abs(before)
    assert sim.force_error(100)["rms"] < 1e-6 * roundings(graph_device)


@pytest.mark.usefixtures("opencl")
def test_two_interactions_of_one_name_are_not_confused() -> None:
    def made(power: int) -> tr.Interaction:
        @tr.interaction
        def attraction(i: Any, j: Any, out: Any) -> None:
            out.acceleration += (
                j.mass
                * (1 + tr.dot(j.position - i.position, j.position - i.position)) ** power
                * (j.position - i.position)
            )

        return attraction

    for power in (-1, -2):
        sim = after_a_step(dust(300), made(power)(theta=0.1, device="opencl:0"))
        assert sim.force_error(50)["rms"] < 1e-3


@pytest.mark.usefixtures("opencl")
def test_particles_with_steps_of_their_own() -> None:
    limit = tr.StepLimit(lambda particles: 0.002 + 0.02 * (particles.position**2).sum(axis=1))
    force = gravity(epsilon2=0.01, theta=0.5, device="opencl:0")
    sim = tr.Simulation(tr.ic.plummer(300, seed=1), [force, limit], tr.IndividualSteps(longest=1 / 16))
    before = sim.energies().total
    sim.run(until=0.25)
    assert abs(sim.energies().total / before - 1) < 1e-3


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("chosen", [{"cutoff": 1.0}, {"theta": 0.5}])
def test_a_spare_that_cannot_take_over_is_refused_at_the_start(chosen: dict[str, float]) -> None:
    def begun(spares: list[str], device: str = "opencl:0") -> tr.Simulation:
        return tr.Simulation(dust(300), [gravity(**chosen)], timestep=0.01, device=device, spares=spares)

    match = (
        "^spares has rehearsal:0, but the interaction gravity is compiled at run time, which device rehearsal:0 cannot"
    )
    with pytest.raises(tr.InputError, match=match):
        begun(["host", "rehearsal:0"])
    begun(["host", "opencl:0", "cpu"]).step()
    begun(["cpu"], "host").step()


def test_the_text_of_a_kernel_is_shown() -> None:
    @tr.interaction(results=["neighbours"])
    def count(i: Any, j: Any, out: Any, *, cutoff: float) -> None:
        out.neighbours += 1

    assert "sums->values[0] += " in count.device_text()


def test_the_graphs_that_are_checked_on_gpus_without_python_are_those_that_are_made() -> None:
    folder = Path(__file__).parents[2] / "gpu"
    writer = runpy.run_path(str(folder / "write_python_gravity.py"))
    assert (folder / "python_gravity.hpp").read_text() == writer["header"]()


@pytest.mark.skipif(not _core.has_cuda_compiler(), reason="no libnvrtc.so")
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("interaction", [gravity, yukawa, lennard_jones, everything])
def test_texts_are_compiled_for_gpus_of_nvidia(interaction: tr.Interaction, short: bool) -> None:
    if interaction is lennard_jones and not short:
        interaction = tr.interaction(strength="mass")(lennard_jones.function)
    _, arguments = interaction._program(short)
    for precision in ("single", "double"):
        text = _core.text_of_graph(arguments["graph"], precision)
        assert _core.compiled_for_cuda(text, 9, 0).startswith(b"\x7fELF")
    with pytest.raises(RuntimeError, match=r"NVRTC: .*error"):
        _core.compiled_for_cuda(f"{text} }}", 9, 0)


def test_the_processor_gives_the_same_bits_for_any_number_of_threads() -> None:
    found = []
    for threads in (1, 2):
        tr.set_threads(threads)
        sim = after_a_step(dust(1000), yukawa(theta=0.5, device="cpu"), lennard_jones(cutoff=0.3, sigma=0.1))
        found.append(sim.particles.acceleration.copy())
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("force", [gravity(theta=0.5), lennard_jones(cutoff=2.0)])
def test_a_device_that_is_not_there_is_refused(force: tr.Force) -> None:
    allowed = r"host, cpu, and GPUs \(cuda:0, hip:0, opencl:0\), also of servers"
    sentence = f"device rehearsal:0 cannot: allowed are {allowed}"
    with pytest.raises(ValueError, match=sentence):
        tr.Simulation(dust(10), [force], timestep=0.1, device="rehearsal:0").run(steps=1)

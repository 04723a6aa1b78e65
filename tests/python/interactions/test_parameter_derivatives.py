"""Derivatives of energies by parameters of interactions, against differences of energies in double precision."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command, is_refused
from own_interactions import after_a_step, difference, dust, gravity, liquid, melt, yukawa

import trellis as tr

LENNARD_JONES = "4*epsilon*((sigma/r)**12 - (sigma/r)**6)"
FINE: dict[str, Any] = {"precision": "double", "cutoff": 2.5}
R = np.sqrt(np.linspace(0.5, 8.0, 400))
TABLE = tr.table(R, 4 * (R**-12 - R**-6))

Make = Callable[[float], tr.Force]


def lennard_jones(truncation: str, **given: Any) -> tr.Force:
    return tr.pair_potential(LENNARD_JONES, truncation=truncation, **FINE, **given)


def in_table(a: float) -> tr.Force:
    return tr.pair_potential(lambda r, a: TABLE(r * (1 + 0.05 * a)) + a * tr.exp(-r), a=a, **FINE)


def in_fields(k: float) -> tr.Force:
    return tr.pair_potential("k**2 * eps * exp(-k * r / eps)", fields=["eps"], mix="geometric", k=k, **FINE)


def energy_and_slope(particles: tr.ParticleSet, make: Make, parameter: str, value: float) -> tuple[float, float]:
    """Return the derivative of an energy by a parameter, and differences of fourth order in its place."""
    sim = tr.Simulation(particles, [], timestep=1.0)
    step = 1e-3 * value
    points = [sim.energy_of(make(value + k * step)) for k in (-2, -1, 1, 2)]
    slope = (points[0] - 8 * points[1] + 8 * points[2] - points[3]) / (12 * step)
    return sim.energy_of(make(value).derivative(parameter)), slope  # type: ignore[attr-defined]


MADE: dict[str, tuple[Make, str, float]] = {
    "in a table": (in_table, "a", 0.4),
    "with a mean of fields": (in_fields, "k", 1.3),
    "by the slope of a switched wall": (
        lambda a: tr.pair_potential(lambda r, a: tr.maximum(a - r, 0) ** 3, a=a, truncation="switched", **FINE),
        "a",
        1.7,
    ),
}


@pytest.fixture(scope="module")
def atoms() -> tr.ParticleSet:
    atoms = melt()
    random = np.random.default_rng(1)
    atoms.add_field("eps", values=random.uniform(0.5, 1.5, len(atoms)))
    atoms.add_field("kind", values=random.integers(0, 3, len(atoms)))
    return atoms


@pytest.mark.parametrize("truncation", ["plain", "energy-shifted", "force-shifted", "switched"])
@pytest.mark.parametrize(("parameter", "value"), [("epsilon", 0.9), ("sigma", 0.95)])
def test_a_cut_off_potential(atoms: tr.ParticleSet, truncation: str, parameter: str, value: float) -> None:
    def make(value: float) -> tr.Force:
        return lennard_jones(truncation, **{"epsilon": 1.0, "sigma": 1.0, parameter: value})

    found, slope = energy_and_slope(atoms, make, parameter, value)
    assert found == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize("name", MADE)
def test_other_potentials(atoms: tr.ParticleSet, name: str) -> None:
    found, slope = energy_and_slope(atoms, *MADE[name])
    assert found == pytest.approx(slope, rel=1e-8)


def test_accelerations_and_virials_are_derivatives_as_well(atoms: tr.ParticleSet) -> None:
    low, high = (after_a_step(atoms, lennard_jones("switched", epsilon=1.0, sigma=s)) for s in (0.9999, 1.0001))
    force: Any = lennard_jones("switched", epsilon=1.0, sigma=1.0)
    found = after_a_step(atoms, force.derivative("sigma"))
    for column in ("acceleration", "potential", "virial"):
        slopes = (high.particles.column(column) - low.particles.column(column)) / 2e-4
        assert difference(found.particles.column(column), slopes) < 1e-5


def test_a_second_derivative_is_the_derivative_of_the_first(atoms: tr.ParticleSet) -> None:
    def make(sigma: float) -> Any:
        force: Any = lennard_jones("force-shifted", epsilon=1.0, sigma=sigma)
        return force.derivative("sigma")

    found, slope = energy_and_slope(atoms, make, "sigma", 1.0)
    assert found == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize("kinds", [(0, 0), (0, 2), (2, 1)])
def test_one_entry_of_a_matrix_by_kinds(atoms: tr.ParticleSet, kinds: tuple[int, int]) -> None:
    eps = np.array([[1.0, 1.5, 0.7], [1.5, 0.5, 0.9], [0.7, 0.9, 1.2]])
    sigma = np.array([[1.0, 0.8, 0.95], [0.8, 0.88, 0.9], [0.95, 0.9, 1.0]])

    def make(value: float) -> Any:
        changed = sigma.copy()
        changed[kinds] = changed[kinds[::-1]] = value
        return lennard_jones("energy-shifted", epsilon=eps, sigma=changed)

    sim = tr.Simulation(atoms, [], timestep=1.0)
    value, step = float(sigma[kinds]), 1e-5
    slope = (sim.energy_of(make(value + step)) - sim.energy_of(make(value - step))) / (2 * step)
    assert sim.energy_of(make(value).derivative("sigma", kinds)) == pytest.approx(slope, rel=1e-7)
    all_entries = sum(sim.energy_of(make(value).derivative("epsilon", (a, b))) * eps[a, b] for a, b in PAIRS)
    assert all_entries == pytest.approx(sim.energy_of(make(value)), rel=1e-12)  # the energy is linear in epsilon
    second = make(value).derivative("sigma", kinds).derivative("sigma", kinds)
    low, high = (sim.energy_of(make(value + k * step).derivative("sigma", kinds)) for k in (-1, 1))
    assert sim.energy_of(second) == pytest.approx((high - low) / (2 * step), rel=1e-6)


PAIRS = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]


def test_other_kinds_and_values_compile_nothing() -> None:
    from trellis.interactions.code import compiled

    def make(a: float) -> Any:
        return tr.pair_potential("exp(-a * r)", cutoff=2.0, a=[[a, 2.0], [2.0, 3.0]])

    make(1.0).derivative("a", (0, 0))
    known = len(compiled._loaded)
    make(1.5).derivative("a", (0, 1))
    assert len(compiled._loaded) == known


def test_an_interaction_with_a_potential() -> None:
    @tr.interaction(check=True, results=["contacts"])
    def spring(i: Any, j: Any, out: Any, *, k: float = 2.0, r0: float = 1.0) -> None:
        d = j.position - i.position
        r = tr.sqrt(tr.dot(d, d))
        out.potential += 0.5 * tr.exp(k) / i.mass * (r - r0) ** 2
        out.acceleration += tr.exp(k) / i.mass * (r - r0) / r * d
        out.contacts += 1

    for parameter in ("k", "r0"):  # one decides the factor of the sum, the other the pairs
        found, slope = energy_and_slope(
            liquid(7), lambda x, name=parameter: spring(cutoff=1.6, precision="double", **{name: x}), parameter, 1.1
        )  # fmt: skip
        assert found == pytest.approx(slope, rel=1e-8)
    found, slope = energy_and_slope(
        liquid(7), lambda r0: spring(cutoff=1.6, precision="double", r0=r0).derivative("k"), "r0", 1.1
    )  # fmt: skip
    assert found == pytest.approx(slope, rel=1e-8)  # d^2 E / dk dr0
    shifted: Any = spring(cutoff=1.6, k=0.5).derivative("k")
    assert repr(shifted) == "spring(cutoff=1.6, k=0.5).derivative('k')"
    assert "contacts" not in str(shifted.interaction)


def test_a_tree_of_superparticles() -> None:
    def make(length: float) -> tr.Force:
        return yukawa(length=length, theta=0.5, precision="double")

    found, slope = energy_and_slope(dust(1000), make, "length", 0.7)
    assert found == pytest.approx(slope, rel=1e-7)


def test_fast_multipoles() -> None:
    def make(length: float, **given: Any) -> tr.Force:
        return tr.pair_potential(
            "-exp(-sqrt(r**2 + 0.01) / length) / sqrt(r**2 + 0.01)", source="mass", length=length, **given
        )

    stars = tr.ic.plummer(2000, seed=1)
    found, slope = energy_and_slope(stars, lambda length: make(length, accuracy=1e-6), "length", 0.7)
    direct, _ = energy_and_slope(stars, lambda length: make(length, method="tree", order=1, theta=1e-3), "length", 0.7)
    assert found == pytest.approx(direct, rel=1e-5)
    assert found == pytest.approx(slope, rel=1e-4)


def test_what_is_left_out_beyond_the_cutoff() -> None:
    def tail(sigma: float) -> float:
        return tr.analysis.potential_tail_energy(lennard_jones("switched", epsilon=1.0, sigma=sigma), 0.8)

    force: Any = lennard_jones("switched", epsilon=1.0, sigma=1.0)
    slope = (tail(1.001) - tail(0.999)) / 2e-3
    assert tr.analysis.potential_tail_energy(force.derivative("sigma"), 0.8) == pytest.approx(slope, rel=1e-4)


@pytest.mark.usefixtures("opencl")
def test_a_gpu_gives_the_same(atoms: tr.ParticleSet) -> None:
    force: Any = lennard_jones("force-shifted", epsilon=1.0, sigma=1.0)
    here, there = (tr.Simulation(atoms, [], timestep=1.0, device=device) for device in ("host", "opencl:0"))
    slope = force.derivative("sigma")
    assert there.energy_of(slope) == pytest.approx(here.energy_of(slope), rel=1e-13)


def test_asking_leaves_a_simulation_as_it_is() -> None:
    def run(*, asked: bool) -> tr.ParticleSet:
        force: Any = tr.pair_potential(LENNARD_JONES, cutoff=2.5, epsilon=1.0, sigma=1.0)
        sim = tr.Simulation(
            liquid(7), [force], timestep=0.004, thermostat=tr.Langevin(temperature=1.0, relaxation_time=0.1, seed=1)
        )
        for _ in range(5):
            sim.run(steps=2)
            if asked:
                before = sim.energies()
                assert sim.energy_of(force.derivative("epsilon")) == pytest.approx(before.potential, rel=1e-6)
                assert sim.energies() == before
        return sim.particles

    assert np.array_equal(run(asked=True).position, run(asked=False).position)


@pytest.mark.parametrize("count", [2, 3])
def test_ranks_give_the_same(count: int, tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import trellis as tr
from own_interactions import liquid
lj = tr.pair_potential({LENNARD_JONES!r}, cutoff=2.5, epsilon=1.0, sigma=1.0, precision="double")
sim = tr.Simulation(liquid(10, share=slice(0, None if tr.rank() == 0 else 0)), [lj], timestep=0.004)
slope = sim.energy_of(lj.derivative("sigma"))
if tr.rank() == 0:
    print(repr(slope))
"""
    )
    ended = mpirun(count, program)
    assert ended.returncode == 0, ended.stderr
    force: Any = lennard_jones("plain", epsilon=1.0, sigma=1.0)
    alone = tr.Simulation(liquid(10), [], timestep=1.0).energy_of(force.derivative("sigma"))
    assert float(ended.stdout) == pytest.approx(alone, rel=1e-12)


def test_it_is_copied_and_shown() -> None:
    force: Any = tr.pair_potential("k * (r - 1)**2", cutoff=1.5, k=[[1.0, 2.0], [2.0, 3.0]]).derivative("k", (0, 1))
    for each in (force, copy.deepcopy(force), pickle.loads(pickle.dumps(force))):
        assert repr(each).endswith("cutoff=1.5).derivative('k', kinds=(0, 1))")


def made(**given: Any) -> Any:
    return lennard_jones("force-shifted", **given)


MATRIX = [[1.0, 2.0], [2.0, 3.0]]
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: made(epsilon=1.0, sigma=1.0).derivative("epsilom"), "has no derivative by 'epsilom': did you mean"),
    (lambda: made(epsilon=1.0, sigma=1.0).derivative("cutoff"), "has no derivative by 'cutoff'"),
    (lambda: made(epsilon=1.0, sigma=1.0).derivative("sigma", (0, 1)), "sigma of pair_potential is no matrix"),
    (lambda: made(epsilon=MATRIX, sigma=1.0).derivative("epsilon"), "kinds is None, but epsilon of pair_potential"),
    (lambda: made(epsilon=MATRIX, sigma=1.0).derivative("epsilon", (0, 2)), "allowed are two kinds, 0 to 1"),
    (lambda: tr.pair_potential("1 / r", cutoff=1.0).derivative("a"), "has no derivative by 'a', as it has none"),
    (lambda: without_potential(k=1.0, cutoff=1.0).derivative("k"), "without_potential has no potential"),
    (lambda: tr.Simulation(dust(10), [], timestep=1.0).energy_of(gravity), "a force is <interaction"),
]  # fmt: skip


@tr.interaction
def without_potential(i: Any, j: Any, out: Any, *, k: float) -> None:
    out.acceleration += k * (j.position - i.position)


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_mistakes_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)

"""Tables of values for each two kinds of particles, against matrices in a formula, and one table for all."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from own_interactions import Array, after_a_step, difference, melt

import trellis as tr

EPS = np.array([[1.0, 1.5, 0.7], [1.5, 0.5, 0.9], [0.7, 0.9, 1.2]])
SIGMA = np.array([[1.0, 0.8, 0.95], [0.8, 0.88, 0.9], [0.95, 0.9, 1.0]])
FORMULA = "4*eps*((sigma/r)**12 - (sigma/r)**6)"


def at(count: int, *, squared: bool = True) -> Array:
    return np.sqrt(np.linspace(0.49, 6.25, count)) if squared else np.linspace(0.7, 2.5, count)


def by_kinds(count: int, *, squared: bool = True) -> Any:
    r = at(count, squared=squared)
    s6 = (SIGMA[:, :, None] / r) ** 6
    return tr.table(r, 4 * EPS[:, :, None] * (s6**2 - s6))


def mixture(kinds: int = 3) -> tr.ParticleSet:
    atoms = melt()
    atoms.add_field("kind", values=np.random.default_rng(3).integers(0, kinds, len(atoms)))
    return atoms


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("truncation", ["plain", "force-shifted", "switched"])
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 5e-6), ("double", 1e-6)])
def test_a_mixture_is_that_of_the_formula(squared: bool, truncation: str, precision: str, tolerance: float) -> None:
    given: Any = {"cutoff": 2.5, "truncation": truncation, "precision": precision}
    table = by_kinds(4000 if squared else 8000, squared=squared)
    sim = after_a_step(mixture(), tr.pair_potential(table, **given))
    exact = after_a_step(mixture(), tr.pair_potential(FORMULA, eps=EPS, sigma=SIGMA, **given)).particles
    for name in ("acceleration", "potential", "virial"):
        assert difference(sim.particles.column(name), exact.column(name)) <= tolerance
    assert sim.force_error(50)["rms"] <= (1e-4 if precision == "single" else 1e-12)


def test_equal_tables_are_one_for_all() -> None:
    values = at(300) ** -6
    ours = tr.pair_potential(tr.table(at(300), np.tile(values, (3, 3, 1))), cutoff=2.5, precision="double")
    theirs = tr.pair_potential(tr.table(at(300), values), cutoff=2.5, precision="double")
    a, b = (after_a_step(mixture(), force).particles for force in (ours, theirs))
    assert difference(a.acceleration, b.acceleration) < 1e-14


def test_numbers_are_those_of_each_table() -> None:
    table = by_kinds(400)
    for a in range(3):
        for b in range(3):
            alone = tr.table(at(400), table.values[a, b])
            assert table(1.234, a, b) == alone(1.234)
            assert np.array_equal(table([0.9, 2.0], a, b), alone([0.9, 2.0]))
    assert np.isnan(table(0.5, 0, 1))


def test_in_an_interaction() -> None:
    table = by_kinds(2000)

    @tr.interaction(check=True)
    def atoms(i: Any, j: Any, out: Any, *, scale: float = 1.0) -> None:
        d = j.position - i.position
        out.potential += scale * table(tr.sqrt(tr.dot(d, d)), i.kind, j.kind) / i.mass
        out.acceleration += 0 * d

    with pytest.raises(ValueError, match="is not minus the gradient"):
        atoms(cutoff=2.4)
    force = tr.interaction(atoms.function)(cutoff=2.4, scale=2.0)
    ours, theirs = (after_a_step(mixture(), each).particles for each in (force, tr.pair_potential(table, cutoff=2.4)))
    assert difference(ours.potential, 2 * theirs.potential) < 1e-6


def test_other_values_compile_nothing() -> None:
    from trellis.interactions.code import compiled

    tr.pair_potential(by_kinds(123), cutoff=2.5)
    known = len(compiled._loaded)
    tr.pair_potential(tr.table(at(123), np.ones((3, 3, 123))), cutoff=2.5)
    assert len(compiled._loaded) == known


@pytest.mark.parametrize("kind", [-1.0, 3.0, 1e9])
def test_a_kind_that_there_is_not_ends_a_simulation_with_a_sentence(kind: float) -> None:
    atoms = mixture()
    atoms.kind[5] = kind
    sim = tr.Simulation(atoms, [tr.pair_potential(by_kinds(100), cutoff=2.5)], timestep=0.001)
    with pytest.raises((ValueError, RuntimeError), match="not finite"):
        sim.run(steps=1)


@pytest.mark.usefixtures("opencl")
def test_a_gpu_gives_the_same() -> None:
    table = by_kinds(300)  # 6 pairs of kinds: 1818 rows
    for precision, tolerance in (("single", 1e-5), ("double", 1e-13)):
        forces = (tr.pair_potential(table, cutoff=2.5, precision=precision, device=d) for d in ("host", "opencl:0"))
        here, there = (after_a_step(mixture(), force).particles for force in forces)
        assert difference(there.acceleration, here.acceleration) < tolerance
    is_refused(
        lambda: after_a_step(mixture(), tr.pair_potential(by_kinds(400), cutoff=2.5, device="opencl:0")),
        "rows of tables: on a device, 2048 are allowed",
    )


def test_forces_are_copied_and_shown() -> None:
    force = tr.pair_potential(by_kinds(50), cutoff=2.5)
    for each in (force, copy.deepcopy(force), pickle.loads(pickle.dumps(force))):
        assert repr(each).startswith(
            "pair_potential(<table of 50 values, uniform in r**2, from 0.7 to 2.5, for each two"
        )


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: tr.table(at(9), np.ones((2, 9))), "have the shape (2, 9): allowed are (n,) and, by kinds"),
    (lambda: tr.table(at(9), np.ones((2, 3, 9))), "have the shape (2, 3, 9)"),
    (lambda: tr.table(at(9), np.ones((2, 2, 8))), "a table has 9 r and 8 values"),
    (lambda: tr.table(at(9), np.arange(36.0).reshape(2, 2, 9)), "differ if the two kinds are exchanged"),
    (lambda: tr.table(at(9000), np.ones((8, 8, 9000))), "9000 values for each of 36 pairs of kinds"),
    (lambda: tr.table(at(9), np.full((2, 2, 9), np.inf)), "values of a table is"),
    (lambda: by_kinds(9)(1.0, 0, 3), "the kinds are 0 and 3: allowed are 0 to 2"),
    (lambda: tr.pair_potential(by_kinds(50), cutoff=2.6), "cutoff of pair_potential is 2.6, but its table ends at 2.5"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_wrong_ones_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)

"""Functions of interactions, in units of the last place against those of the C library."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from own_interactions import Array

import trellis as tr

DTYPES = {"single": np.float32, "double": np.float64}


def evaluated(function: Callable[[Any], Any], x: Array, precision: str) -> Array:
    """Return a function of the second particle of each pair, for many pairs that are far from each other."""

    @tr.interaction(results=["value"])
    def of_partner(i: Any, j: Any, out: Any) -> None:
        out.value += function(j.x)

    positions = np.zeros((2 * len(x), 3))
    positions[:, 0] = 10.0 * (np.arange(2 * len(x)) // 2) + 0.5 * (np.arange(2 * len(x)) % 2)
    pairs = tr.ParticleSet.from_columns(position=positions, mass=np.ones(2 * len(x)))
    pairs.add_field("x", values=np.repeat(x, 2))
    sim = tr.Simulation(pairs, [of_partner(cutoff=1.0, precision=precision)], timestep=1e-12)
    sim.run(steps=1)
    return sim.particles.value[np.argsort(sim.particles.id)][::2]


def units_in_the_last_place(got: Array, exact: Array, precision: str) -> float:
    """Return the largest error over the spacing of numbers of a precision."""
    with np.errstate(over="ignore"):
        spacing = np.spacing(np.abs(exact).astype(DTYPES[precision])).astype(float)
    return float((np.abs(got - exact) / spacing).max())


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], float, float, float]] = {
    "exp": (tr.exp, np.exp, -80.0, 80.0, 1.5),
    "log": (tr.log, np.log, 1e-30, 1e30, 1.5),
    "rsqrt": (tr.rsqrt, lambda x: 1 / np.sqrt(x), 1e-30, 1e30, 2.0),
    "sqrt": (tr.sqrt, np.sqrt, 1e-30, 1e30, 3.0),
    "sin": (tr.sin, np.sin, -0.78, 0.78, 1.0),
    "cos": (tr.cos, np.cos, -0.78, 0.78, 1.5),
    "sin_of_more": (tr.sin, np.sin, -40.0, 40.0, 2.0),
    "tanh": (tr.tanh, np.tanh, 1e-30, 30.0, 2.5),
    "tanh_of_either_sign": (tr.tanh, np.tanh, -5.0, 5.0, 2.5),
    "erf": (tr.erf, np.vectorize(math.erf), 1e-30, 30.0, 2.5),
    "erf_of_either_sign": (tr.erf, np.vectorize(math.erf), -5.0, 5.0, 2.5),
    "erfc": (tr.erfc, np.vectorize(math.erfc), -5.0, 9.0, 12.0),
    "reciprocal": (lambda x: 1 / x, lambda x: 1 / x, 1e-30, 1e30, 1.0),
    "power": (lambda x: x**7, lambda x: x**7, 0.1, 10.0, 5.0),
    "half_power": (lambda x: x**-1.5, lambda x: x**-1.5, 0.1, 10.0, 7.0),
    "any_power": (lambda x: x**0.3, lambda x: x**0.3, 0.1, 10.0, 8.0),
}


@pytest.mark.parametrize("precision", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_a_few_units_in_the_last_place(name: str, precision: str) -> None:
    ours, theirs, low, high, most = FUNCTIONS[name]
    random = np.random.default_rng(1)
    drawn = random.uniform(low, high, 4000) if low < 0 else np.exp(random.uniform(np.log(low), np.log(high), 4000))
    x = drawn.astype(DTYPES[precision]).astype(float)
    exact = np.asarray(theirs(x.astype(np.longdouble)), dtype=float)
    assert units_in_the_last_place(evaluated(ours, x, precision), exact, precision) <= most


@pytest.mark.parametrize("precision", DTYPES)
def test_limits(precision: str) -> None:
    far = 95.0 if precision == "single" else 730.0  # exp(-far) is subnormal
    x = np.array([-far, -2000.0, 0.0])
    got = evaluated(tr.exp, x, precision)
    assert got[0] == pytest.approx(np.exp(-far), rel=1e-3 if precision == "single" else 1e-9)
    assert list(got[1:]) == [0, 1]
    tiny = 1e-40 if precision == "single" else 1e-310
    assert evaluated(tr.log, np.array([tiny]), precision)[0] == pytest.approx(np.log(tiny), rel=1e-5)
    assert list(evaluated(tr.rsqrt, np.zeros(1), precision)) == [0]
    assert list(evaluated(lambda x: tr.where((x > 0) | (x == -1), 2, abs(x)), np.array([1.0, -1, -3]), precision)) == [
        2,
        2,
        3,
    ]
    assert list(evaluated(lambda x: tr.minimum(x, 2) + tr.maximum(x, 3), np.array([1.0, 5]), precision)) == [4, 7]
    assert list(evaluated(lambda x: tr.where(~(x < 0) & (x != 1), 1, 0), np.array([-1.0, 1, 2]), precision)) == [
        0,
        0,
        1,
    ]
    x = np.array([-1e30, -30.0, 0.0, 30.0, 1e30])
    assert list(evaluated(tr.erf, x, precision)) == list(evaluated(tr.tanh, x, precision)) == [-1, -1, 0, 1, 1]
    assert list(evaluated(tr.erfc, x, precision)) == [2, 2, 1, 0, 0]


@pytest.mark.parametrize(("precision", "error"), [("single", 1e-6), ("double", 1e-14)])
def test_a_root_of_squares_and_a_negative_parameter_leaves_it_too(
    precision: Literal["single", "double"], error: float
) -> None:
    @tr.interaction
    def well(i: Any, j: Any, out: Any, *, beside: float = -1.0) -> None:
        d = j.position - i.position
        x = tr.dot(d, d) + beside
        out.potential += j.mass * tr.where(x < 0, 1 / x, tr.sqrt(x))

    for distance, expected in ((0.5, -1 / 0.75), (2.0, math.sqrt(3.0))):
        pair = tr.ParticleSet.from_columns(position=[[0.0, 0, 0], [distance, 0, 0]], mass=[1.0, 1.0])
        sim = tr.Simulation(pair, [well(precision=precision)], timestep=1e-9)
        sim.energies()
        assert sim.particles.column("potential") == pytest.approx(np.full(2, expected), rel=error)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_a_root_in_one_branch_leaves_the_reciprocal_in_another(precision: str) -> None:
    x = np.array([-4.0, -0.5, 0.25, 9.0])
    got = evaluated(lambda x: tr.where(x < 0, 1 / x, tr.sqrt(x)), x, precision)
    assert got == pytest.approx([-0.25, -2.0, 0.5, 3.0], rel=1e-6)
    got = evaluated(lambda x: tr.where(x < 0, 1 / x, x**-1.5), x, precision)
    assert got == pytest.approx([-0.25, -2.0, 8.0, 1 / 27], rel=1e-6)

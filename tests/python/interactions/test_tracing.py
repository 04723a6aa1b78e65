"""Functions of a pair as they are traced, and the sentences for mistakes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from own_interactions import gravity, lennard_jones

import trellis as tr
from trellis.interactions.graphs.graph import needed

Function = Callable[[Any, Any, Any], None]


def test_an_interaction_shows_what_a_pair_takes() -> None:
    assert str(gravity).splitlines() == [
        "gravity(epsilon2):",
        "    t1 = j.position.x - i.position.x",
        "    t2 = j.position.y - i.position.y",
        "    t3 = j.position.z - i.position.z",
        "    t4 = t1**2 + t2**2 + t3**2 + epsilon2",
        "    t5 = j.mass * rsqrt(t4)",
        "    t6 = t5 * (1 / t4)",
        "    potential: (-1) * sum of t5",
        "    acceleration.x: sum of t6 * t1",
        "    acceleration.y: sum of t6 * t2",
        "    acceleration.z: sum of t6 * t3",
    ]
    assert "vfmadd" in gravity.assembly() or "mulps" in gravity.assembly()


def test_forces_are_shown_copied_and_pickled_by_the_call_that_made_them() -> None:
    force = gravity(epsilon2=0.25, theta=0.7)
    for each in (force, copy.deepcopy(force), pickle.loads(pickle.dumps(force))):
        assert repr(each) == "gravity(epsilon2=0.25, theta=0.7)"
        assert each.settings["theta"] == 0.7
        assert each.settings["epsilon2"] == 0.25


def traced_error(function: Function, **given: Any) -> str:
    with pytest.raises(ValueError, match=r".") as error:
        tr.interaction(function, **given) if not given else tr.interaction(**given)(function)
    text = str(error.value)
    assert "\n" not in text
    return text


def an_if(i: Any, j: Any, out: Any) -> None:
    d = j.position - i.position
    if tr.dot(d, d) < 1:
        out.potential += 1


def vector_for_number(i: Any, j: Any, out: Any) -> None:
    out.potential += j.position - i.position


def number_for_vector(i: Any, j: Any, out: Any) -> None:
    out.acceleration += j.mass * i.mass


def exponential_of_vector(i: Any, j: Any, out: Any) -> None:
    out.acceleration += tr.exp(j.position)


def division_by_zero(i: Any, j: Any, out: Any) -> None:
    out.potential += j.mass / 0


def no_result(i: Any, j: Any, out: Any) -> None:
    _ = j.mass + i.mass


def misspelt(i: Any, j: Any, out: Any) -> None:
    out.accelaration += j.position - i.position


def assigned(i: Any, j: Any, out: Any) -> None:
    out.potential = j.mass


def read(i: Any, j: Any, out: Any) -> None:
    out.potential += out.virial * j.mass


def written_field(i: Any, j: Any, out: Any) -> None:
    i.mass = j.mass


def too_large(i: Any, j: Any, out: Any) -> None:
    x = j.mass
    for k in range(1500):
        x = x * i.mass + k * j.mass
    out.potential += x


def two_vectors(i: Any, j: Any, out: Any) -> None:
    out.potential += j.position * i.position


def product_of_two_vectors(i: Any, j: Any, out: Any) -> None:
    d = j.position - i.position
    out.potential += d @ d


def component_by_number(i: Any, j: Any, out: Any) -> None:
    out.potential += (j.position - i.position)[0]


def condition_as_number(i: Any, j: Any, out: Any) -> None:
    out.potential += (j.mass < 1) * 2.0


def unknown_ufunc(i: Any, j: Any, out: Any) -> None:
    out.potential += np.tan(j.mass)


def plain_root(i: Any, j: Any, out: Any) -> None:
    out.potential += float(j.mass)


def sum_and_largest(i: Any, j: Any, out: Any) -> None:
    out.potential += j.mass
    out.potential.raise_to(j.mass)


def returned(i: Any, j: Any, out: Any) -> Any:
    return j.mass


def height_of_i(i: Any, j: Any, out: Any) -> None:
    out.potential += j.mass * i.position.z


def middle_of_a_pair(i: Any, j: Any, out: Any) -> None:
    out.acceleration += 0.5 * (i.position + j.position)


def product_of_positions(i: Any, j: Any, out: Any) -> None:
    out.potential += tr.dot(i.position, j.position)


def array_of_numbers(i: Any, j: Any, out: Any) -> None:
    out.potential += np.ones(3) * j.mass


def norm_of_numpy(i: Any, j: Any, out: Any) -> None:
    out.potential += np.linalg.norm(j.position - i.position)


MISTAKES = {
    an_if: "tr.where",
    vector_for_number: "out.potential takes a vector, but is a number",
    number_for_vector: "out.acceleration takes a number, but is a vector",
    exponential_of_vector: "a vector where a number is wanted",
    division_by_zero: "a division by the constant 0",
    no_result: "writes no result",
    misspelt: "did you mean 'acceleration'?",
    assigned: r"out.potential is assigned to: allowed are += and -=",
    read: "out.virial is read",
    written_field: "i.mass is written",
    too_large: "more than 2000 operations",
    two_vectors: "two vectors are multiplied: write tr.dot or tr.cross",
    product_of_two_vectors: "vectors are multiplied by @: write tr.dot",
    component_by_number: "taken by its number: write v.x, v.y and v.z",
    condition_as_number: "a condition where a number is wanted: write tr.where(condition, 1, 0)",
    unknown_ufunc: "numpy.tan is not known",
    array_of_numbers: "an array of shape (3,) where a number is wanted",
    norm_of_numpy: "numpy.norm is not known: known are",
    plain_root: "used as a number",
    sum_and_largest: "is a sum and a maximum",
    returned: "returns a number",
    height_of_i: "by their difference: allowed is j.position - i.position",
    middle_of_a_pair: "out.acceleration depends on positions otherwise than by their difference",
    product_of_positions: "out.potential depends on positions otherwise than by their difference",
}


@pytest.mark.parametrize("function", MISTAKES)
def test_mistakes_are_said_in_one_sentence_with_the_line(function: Function) -> None:
    text = traced_error(function)
    assert MISTAKES[function] in text
    if function is not too_large:
        first = function.__code__.co_firstlineno
        assert text.startswith(f"{function.__name__}, line ")
        line = int(text.split("line ")[1].split(" ")[0])
        assert first <= line <= first + 6
        assert __file__ in text


def half_a_difference(i: Any, j: Any, out: Any) -> None:
    d = tr.where(j.mass < 1, 0.5 * (i.position + j.position) - i.position, j.position - i.position)
    out.acceleration += j.mass * d


def test_differences_of_positions_may_be_written_in_any_way() -> None:
    assert "acceleration.x: " in str(tr.interaction(half_a_difference))


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="gravity, a force of long range, has no 'epsilon': did you mean 'epsilon2'"):
        gravity(epsilon=1.0)
    with pytest.raises(TypeError, match="has no 'q': known are a, cutoff, exclude, "):
        tr.pair_potential("a * (1 - r / cutoff)", cutoff=1.0, a=1.0, q=1.0)
    with pytest.raises(ValueError, match="epsilon2 of gravity is 'much': allowed is a finite number"):
        gravity(epsilon2="much")
    with pytest.raises(ValueError, match="sigma of lennard_jones is nan"):
        lennard_jones(sigma=float("nan"), cutoff=1.0)
    with pytest.raises(ValueError, match="theta is -1"):
        gravity(theta=-1.0)
    with pytest.raises(ValueError, match="cutoff is 0"):
        lennard_jones(cutoff=0.0)
    with pytest.raises(ValueError, match="allowed is a function of i, j, out"):
        tr.interaction(lambda i, j: None)
    with pytest.raises(ValueError, match="calls a parameter theta, as a setting of forces is called"):

        @tr.interaction
        def named_like_a_setting(i: Any, j: Any, out: Any, *, theta: float = 1.0) -> None:
            out.potential += theta * j.mass


def test_a_tree_keeps_sums_alone_and_needs_a_strength() -> None:
    @tr.interaction(results=["nearest"])
    def nearest(i: Any, j: Any, out: Any) -> None:
        d = j.position - i.position
        out.nearest.lower_to(tr.dot(d, d))

    @tr.interaction
    def of_positions(i: Any, j: Any, out: Any) -> None:
        out.acceleration += j.position - i.position

    with pytest.raises(ValueError, match="keeps the largest or smallest value"):
        nearest()
    with pytest.raises(ValueError, match="reads no number of j"):
        of_positions()


def test_a_field_that_the_particles_lack_is_named() -> None:
    @tr.interaction
    def magnetic(i: Any, j: Any, out: Any) -> None:
        out.acceleration += j.moment * (j.position - i.position)

    with pytest.raises(ValueError, match="moment"):
        tr.Simulation(tr.ic.plummer(10), [magnetic()], timestep=0.1).run(steps=1)


def test_numbers_are_what_they_are_outside_of_interactions() -> None:
    assert tr.sqrt(4.0) == 2
    assert tr.rsqrt(0.0) == 0
    assert tr.maximum(1, 2) == 2
    assert tr.where(True, 1, 2) == 1


def test_roots_are_tested_for_0_only_where_they_may_be_0() -> None:
    ops = {}
    for epsilon2 in (0.0, 1e-50, 1e-4):
        program, _ = gravity._program(False, {"epsilon2": epsilon2})
        ops[epsilon2] = {node.op for node in needed(program.prepared(program.values()))}
    assert "rsqrt" in ops[0.0]
    assert "rsqrt" in ops[1e-50]  # 0 in single precision
    assert "rsqrt" not in ops[1e-4]


def test_particles_at_one_place_exert_no_force_without_a_softening() -> None:
    stars = tr.ParticleSet.from_columns(position=np.zeros((5, 3)), mass=np.ones(5))
    sim = tr.Simulation(stars, [gravity(epsilon2=0.0, theta=0.5)], timestep=1e-3)
    sim.run(steps=1)
    assert (sim.particles.acceleration == 0).all()
    assert (sim.particles.potential == 0).all()


ONES = [1, 1.0, np.float64(1), np.float32(1), np.int64(1), np.array(1.0)]


@pytest.mark.parametrize("one", ONES, ids=lambda one: type(one).__name__)
def test_numbers_of_numpy_stand_on_either_side(one: Any) -> None:
    def written(plain: Any) -> str:
        @tr.interaction
        def forced(i: Any, j: Any, out: Any) -> None:
            d = j.position - i.position
            r = tr.sqrt(tr.dot(d, d) + 3 * plain)
            out.potential += 2 * plain * r + r * (3 * plain) + (4 * plain) / (r - 5 * plain) + (6 * plain) ** r
            out.potential += tr.where(7 * plain < r, 8 * plain - r, plain)
            out.acceleration += (9 * plain) * d + d * (10 * plain) - d / (11 * plain)

        return str(forced)

    assert written(one) == written(1)


def test_functions_of_numpy_are_those_of_the_same_names() -> None:
    def written(of: Any) -> str:
        @tr.interaction
        def forced(i: Any, j: Any, out: Any) -> None:
            d = j.position - i.position
            turned = of.cross(j.velocity - i.velocity, d)
            out.potential += of.where(of.dot(d, d) < 1, of.sqrt(j.mass), of.exp(-j.mass))
            out.acceleration += of.where(of.minimum(j.mass, i.mass) < 1, turned, d)

        return str(forced)

    assert written(np) == written(tr)

"""Results of a particle that a function changes after all pairs, against direct summation."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command, is_refused
from own_interactions import Array, after_a_step, difference, dust, gas, liquid

import trellis as tr

PRECISIONS = pytest.mark.parametrize(("precision", "tolerance"), [("single", 2e-6), ("double", 1e-13)])


def gas_by_sums(atoms: tr.ParticleSet, cutoff: float, index: float) -> dict[str, Array]:
    x, mass, box = atoms.position.copy(), atoms.mass.copy(), np.diff(atoms.box, axis=0)[0]
    d = x[None] - x[:, None]
    d -= box * np.round(d / box)
    r2 = (d**2).sum(axis=2)
    np.fill_diagonal(r2, np.inf)
    w = np.where(r2 < cutoff**2, 1 - r2 / cutoff**2, 0)
    density = (mass * w**2).sum(axis=1) + mass
    acceleration = 3 * ((mass * w)[:, :, None] * d).sum(axis=1) / (mass * density)[:, None]
    nearest = r2.min(axis=1)
    return {
        "density": density,
        "pressure": density**index,
        "acceleration": acceleration,
        "potential": density**index - (acceleration * x).sum(axis=1),
        "nearest": np.where(nearest < cutoff**2, np.sqrt(nearest), 0),
    }


def two_masses(along: int = 8) -> tr.ParticleSet:
    atoms = liquid(along)
    atoms.mass = np.random.default_rng(2).uniform(0.5, 2, len(atoms))
    return atoms


@PRECISIONS
@pytest.mark.parametrize("cutoff", [0.9, 2.0])  # some particles are alone within the first
def test_a_gas_is_the_direct_sum(cutoff: float, precision: str, tolerance: float, device: str) -> None:
    atoms = two_masses()
    exact = gas_by_sums(atoms, cutoff, 1.4)
    sim = after_a_step(atoms, gas(cutoff=cutoff, index=1.4, precision=precision, device=device))
    order = np.argsort(sim.particles.id)
    for name, values in exact.items():
        assert difference(sim.particles.column(name)[order], values) <= 20 * tolerance, name
    assert sim.force_error(50)["rms"] <= 20 * tolerance
    if cutoff < 1:
        assert (exact["nearest"] == 0).any()


def test_another_parameter_compiles_nothing() -> None:
    from trellis.interactions.code import compiled

    gas(cutoff=1.0, index=1.2)
    known = len(compiled._loaded)
    gas(cutoff=1.1, index=1.6)
    assert len(compiled._loaded) == known


def pull(strength: str) -> tr.Interaction:
    @tr.interaction(results=["field"], vectors=["field", "axis"], strength=strength)
    def pull(i: Any, j: Any, out: Any, *, epsilon2: float = 0.01, turn: float = 0.0) -> None:
        d = j.position - i.position
        r = tr.sqrt(tr.dot(d, d) + epsilon2)
        out.field += j.charge / r**3 * d
        out.acceleration += j.mass / r**3 * d
        out.potential -= j.mass / r

    return pull


def with_axes(count: int) -> tr.ParticleSet:
    charges = dust(count)
    charges.add_field("axis", 3, values=np.random.default_rng(4).normal(size=(count, 3)))
    return charges


@PRECISIONS
def test_a_linear_one_over_a_tree(precision: str, tolerance: float, device: str) -> None:
    finished, plain = pull("mass"), pull("mass")

    @finished.finish
    def in_the_field(i: Any, out: Any, *, turn: float) -> None:
        out.acceleration = 2 * out.acceleration + i.charge / i.mass * (out.field + turn * tr.cross(out.field, i.axis))
        out.potential *= tr.where(i.charge > 0, 2, 0)

    given: Any = {"theta": 0.5, "precision": precision, "device": device, "group_size": 64}
    turn: Any = {"turn": 0.7}
    ours, theirs = (after_a_step(with_axes(1000), f(**given, **turn)) for f in (finished, plain))
    a = theirs.particles
    whole = a.field + 0.7 * np.cross(a.field, a.axis)
    expected = 2 * a.acceleration + (a.charge / a.mass)[:, None] * whole
    assert difference(ours.particles.acceleration, expected) <= tolerance
    assert difference(ours.particles.potential, np.where(a.charge > 0, 2 * a.potential, 0)) <= tolerance
    assert difference(ours.particles.field, a.field) <= tolerance
    assert ours.interactions == theirs.interactions
    near = after_a_step(with_axes(300), finished(theta=1e-6, precision=precision, device=device, **turn))
    assert near.force_error(50)["rms"] <= 10 * tolerance


def test_the_factor_of_a_finish_leaves_the_sum_over_a_tree() -> None:
    @tr.interaction
    def gravity(i: Any, j: Any, out: Any, *, G: float = 1.0) -> None:
        d = j.position - i.position
        r = tr.sqrt(tr.dot(d, d) + 1e-4)
        out.acceleration += j.mass / r**3 * d

    before = gravity.device_text()

    @gravity.finish
    def per_mass(i: Any, out: Any, *, G: float) -> None:
        out.acceleration *= G / i.mass

    after = gravity.device_text()
    pairs = "FUNCTION void add_pair"
    assert after[after.index(pairs) : after.index("FUNCTION void finish")].count(" * ") == before[
        before.index(pairs) : before.index("FUNCTION void finish")
    ].count(" * ")
    assert "acceleration.x, after all pairs: t" in str(gravity)


def test_a_force_that_is_no_sum_over_pairs_is_known_as_such() -> None:
    def run(force: tr.Force) -> None:
        limit = tr.StepLimit(lambda particles: np.full(len(particles), 0.01))
        sim = tr.Simulation(tr.ic.plummer(50), [force, limit], tr.IndividualSteps(longest=1 / 16, order=4))
        sim.run(steps=1)

    def density(i: Any, j: Any, out: Any) -> None:
        out.potential += j.mass

    linear, other = tr.interaction(density), tr.interaction(density)

    @linear.finish
    def halved(i: Any, out: Any) -> None:
        out.potential /= 2

    @other.finish
    def rooted(i: Any, out: Any) -> None:
        out.potential = tr.sqrt(out.potential)

    run(linear(cutoff=0.3))
    is_refused(lambda: run(other(cutoff=0.3)), "no sum over pairs")


@pytest.mark.parametrize("count", [2, 3])
def test_ranks_give_the_same(count: int, tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np, trellis as tr
from own_interactions import after_a_step, gas, liquid
sim = after_a_step(liquid(10, share=slice(0, None if tr.rank() == 0 else 0)), gas(cutoff=2.0, precision="double"))
densities = np.concatenate(tr.parallel.gather(sim.particles.density))
if tr.rank() == 0:
    print(repr(float((densities**2).sum())))
"""
    )
    ended = mpirun(count, program)
    assert ended.returncode == 0, ended.stderr
    alone = after_a_step(liquid(10), gas(cutoff=2.0, precision="double")).particles.density
    assert float(ended.stdout) == pytest.approx(float((alone**2).sum()), rel=1e-13)


def test_forces_are_copied_and_shown() -> None:
    force = gas(cutoff=1.5)
    for each in (force, copy.deepcopy(force), pickle.loads(pickle.dumps(force))):
        assert repr(each) == "gas(cutoff=1.5)"
    assert "density, after all pairs: t" in str(gas)
    assert "= out.density + i.mass" in str(gas)


def finished(function: Callable[..., None], **given: Any) -> tr.Interaction:
    def pairs(i: Any, j: Any, out: Any, *, k: float = 1.0) -> None:
        out.density += j.mass
        out.acceleration += j.mass * (j.position - i.position)

    return tr.interaction(results=["density", "other"], **given)(pairs).finish(function)


def vector_for_a_number(i: Any, out: Any) -> None:
    out.density = out.acceleration


def number_for_a_vector(i: Any, out: Any) -> None:
    out.acceleration = out.density


def unknown(i: Any, out: Any) -> None:
    out.dencity += 1


def unwritten(i: Any, out: Any) -> None:
    out.other += 1


def of_nothing(i: Any, out: Any) -> None:
    return


def of_a_pair(i: Any, j: Any, out: Any) -> None:
    out.density += 1


def of_another_parameter(i: Any, out: Any, *, cutoff: float) -> None:
    out.density += 1


def with_an_if(i: Any, out: Any) -> None:
    if out.density > 1:
        out.density = 1


def at_a_place(i: Any, out: Any) -> None:
    out.density *= tr.dot(i.position, i.position)


def own_share(i: Any, out: Any) -> None:
    out.density += i.mass


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: finished(vector_for_a_number), "out.density takes a vector, but is a number"),
    (lambda: finished(number_for_a_vector), "out.acceleration takes a number, but is a vector"),
    (lambda: finished(unknown), "out.dencity is not known: did you mean 'density'?"),
    (lambda: finished(unwritten), "out.other is read, but no pair writes it"),
    (lambda: finished(of_nothing), "writes no result: write out.density += ..."),
    (lambda: finished(of_a_pair), "finish of pairs is of_a_pair(i: 'Any', j: 'Any', out: 'Any') -> 'None': allowed is"),
    (lambda: finished(of_another_parameter), "allowed is a function of i, out and, behind *, of parameters of the"),
    (lambda: finished(with_an_if), "finish of pairs, line "),
    (lambda: finished(own_share).finish(own_share), "pairs has a finish already"),
    (lambda: finished(own_share)(theta=0.5), "finish of pairs is not linear in the results, but a tree finishes parts"),
    (lambda: finished(at_a_place)(theta=0.5), "finish of pairs reads i.position, which a tree knows relative to"),
    (lambda: gas(cutoff=1.0).derivative("index"), "gas has a finish: allowed is a derivative of one without"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_mistakes_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)

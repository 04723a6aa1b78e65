"""Forces from pair potentials: accelerations are derivatives, and cutoffs those of the library's Lennard-Jones."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from own_interactions import after_a_step, difference, dust, liquid, melt, yukawa

import trellis as tr

LENNARD_JONES = "4*epsilon*((sigma/r)**12 - (sigma/r)**6)"
POTENTIALS: dict[str, tuple[Any, dict[str, float]]] = {
    "Coulomb": ("1 / r", {}),
    "Yukawa": ("exp(-r / length) / r", {"length": 0.7}),
    "Lennard-Jones": (LENNARD_JONES, {"epsilon": 1.2, "sigma": 0.9}),
    "Morse": ("depth * (1 - exp(-a * (r - r0)))**2", {"depth": 2.0, "a": 1.5, "r0": 1.1}),
    "Buckingham": ("a * exp(-b * r) - c / r**6", {"a": 100.0, "b": 4.0, "c": 1.5}),
    "Gaussian": ("exp(-(r / w)**2)", {"w": 0.8}),
    "Plummer": ("-1 / sqrt(r**2 + e**2)", {"e": 0.3}),
    "cubic": ("r**-3", {}),
    "logarithm": ("-log(r)", {}),
    "half power": ("r**-2.5 + r**1.7", {}),
    "screened by a Gaussian": ("erfc(a * r) / r - erf(r / w) * tanh(r)", {"a": 0.8, "w": 1.4}),
    "piecewise": (lambda r, edge: tr.where(r < edge, (r - edge) ** 2, 0) + abs(r - 1) ** 3, {"edge": 1.3}),
}


def two_at(distance: float) -> tr.ParticleSet:
    """Return two particles of different masses."""
    direction = np.array([1.0, 2.0, -2.0]) / 3
    return tr.ParticleSet.from_columns(position=[[0, 0, 0], distance * direction], mass=[1.0, 2.5])


@pytest.mark.parametrize("truncation", ["plain", "energy-shifted", "force-shifted", "switched"])
@pytest.mark.parametrize("name", POTENTIALS)
def test_the_force_is_the_derivative(name: str, truncation: str) -> None:
    potential, parameters = POTENTIALS[name]
    force = tr.pair_potential(potential, cutoff=2.0, truncation=truncation, precision="double", **parameters)

    def at(distance: float) -> tr.ParticleSet:
        moved = after_a_step(two_at(distance), force).particles
        assert np.abs((moved.mass[:, None] * moved.acceleration).sum(axis=0)).max() < 1e-9
        return moved

    for distance in (0.6, 1.07, 1.5, 1.93):
        step = 1e-4
        points = [at(distance + k * step) for k in (-2, -1, 1, 2)]
        energies = [float(each.potential[0] * each.mass[0]) for each in points]
        slope = (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / (12 * step)
        here = at(distance)
        pull = here.acceleration[0] @ (here.position[1] - here.position[0]) / distance * here.mass[0]
        assert pull == pytest.approx(slope, rel=1e-7, abs=1e-7)
        assert here.virial[0] == pytest.approx(-slope * distance, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("truncation", ["plain", "energy-shifted", "force-shifted", "switched"])
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 4e-7), ("double", 1e-13)])
def test_cutoffs_are_those_of_lennard_jones(truncation: str, precision: str, tolerance: float) -> None:
    atoms = melt()
    given = {"epsilon": 1.0, "sigma": 1.0, "cutoff": 2.5, "truncation": truncation, "precision": precision, "skin": 0.5}
    ours = after_a_step(atoms, tr.pair_potential(LENNARD_JONES, **given))
    theirs = after_a_step(atoms, tr.LennardJones(**given))
    for column in ("acceleration", "potential", "virial"):
        assert difference(ours.particles.column(column), theirs.particles.column(column)) <= tolerance
    assert ours.interactions == theirs.interactions


@pytest.mark.parametrize("mix", ["lorentz-berthelot", "geometric"])
def test_fields_are_mixed_by_the_rules_of_lennard_jones(mix: str) -> None:
    atoms = melt()
    kinds = {"small": (1.0, 1.0), "large": (0.6, 0.8)}
    which = np.arange(len(atoms)) % 2
    atoms.kind = which
    atoms.add_field("epsilon", values=np.array([1.0, 0.6])[which])
    atoms.add_field("sigma", values=np.array([1.0, 0.8])[which])
    ours = tr.pair_potential(LENNARD_JONES, cutoff=2.5, fields=["epsilon", "sigma"], mix=mix, precision="double")
    theirs = tr.LennardJones(kinds=kinds, mixing=mix, cutoff=2.5, precision="double")
    a, b = (after_a_step(atoms, force).particles for force in (ours, theirs))
    assert difference(a.acceleration, b.acceleration) < 1e-12


def test_a_source_acts_over_a_tree_as_an_interaction_by_hand_does() -> None:
    force = tr.pair_potential(
        lambda r, length: tr.exp(-tr.sqrt(r**2 + 1e-4) / length) / tr.sqrt(r**2 + 1e-4),
        source="charge", length=0.5, theta=0.5, method="tree",
    )  # fmt: skip
    ours, theirs = (after_a_step(dust(1000), each) for each in (force, yukawa(length=0.5, theta=0.5)))
    assert difference(ours.particles.acceleration, theirs.particles.acceleration) < 1e-6
    assert ours.interactions == theirs.interactions


def test_energy_is_kept() -> None:
    bond = tr.pair_potential("exp(-3 * r)", cutoff=2.0, truncation="switched")
    sim = tr.Simulation(liquid(7, 1.0), [bond], timestep=0.01)
    sim.run(steps=5)
    before = sim.energies().total
    sim.run(steps=200)
    assert abs(sim.energies().total / before - 1) < 1e-4


@pytest.mark.parametrize("constant", ["3", lambda _r: 3.0])
def test_a_constant_has_no_force(constant: Any) -> None:
    particles = two_at(0.8)
    sim = tr.Simulation(particles, [tr.pair_potential(constant, cutoff=1.0)], timestep=0.1)
    assert sim.energies().potential == pytest.approx(3.0, rel=1e-6)
    assert (particles.acceleration == 0).all()


def test_text_knows_pi() -> None:
    text = tr.pair_potential("a * (1 + cos(pi * r / cutoff))", cutoff=1.3, a=2.0)
    function = tr.pair_potential(lambda r, a, cutoff: a * (1 + tr.cos(math.pi * r / cutoff)), cutoff=1.3, a=2.0)
    bonds = tr.bond_potential("1 + cos(pi * r)", pairs=[[0, 1]])
    ours, theirs = (after_a_step(two_at(0.8), each).particles for each in (text, function))
    assert (ours.acceleration == theirs.acceleration).all()
    assert (ours.potential == theirs.potential).all()
    energy = tr.Simulation(two_at(0.8), [bonds], timestep=0.1).energies().potential
    assert energy == pytest.approx(1 + math.cos(0.8 * math.pi), rel=1e-12)


def test_it_is_copied_and_shown() -> None:
    force = tr.pair_potential("k * (r - 1)**2", cutoff=1.5, k=3.0)
    for each in (force, copy.deepcopy(force), pickle.loads(pickle.dumps(force))):
        assert repr(each) == "pair_potential('k * (r - 1)**2', truncation='plain', cutoff=1.5, k=3.0)"
        assert each.settings["k"] == 3.0


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    ("r +", {"cutoff": 1.0}, "is no expression"),
    ("tan(r)", {"cutoff": 1.0}, "calls tan"),
    ("r.real", {"cutoff": 1.0}, "has 'r.real': allowed are numbers, names"),
    ("__import__('os')", {"cutoff": 1.0}, "calls __import__"),
    (7, {"cutoff": 1.0}, "the potential is 7: allowed is an expression or a function of r"),
    ("1 / r", {}, "without a cutoff acts by whole cells"),
    ("e / r", {"cutoff": 1.0, "fields": ["e"]}, "mix is ''"),
    ("1 / r", {"cutoff": 1.0, "mix": "geometric"}, "mix is 'geometric', but there are no fields"),
    ("1 / r", {"cutoff": 1.0, "mix": []}, "mix is []"),
    ("e / r", {"cutoff": 1.0, "fields": "e"}, "fields is 'e': allowed are names of fields"),
    ("e / r", {"cutoff": 1.0, "fields": None}, "fields is None: allowed are names of fields"),
    (lambda r: math.nan * r, {"cutoff": 1.0}, "nan where a number is wanted"),
    (lambda _r: None, {"cutoff": 1.0}, "the potential is a function that returns None: allowed is a number by r"),
    ("e / r", {"cutoff": 1.0, "fields": ["e"], "mix": "lorentz-berthelot"}, "there are 1 fields: allowed are two"),
    ("1 / r", {"cutoff": 1.0, "truncation": "smooth"}, "truncation is 'smooth': allowed are plain"),
    ("1 / r", {"cutoff": 1.0, "source": 1.0}, "source is 1.0: allowed is the name of a field"),
    ("1 / r", {"cutoff": 1.0, "switch_distance": 0.5}, "allowed with truncation switched"),
    ("1 / r", {"cutoff": 1.0, "truncation": "switched", "switch_distance": 1.5}, "below the cutoff, 1"),
    ("1 / r", {"cutoff": 1.0, "truncation": "switched", "switch_distance": 1.0}, "below the cutoff, 1"),
    ("1 / r", {"cutoff": 1.0, "truncation": "switched", "switch_distance": -0.5}, "at least 0"),
    ("1 / r", {"cutoff": "1", "truncation": "switched"}, "cutoff of pair_potential is '1'"),
    ("1 / (r * 0)", {"cutoff": 1.0}, "a division by the constant 0"),
    ("r / (1 - 1)", {"cutoff": 1.0}, "a division by the constant 0"),
    ("r * 2 / 0 * 1", {"cutoff": 1.0}, "a division by the constant 0"),
    ("r * (1 / 0)", {"cutoff": 1.0}, "cannot be computed"),
    ("1e400 * r", {"cutoff": 1.0}, "the potential '1e400 * r' has an infinite number: allowed are finite ones"),
    (lambda r: math.inf * r, {"cutoff": 1.0}, "the potential <lambda> has an infinite number"),
    ("1 / (r - cutoff)", {"cutoff": 2.0}, "is not finite at its cutoff, 2: allowed is a shorter one"),
    ("-log(1 - (r / most)**2)", {"cutoff": 2.0, "most": 2}, "is not finite at its cutoff, 2: allowed is a shorter one"),
    ("sqrt(r - 3)", {"cutoff": 2.0}, "is not finite at its cutoff, 2: allowed is a shorter one"),
]


@pytest.mark.parametrize(("potential", "given", "said"), WRONG)
def test_wrong_ones_are_said_in_one_sentence(potential: Any, given: dict[str, Any], said: str) -> None:
    is_refused(lambda: tr.pair_potential(potential, **given), said)


@pytest.mark.parametrize(
    ("potential", "given"),
    [("exp(1 / (r - cutoff))", {}), ("(cutoff - r)**p", {"p": 2}), ("-log(1 - (r / most)**2)", {"most": 2.1})],
)
def test_those_that_are_finite_up_to_their_cutoff_are_allowed(potential: str, given: dict[str, float]) -> None:
    """The first is 0 there, as that of Stillinger & Weber, though its exponent is not finite."""
    assert tr.pair_potential(potential, cutoff=2.0, **given).settings["cutoff"] == 2.0


def test_a_parameter_without_a_value_is_named() -> None:
    with pytest.raises(TypeError, match="pair_potential is not given k, which has no default"):
        tr.pair_potential("k * r", cutoff=1.0)


def by_hand(factor: float) -> tr.Interaction:
    @tr.interaction(check=True)
    def spring(i: Any, j: Any, out: Any, *, k: float = 2.0) -> None:
        d = j.position - i.position
        r = tr.sqrt(tr.dot(d, d))
        out.potential += 0.5 * k / i.mass * (r - 1) ** 2
        out.acceleration += factor * k / i.mass * (r - 1) / r * d

    return spring


def test_a_force_that_is_not_the_gradient_of_its_potential_is_found() -> None:
    assert by_hand(1.0)(cutoff=2.0).settings["k"] == 2.0
    with pytest.raises(ValueError, match=r"spring: the acceleration is not minus the gradient .* of i at \(0, 0, 0\)"):
        by_hand(1.001)(cutoff=2.0)

    @tr.interaction(check=True)
    def without_potential(i: Any, j: Any, out: Any) -> None:
        out.acceleration += j.mass * (j.position - i.position)

    with pytest.raises(ValueError, match="has no acceleration and potential that can be compared"):
        without_potential()


@pytest.mark.parametrize("truncation", ["plain", "energy-shifted", "force-shifted", "switched"])
@pytest.mark.parametrize("potential", ["a * exp(-r / cutoff)", lambda r, a, cutoff: a * tr.exp(-r / cutoff)])
def test_a_potential_may_name_its_cutoff(potential: Any, truncation: str) -> None:
    given: dict[str, Any] = {"cutoff": 1.5, "a": 2.0, "truncation": truncation, "precision": "double"}
    named = tr.pair_potential(potential, **given)
    wanted = after_a_step(liquid(4), tr.pair_potential("a * exp(-r / end)", end=1.5, **given))
    again = pickle.loads(pickle.dumps(named)) if isinstance(potential, str) else copy.copy(named)
    for force in (named, again):
        found = after_a_step(liquid(4), force)
        assert np.abs(found.particles.acceleration - wanted.particles.acceleration).max() < 1e-12
        assert found.energies().potential == pytest.approx(wanted.energies().potential, rel=1e-12)
        assert found.energy_of(force.derivative("a")) == pytest.approx(found.energies().potential / 2, rel=1e-12)
    of_systems = tr.Ensemble([liquid(4)], named, timestep=1e-6).advance(1)
    assert of_systems.potential[0] == pytest.approx(wanted.energies().potential, rel=1e-5)
    is_refused(lambda: named.derivative("cutoff"), "has no derivative by 'cutoff': known are a")


def test_a_mistake_in_a_function_is_named_with_its_own_line() -> None:
    def piecewise(r: Any) -> Any:
        twice = 2 * r
        return twice if r < 1 else 0 * r

    line = piecewise.__code__.co_firstlineno + 2
    with pytest.raises(tr.InputError, match=rf"^pair_potential, line {line} of .*test_potential\.py: an if, and, or"):
        tr.pair_potential(piecewise, cutoff=2.5)

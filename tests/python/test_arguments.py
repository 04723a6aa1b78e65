"""Wrong arguments of public calls: one sentence that names them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trellis
from trellis.errors import InputError

tr: Any = trellis  # arguments here are of wrong types
X = np.random.default_rng(1).random((10, 3))
MADE = "such as ParticleSet.from_columns(position=..., mass=...)"


def stars() -> Any:
    return tr.ParticleSet.from_columns(position=X, mass=1.0)


def simulation(**arguments: Any) -> Any:
    return tr.Simulation(stars(), [tr.Gravity()], **{"timestep": 0.1, **arguments})


def ensemble(**arguments: Any) -> Any:
    bath = tr.Langevin(temperature=1.0, relaxation_time=1.0)
    return tr.Ensemble([stars()] * 2, tr.Gravity(softening=0.1), **{"timestep": 0.1, "thermostat": bath, **arguments})


Call = Callable[[], object]
SENTENCES: list[tuple[Call, str]] = [
    (lambda: tr.ParticleSet(X), "size is an array of shape (10, 3), but must be a whole number: from_columns("),
    (lambda: tr.ParticleSet(True), "size is True, but must be a whole number: from_columns("),
    (lambda: tr.ParticleSet(-1), "size is -1, but must be a whole number: from_columns("),
    (lambda: tr.ParticleSet(2.0), "size is 2.0, but must be a whole number: from_columns("),
    (lambda: tr.ParticleSet(), "ParticleSet is not given size"),
    (
        lambda: tr.ParticleSet.from_columns(X, 0.5),
        "ParticleSet.from_columns takes position, mass, velocity and units by name, such as from_columns(position=...,"
        " mass=0.5)",
    ),
    (lambda: tr.ParticleSet.from_columns(position=X), "ParticleSet.from_columns is not given mass"),
    (lambda: tr.ParticleSet.from_columns(position=X, box=5.0), "ParticleSet.from_columns is not given mass"),
    (lambda: stars().add_field(3), "name is 3, but must be a text"),
    (lambda: stars().column(3), "a field is 3, but must be a text: its name"),
    (lambda: stars().replace_rows(stars().mass > 0), "kept is an array of shape (10,), but must be numbers of rows"),
    (lambda: stars().add_field("q", vals=1), "ParticleSet.add_field has no argument 'vals': did you mean 'values'?"),
    (lambda: tr.Gravity(0.1), "Gravity takes parameters by name alone: known are G, softening, "),
    (lambda: tr.Langevin(1.0), "Langevin takes parameters by name alone: known are temperature, "),
    (lambda: tr.Gravity(softening=True), "softening is True: allowed is a number, a dict of numbers or 'particles'"),
    (lambda: tr.Gravity(G=quantity(3.0)), "G is 3.0 kpc: allowed is a number in the units of the particles"),
    (lambda: tr.Gravity(softening=quantity(3.0)), "softening is 3.0 kpc: allowed is a number in the units of"),
    (lambda: tr.Gravity(method="treee"), "method is 'treee'"),
    (lambda: tr.Gravity(order=1.5), "order is 1.5: allowed is a whole number"),
    (lambda: tr.Barostat(pressure=-1.0), "pressure is -1: allowed is 0 or more"),
    (
        lambda: tr.Simulation(X, [tr.Gravity()], 0.1),
        f"particles is an array of shape (10, 3), but must be a ParticleSet, {MADE}",
    ),
    (
        lambda: tr.Simulation(stars()[:3], [], 0.1),
        "the particles are a selection of 3, but must be a set of their own: give its copy()",
    ),
    (
        lambda: tr.Simulation(stars(), tr.Gravity(), 0.1),
        "forces is Gravity(), but must be a list of forces, such as [Gravity()]",
    ),
    (lambda: simulation(timestep="0.1"), "timestep is '0.1', but must be a number"),
    (lambda: simulation(timestep=True), "timestep is True, but must be a number"),
    (
        lambda: simulation(timestep=quantity(3.0)),
        "timestep is 3.0 kpc, but must be a number in the units of the particles",
    ),
    (lambda: simulation(time_step=0.1), "Simulation has no argument 'time_step': did you mean 'timestep'?"),
    (lambda: simulation(barostat=1), "barostat is 1, but must be a barostat, such as Barostat(pressure=1.0)"),
    (
        lambda: simulation(thermostat="langevin"),
        "thermostat is 'langevin', but must be a thermostat, such as Langevin(temperature=1.0, relaxation_time=1.0)",
    ),
    (
        lambda: simulation().run(1.0),
        "Simulation.run takes until, steps, exact, progress, callbacks and stops by name, such as run(until=1.0)",
    ),
    (
        lambda: simulation().run(steps=1, callbacks=[print]),
        "a callback is the function print, but callbacks are pairs of a number of steps and a function, such as"
        " callbacks=[(10, f)]",
    ),
    (lambda: simulation().run(steps=1, callbacks=print), "callbacks is the function print, but callbacks are pairs of"),
    (lambda: simulation().run(steps=1, callbacks=[(print, 1)]), "a callback is (the function print, 1), but callbacks"),
    (lambda: simulation().run(until="abc"), "until is 'abc', but must be a number"),
    (lambda: simulation().add(X), f"particles is an array of shape (10, 3), but must be a ParticleSet, {MADE}"),
    (lambda: tr.neighbours(X, 0.1), f"particles is an array of shape (10, 3), but must be a ParticleSet, {MADE}"),
    (
        lambda: tr.neighbours(simulation(), 0.1),
        "particles is a Simulation, but must be a ParticleSet: give its particles",
    ),
    (lambda: tr.neighbours(stars(), "all"), "radius is given 'all', but must be numbers"),
    (lambda: tr.nearest(stars(), 2.5), "count is 2.5, but must be a whole number, from 1 on"),
    (lambda: tr.nearest(stars(), np.inf), "count is inf, but must be a whole number, from 1 on"),
    (lambda: tr.nearest(stars(), np.nan), "count is nan, but must be a whole number, from 1 on"),
    (lambda: simulation().force_error(-1), "count is -1, but must be a whole number, from 0 on and below 2^63"),
    (lambda: simulation().force_error(seed=-1), "seed is -1, but must be a whole number, from 0 on and below 2^63"),
    (lambda: ensemble().advance(-1), "steps is -1: allowed is 1 or more, a whole number"),
    (lambda: ensemble().advance(2.5), "steps is 2.5: allowed is 1 or more, a whole number"),
    (lambda: ensemble(timestep="a"), "timestep is given 'a', but must be numbers"),
    (lambda: ensemble(container=1.0), "container has the shape (): allowed are radius and stiffness"),
    (lambda: ensemble(barostat=1.0), "barostat is 1.0, but must be a barostat, such as Barostat(pressure=1.0)"),
    (
        lambda: ensemble(barostat=tr.Barostat(pressure=1.0), pressure=[-1.0, 1.0]),
        "pressure is -1, but must be at least 0",
    ),
    (lambda: tr.Ensemble(stars(), None, timestep=0.1), "systems is a ParticleSet, but must be a list of particle sets"),
    (lambda: tr.Ensemble([X], None, timestep=0.1), "a system is an array of shape (10, 3), but must be a ParticleSet"),
    (lambda: tr.ReplicaExchange(ensemble(), [1.0]), "there is one state, which has none to exchange with"),
    (lambda: tr.ReplicaExchange(stars(), [1.0, 2.0]), "ensemble is a ParticleSet, but must be an Ensemble"),
    (lambda: tr.ic.plummer(10, 1), "plummer takes seed and cut_radius by name, such as plummer(seed=1)"),
    (lambda: tr.units.Units(-1, 1, 1), "length_in_cm is -1, but must be a number above 0"),
    (
        lambda: tr.units.Units(1, quantity(1.0), 1),
        "mass_in_g is 1.0 kpc, but must be a number above 0, such as that of",
    ),
    (lambda: tr.units.Units(1, 1, float("nan")), "velocity_in_cm_per_s is nan, but must be a number above 0"),
    (
        lambda: tr.accelerations(X, 1.0, 0.1),
        "accelerations takes softening, at, box and return_potential by name, such",
    ),
    (
        lambda: tr.plot.density(X),
        "source is an array of shape (10, 3), but must be a ParticleSet, a snapshot or a simulation",
    ),
    (lambda: tr.io.read_snapshot(3), "path is 3, but must be a path"),
    (lambda: tr.analysis.find_halos(X), f"particles is an array of shape (10, 3), but must be a ParticleSet, {MADE}"),
]


def quantity(value: float) -> Any:
    """Return what looks like a quantity of unyt: a number that has a unit."""

    class Quantity(float):
        units = "kpc"

        @property
        def value(self) -> float:
            return float(self)

        def __repr__(self) -> str:
            return f"{float(self)} kpc"

        __str__ = __repr__

    return Quantity(value)


@pytest.mark.parametrize(("call", "sentence"), SENTENCES)
def test_wrong_arguments_are_named(call: Call, sentence: str) -> None:
    with pytest.raises((InputError, TypeError), match=f"^{re.escape(sentence)}") as raised:
        call()
    assert "\n" not in str(raised.value)


OTHERS: list[Any] = [X, [1.0, 2.0], "abc", -1, 2.5, True, 1j, None, SimpleNamespace(), tr.Gravity, print, quantity(1.0)]
CALLS: dict[str, Callable[[Any], object]] = {
    "ParticleSet": tr.ParticleSet,
    "mass": lambda other: tr.ParticleSet.from_columns(position=X, mass=other),
    "position": lambda other: tr.ParticleSet.from_columns(position=other, mass=1.0),
    "box": lambda other: setattr(stars(), "box", other),
    "add_field": lambda other: stars().add_field(other),
    "components": lambda other: stars().add_field("heat", other),
    "by_id": lambda other: stars().by_id(other),
    "brackets": lambda other: stars()[other],
    "Simulation": lambda other: tr.Simulation(other, [], 0.1),
    "forces": lambda other: tr.Simulation(stars(), other, 0.1),
    "a force": lambda other: tr.Simulation(stars(), [other], 0.1),
    "timestep": lambda other: simulation(timestep=other),
    "thermostat": lambda other: simulation(thermostat=other),
    "cosmology": lambda other: simulation(cosmology=other),
    "time": lambda other: simulation(time=other),
    "until": lambda other: simulation().run(until=other),
    "steps": lambda other: simulation().run(steps=other),
    "callbacks": lambda other: simulation().run(steps=1, callbacks=other),
    "a callback": lambda other: simulation().run(steps=1, callbacks=[other]),
    "add": lambda other: simulation().add(other),
    "remove": lambda other: simulation().remove(other),
    "neighbours": lambda other: tr.neighbours(other, 0.1),
    "radius": lambda other: tr.neighbours(stars(), other),
    "nearest": lambda other: tr.nearest(other, 2),
    "count": lambda other: tr.nearest(stars(), other),
    "Ensemble": lambda other: tr.Ensemble(other, None, timestep=0.1),
    "a system": lambda other: tr.Ensemble([other], None, timestep=0.1),
    "interaction": lambda other: tr.Ensemble([stars()], other, timestep=0.1),
    "advance": lambda other: ensemble().advance(other),
    "temperature": lambda other: ensemble(temperature=other),
    "exchange": lambda other: tr.ReplicaExchange(other, [1.0, 2.0]),
    "temperatures": lambda other: tr.ReplicaExchange(ensemble(), other),
    "Gravity": tr.Gravity,
    "softening": lambda other: tr.Gravity(softening=other),
    "LennardJones": tr.LennardJones,
    "External": tr.External,
    "accelerations": lambda other: tr.accelerations(other, 1.0),
    "at": lambda other: tr.accelerations(X, 1.0, at=other),
    "set_threads": tr.set_threads,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("other", OTHERS, ids=lambda other: type(other).__name__)
def test_other_things_are_taken_or_refused_in_one_line(name: str, other: Any) -> None:
    threads = tr.info()["threads"]
    try:
        CALLS[name](other)
    except (InputError, TypeError, AttributeError, RuntimeError) as error:
        text = str(error)
        assert not re.search(r"\n|has no attribute|argument types|object is|expected", text), text
    finally:
        tr.set_threads(threads)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (tr.Gravity(softening=0.1), "softening"),
        (tr.Langevin(temperature=1.0, relaxation_time=1.0), "temperature"),
        (tr.Barostat(pressure=1.0), "pressure"),
        (tr.external.NFW(mass=1.0, scale_radius=1.0), "mass"),
        (tr.IndividualSteps(longest=0.1), "longest"),
        (tr.Cosmology(omega_m=0.3), "omega_m"),
    ],
)
def test_what_keeps_its_values_says_so_and_where_they_are(made: Any, name: str) -> None:
    kept = f"^{name} is assigned to {re.escape(repr(made))}, which keeps the values that it was made with: make an"
    with pytest.raises(AttributeError, match=kept):
        setattr(made, name, 2.0)
    if not isinstance(made, tr.Cosmology):
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}': its value is settings\['{name}'\]$"):
            getattr(made, name)
    for call in (lambda: setattr(made, "other", 1), lambda: made.other):
        with pytest.raises(AttributeError, match=f"^'{type(made).__name__}' object has no attribute 'other'$"):
            call()
    assert repr(copy.deepcopy(made)) == repr(made)

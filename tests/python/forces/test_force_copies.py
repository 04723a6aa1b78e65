"""Forces and thermostats in copies and pickles, as programs of several processes need them; and simulations, not."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trellis as tr

HOW: dict[str, Callable[[Any], Any]] = {
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda force: pickle.loads(pickle.dumps(force)),
}
SETTINGS = [
    tr.Gravity(),
    tr.Gravity(theta=0.5, softening=0.1, method="tree", order=1, device="cpu"),
    tr.Gravity(accuracy=1e-4, softening={"gas": 0.1, "halo": 0.5}),
    tr.Gravity(softening="particles", G=43.0),
    tr.Coulomb(coupling=138.9, mesh_cells=32),
    tr.LennardJones(cutoff=2.0),
    tr.Sph(gamma=1.4, types=[0]),
    tr.external.UniformField(acceleration=(0.0, 0.0, -9.8)),
    tr.external.NFW(mass=2.0, scale_radius=1.0),
    tr.Langevin(temperature=1.0, relaxation_time=2.0, seed=3),
    tr.NoseHoover(temperature=1.0, relaxation_time=2.0),
]


class OwnGravity(tr.Gravity):
    """A class of a user."""


def tide(position: Any, _time: float) -> Any:
    return 0.1 * position, -0.05 * (position**2).sum(axis=1)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("force", SETTINGS, ids=repr)
def test_a_copy_has_the_same_settings(force: Any, how: str) -> None:
    again = HOW[how](force)
    assert again is not force
    assert type(again) is type(force)
    assert repr(again) == repr(force)
    assert again.settings == force.settings


@pytest.mark.parametrize("how", HOW)
def test_a_copy_is_of_the_class_of_a_user(how: str) -> None:
    again = HOW[how](OwnGravity(theta=0.3))
    assert type(again) is OwnGravity
    assert again.settings["theta"] == 0.3


@pytest.mark.parametrize("how", HOW)
def test_a_copy_gives_the_same_bits(how: str) -> None:
    found = []
    for forces in ([tr.Gravity(softening=0.1, theta=0.6), tr.External(tide)],) * 2:
        particles = tr.ic.plummer(200, seed=1)
        given = [HOW[how](force) for force in forces] if found else forces
        sim = tr.Simulation(particles, given, timestep=0.01)
        sim.run(steps=3)
        found.append(particles.position.copy())
    assert np.array_equal(*found)


def test_a_function_that_cannot_be_pickled_is_python_s_own_message() -> None:
    field = tr.External(lambda position, time: tide(position, time))
    assert copy.copy(field).function is field.function
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(field)


@pytest.mark.parametrize(
    ("force", "name"),
    [
        (tr.pair_potential("a * r**2", cutoff=1.0, a=1.0), "a"),
        (tr.pair_potential("a / r", source="mass", a=1.0), "theta"),
        (tr.HarmonicBonds([[0, 1]], k=1.0, length=1.0), "k"),
        (tr.bond_potential("a * r**2", pairs=[[0, 1]], a=1.0), "a"),
        (tr.Gravity(), "softening"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_values_that_would_change_nothing_cannot_be_assigned(force: Any, name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        setattr(force, name, 2.0)


@pytest.mark.parametrize("how", HOW)
def test_a_simulation_is_refused_in_a_sentence(how: str) -> None:
    sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity(softening=0.1)], timestep=0.01)
    with pytest.raises(TypeError, match="a Simulation cannot be copied or pickled: make another"):
        HOW[how](sim)

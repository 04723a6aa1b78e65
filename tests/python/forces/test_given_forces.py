"""Arguments given as forces that are not forces, and attributes of a simulation that cannot be set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trellis as tr

GRAVITY = tr.Gravity(softening=0.1)


def pull(positions: Any) -> Any:
    return -positions


class Spring:
    def __call__(self, positions: Any) -> Any:
        return -positions

    def __repr__(self) -> str:
        return "Spring()"


NO_FORCES = {
    "None": (None, "a force is None: allowed are forces, such as Gravity"),
    "a number": (3.0, "a force is 3.0: allowed are forces"),
    "a function": (pull, "a force is the function pull: .* tr.interaction makes an interaction of your own"),
    "a lambda": (lambda x: -x, "a force is the function <lambda>: allowed are forces"),
    "a callable": (Spring(), r"a force is Spring\(\): allowed are forces"),
    "a class": (tr.Gravity, r"a force is the class Gravity itself: allowed are forces, such as Gravity\(softening"),
    "a name": ("gravity", "a force is 'gravity': allowed are forces"),
    "a thermostat": (tr.Langevin(temperature=1.0, relaxation_time=1.0), r"a force is Langevin\(.*: allowed are forces"),
}


@pytest.mark.parametrize("where", [{}, {"device": "cpu", "resident": True}], ids=["host", "resident"])
@pytest.mark.parametrize("given", NO_FORCES)
def test_forces_that_are_refused(given: str, where: dict[str, Any]) -> None:
    force, sentence = NO_FORCES[given]
    with pytest.raises(ValueError, match=f"^{sentence}"):
        tr.Simulation(tr.ic.plummer(20), [GRAVITY, force], 0.01, **where)


@pytest.mark.parametrize("given", [GRAVITY, tr.Gravity, None, "gravity", pull], ids=lambda given: type(given).__name__)
def test_forces_that_are_no_list(given: Any) -> None:
    with pytest.raises(ValueError, match=r"^forces is .*, but must be a list of forces, such as \[Gravity\(\)\]$"):
        tr.Simulation(tr.ic.plummer(20), given, 0.01)


def test_a_resumed_simulation_refuses_them_in_the_same_words() -> None:
    state = tr.Simulation(tr.ic.plummer(20), [GRAVITY], 0.01).state()
    with pytest.raises(ValueError, match="a force is the function pull: allowed are forces"):
        tr.Simulation.resume(state, [pull], 0.01)  # type: ignore[list-item]


@pytest.mark.parametrize("kind", [tuple, iter, np.array], ids=["tuple", "iterator", "array"])
def test_forces_may_be_any_sequence(kind: Any) -> None:
    assert tr.Simulation(tr.ic.plummer(20), kind([GRAVITY]), 0.01).forces == (GRAVITY,)


def test_a_simulation_keeps_the_forces_that_it_was_made_with() -> None:
    given: list[tr.Force] = [GRAVITY]
    sim = tr.Simulation(tr.ic.plummer(20), given, 0.01)
    given.append(tr.LennardJones())
    assert sim.forces == (GRAVITY,)
    with pytest.raises(AttributeError):
        sim.forces.append(tr.LennardJones())  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        sim.forces = []  # type: ignore[assignment, misc]


def test_what_a_simulation_is_made_with_cannot_be_set_nor_misspelt() -> None:
    """`sim.dt = 0.01` was silent, and steps stayed as long as they were."""
    sim = tr.Simulation(tr.ic.plummer(10, seed=1), [tr.Gravity(softening=0.1)], timestep=0.1)
    for name in ("dt", "timestep", "time", "forces", "thermostat", "particles"):
        with pytest.raises(AttributeError, match=f"^'{name}' of a simulation cannot be set: what it is made with"):
            setattr(sim, name, 0.01)

    class Own(tr.Simulation):
        history: list[float]

    own = Own(tr.ic.plummer(10, seed=1), [tr.Gravity(softening=0.1)], timestep=0.1)
    own.history = []
    with pytest.raises(AttributeError, match=r"^'timestep' of a simulation cannot be set"):
        own.timestep = 0.01  # type: ignore[misc]

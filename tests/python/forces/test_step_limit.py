"""Limits of steps that are functions of Python."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray

import trellis as tr
from trellis.errors import InputError
from trellis.forces.step_limit import ActiveParticles

GRAVITY = tr.Gravity(softening=0.05)


def by_mass(particles: ActiveParticles) -> NDArray[np.float64]:
    return np.asarray(particles.mass)


def test_chosen_steps_follow_columns_at_the_begin_of_a_step() -> None:
    seen: list[tuple[float, Any, Any]] = []
    stars = tr.ic.plummer(50, seed=2)
    stars.add_field("patience")
    stars.patience = 1.0
    stars.patience[7] = 1e-3

    def limit(particles: ActiveParticles) -> Any:
        assert len(particles) == 50
        seen.append((particles.time, particles.velocity, particles.acceleration))
        assert (particles.position.shape, particles.id.dtype) == ((50, 3), np.uint64)
        return particles.patience

    sim = tr.Simulation(stars, [tr.StepLimit(limit), GRAVITY], keep_order=True)
    sim.run(steps=30)
    assert sim.timestep == pytest.approx(1e-3)
    stars.patience[7] = 1e-4
    sim.energies()
    velocity, acceleration = stars.velocity.copy(), stars.acceleration.copy()
    now = sim.time
    sim.step()
    assert sim.timestep == pytest.approx(1e-4)
    assert seen[-1][0] == now
    np.testing.assert_array_equal(seen[-1][1], velocity)
    np.testing.assert_array_equal(seen[-1][2], acceleration)


def test_another_function_acts_after_it_was_assigned() -> None:
    limit = tr.StepLimit(lambda _: 1e-3)
    sim = tr.Simulation(tr.ic.plummer(50, seed=2), [limit, GRAVITY])
    sim.run(steps=30)
    limit.function = lambda _: 1e-4
    sim.step()
    assert sim.timestep == pytest.approx(1e-4)


def test_individual_steps_are_limited_one_by_one() -> None:
    counts: list[int] = []

    def limit(particles: ActiveParticles) -> Any:
        counts.append(len(particles))
        return np.where(particles.column("id") == 7, 1 / 16 / 100, np.inf)

    stars = tr.ic.plummer(200, seed=2)
    sim = tr.Simulation(stars, [GRAVITY, tr.StepLimit(limit)], tr.IndividualSteps(longest=1 / 16))
    sim.run(steps=3)
    assert stars.id[stars.column("rung") == 7].tolist() == [7]
    assert counts.count(200) == 3
    assert counts.count(1) > 100
    alone = tr.Simulation(tr.ic.plummer(200, seed=2), [GRAVITY], tr.IndividualSteps(longest=1 / 16))
    alone.run(steps=3)
    for a, b in zip(alone.particles.column("rung"), stars.column("rung"), strict=True):
        assert a == b or b == 7


def test_one_number_is_for_all() -> None:
    stars = tr.ic.plummer(20)
    sim = tr.Simulation(stars, [tr.StepLimit(lambda _: 0.25)], tr.IndividualSteps(longest=1.0))
    sim.run(steps=1)
    assert set(stars.column("rung").tolist()) == {2.0}


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda _: np.ones(19), r"has returned as steps an array of shape \(19,\), but must be real numbers of shape"),
        (lambda _: np.ones((20, 1)), r"has returned as steps an array of shape \(20, 1\), but must"),
        (lambda _: None, r"StepLimit\(<lambda>\) has returned as steps None, but must be real numbers of shape"),
        (lambda _: "long", "has returned as steps a str, but must"),
        (lambda p: 1j * p.mass, "has returned as steps an array of complex128"),
        (lambda p: -p.mass, r"has returned the step -0.05 for the particle of id \d+: allowed is above 0, or infinite"),
        (lambda _: 0, "has returned the step 0 for"),
        (lambda _: np.nan, "has returned the step nan for"),
        (lambda p: p.charge, "the particles have no field 'charge'"),
    ],
)
def test_what_is_no_step_is_refused(function: Any, sentence: str) -> None:
    for steps in (None, tr.IndividualSteps(longest=0.1)):
        stars = tr.ic.plummer(20)
        before = stars.copy()
        sim = tr.Simulation(stars, [tr.StepLimit(function)], steps)
        with pytest.raises(InputError, match=sentence):
            sim.step()
        assert sim.time == 0
        np.testing.assert_array_equal(stars.position, before.position)
        np.testing.assert_array_equal(stars.velocity, before.velocity)


def test_what_the_function_raises_passes_through() -> None:
    class OwnError(Exception):
        pass

    tries = [OwnError("once"), None]

    def limit(_: ActiveParticles) -> float:
        if error := tries.pop(0):
            raise error
        return 0.1

    sim = tr.Simulation(tr.ic.plummer(20), [tr.StepLimit(limit)], tr.IndividualSteps(longest=0.1))
    with pytest.raises(OwnError, match="once"):
        sim.step()
    sim.step()
    assert sim.time == 0.1


def test_velocities_are_those_at_the_begin_of_individual_steps() -> None:
    """Exact where a longest step begins; within it, up to the kicks by slower particles, which are weak."""
    seen: list[tuple[float, np.ndarray, np.ndarray]] = []

    def limit(particles: ActiveParticles) -> np.ndarray:
        seen.append((particles.time, particles.id, particles.velocity))
        return np.where(particles.id < 5, 0.01, 0.1)

    stars = tr.ic.plummer(20, seed=1)
    start = stars.velocity.copy()
    sim = tr.Simulation(stars, [GRAVITY, tr.StepLimit(limit)], tr.IndividualSteps(longest=0.1), keep_order=True)
    sim.step()
    assert len(seen) >= 8
    np.testing.assert_array_equal(seen[0][2], start)
    short = tr.Simulation(tr.ic.plummer(20, seed=1), [GRAVITY], 0.1 / 16, keep_order=True)
    for time, ids, velocity in seen[1:]:
        short.run(until=time)
        np.testing.assert_allclose(velocity, short.particles.velocity[ids], rtol=0, atol=0.06)


def test_particles_serve_within_the_function_alone() -> None:
    kept: list[ActiveParticles] = []

    def limit(particles: ActiveParticles) -> float:
        kept.append(particles)
        return 0.1

    tr.Simulation(tr.ic.plummer(20), [tr.StepLimit(limit)]).step()
    with pytest.raises(InputError, match="a column is asked for after its step has been chosen"):
        kept[0].column("mass")
    assert not hasattr(kept[0], "_hidden")


def test_a_fixed_step_that_is_too_long_is_noted() -> None:
    with pytest.warns(UserWarning, match=r"timestep is 0.1, but the forces at the start allow 0\.01"):
        tr.Simulation(tr.ic.plummer(20), [tr.StepLimit(lambda _: 0.01)], timestep=0.1).step()


def test_it_adds_nothing_to_forces_and_pressure() -> None:
    atoms = tr.ic.lennard_jones(108, density=0.8, temperature=1.0, seed=1)
    pair = tr.LennardJones()
    limits = [tr.StepLimit(lambda _: 1.0), tr.StepLimit(lambda _: 2.0)]
    limited, free = (tr.Simulation(atoms.copy(), forces, timestep=1e-3) for forces in ([pair, *limits], [pair]))
    assert limited.pressure() == free.pressure()
    with_virial = limited.particles  # of pairs that act no more
    gas, ideal = (tr.Simulation(with_virial.copy(), forces, timestep=1e-3) for forces in (limits, []))
    assert gas.pressure() == ideal.pressure()
    assert gas.energies().potential == 0
    for sim in (limited, free):
        sim.run(steps=3)
    np.testing.assert_array_equal(limited.particles.position, free.particles.position)
    assert limited.force_error(10) == free.force_error(10)


def test_two_functions_of_one_name_are_no_force_that_acts_twice() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.Simulation(tr.ic.plummer(20), [tr.StepLimit(lambda _: 1.0), tr.StepLimit(lambda _: 2.0)])


def test_copies_have_the_function() -> None:
    limit = tr.StepLimit(by_mass)
    assert repr(limit) == "StepLimit(by_mass)"
    for again in (copy.copy(limit), pickle.loads(pickle.dumps(limit))):
        assert again.settings == limit.settings == {"function": "by_mass"}
    for wrong in (5, float):
        with pytest.raises(InputError, match="must be a function of particles"):
            tr.StepLimit(wrong)  # type: ignore[arg-type]


def test_where_it_does_not_go_is_said() -> None:
    limit = tr.StepLimit(by_mass)
    space = tr.Cosmology(omega_m=1.0)
    with pytest.raises(InputError, match=r"StepLimit\(by_mass\) acts, but in expanding space allowed is Gravity alone"):
        tr.Simulation(tr.ic.plummer(20), [GRAVITY, limit], cosmology=space, scale_factor=0.1)
    with pytest.raises(InputError, match="particles that stay on a device move under one, gravity or"):
        tr.Simulation(tr.ic.plummer(20), [GRAVITY, limit], 0.1, resident=True, device="cpu")


@pytest.mark.skipif(tr.info()["MPI"] == "built without", reason="needs MPI")
def test_on_ranks_each_calls_it_with_its_own_particles(found_on: FoundOn) -> None:
    program = """
particles = tr.ic.plummer(100, seed=3)[:100 if tr.rank() == 0 else 0].copy()
counts = []
def limit(active):
    counts.append(len(active))
    return 0.01 + active.id / 1e4
sim = tr.Simulation(particles, [tr.Gravity(softening=0.5), tr.StepLimit(limit)])
sim.run(steps=40)
found = [sim.timestep, sum(world.gather(counts[-1]))]
"""
    assert found_on(1, program) == found_on(2, program) == [pytest.approx(0.01), 100]

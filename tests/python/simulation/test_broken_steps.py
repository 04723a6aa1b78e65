"""Steps that an error ends in their middle, and states whose particles have moved on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import is_refused
from numpy.typing import NDArray

import trellis as tr

Array = NDArray[np.float64]


def springs(fails_at: int = 0) -> tr.PythonForce:
    """Return springs to the origin, of which one computation fails."""
    calls = 0

    def pull(position: Array) -> tuple[Array, Array, Array]:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise ArithmeticError("no network")
        energy = 0.5 * (position**2).sum(axis=1)
        return energy, -position, -2 * energy

    return tr.PythonForce(pull, needs=["position"], gives=["energy", "force", "virial"])


def atoms(force: tr.Force) -> tr.Simulation:
    bath = tr.Langevin(temperature=1.0, relaxation_time=0.5, seed=1)
    return tr.Simulation(
        tr.ic.lennard_jones(32, density=0.5, seed=1), [tr.LennardJones(cutoff=1.5), force], 0.004, thermostat=bath
    )


def broken() -> tr.Simulation:
    """Return a simulation whose fourth step has failed."""
    sim = atoms(springs(fails_at=5))
    with pytest.raises(ArithmeticError, match="no network"):
        sim.run(steps=10)
    return sim


@pytest.mark.parametrize(
    "ask",
    [
        lambda sim: sim.energies(),
        lambda sim: sim.state(),
        lambda sim: sim.pressure(),
        lambda sim: sim.force_error(5),
        lambda sim: sim.remove([3]),
    ],
)
def test_in_the_middle_of_a_step_there_are_no_energies_and_no_state(ask: Callable[[tr.Simulation], object]) -> None:
    sim = broken()
    with pytest.raises(tr.RunError, match=r"^step 4 has ended by an error in its middle, where"):
        ask(sim)


def test_the_next_call_completes_a_step_that_failed() -> None:
    whole, sim = atoms(springs()), broken()
    whole.run(steps=4)
    sim.step()
    assert sim.time == whole.time
    assert sim.energies() == whole.energies()
    whole.run(steps=10)
    resumed = tr.Simulation.resume(copy.deepcopy(sim.state()), [tr.LennardJones(cutoff=1.5), springs()], 0.004,
                                   thermostat=tr.Langevin(temperature=1.0, relaxation_time=0.5))  # fmt: skip
    for each in (sim, resumed):
        each.run(steps=10)
        assert np.array_equal(each.particles.position, whole.particles.position)


def test_other_simulations_of_the_particles_of_a_step_that_failed_start_again() -> None:
    sim = tr.Simulation(broken().particles, [springs()], timestep=0.004)
    sim.run(steps=3)
    assert abs(sim.energies().error) < 1e-3


def test_a_state_whose_particles_have_moved_on_is_no_state(tmp_path: Path) -> None:
    force = springs()
    sim = tr.Simulation(tr.ic.plummer(50, seed=1), [force], timestep=0.01)
    sim.run(steps=2)
    state = sim.state()
    kept = copy.deepcopy(state)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", state)
    sim.run(steps=3)
    is_refused(
        lambda: tr.Simulation.resume(state, [force], timestep=0.01),
        "after step 2, but its particles are those of a simulation that has gone on to step 5",
    )
    for then in (kept, tr.io.read_checkpoint(tmp_path / "state.hdf5"), sim.state()):
        resumed = tr.Simulation.resume(then, [force], timestep=0.01)
        resumed.run(steps=5 - resumed.step_count)
        assert np.array_equal(resumed.particles.position, sim.particles.position)


def test_a_state_is_one_after_particles_could_not_be_removed() -> None:
    force = tr.LennardJones(cutoff=1.5, exclude=[(0, 1)])
    sim = tr.Simulation(tr.ic.lennard_jones(32, density=0.5, seed=1), [force], timestep=0.004)
    sim.run(steps=2)
    is_refused(lambda: sim.remove([0]), "no particle has the id 0")
    resumed = tr.Simulation.resume(sim.state(), [force], timestep=0.004)
    assert resumed.step_count == 2


@pytest.mark.parametrize("longest", [0.01, 0.5])
def test_steps_that_gravity_allows_may_be_too_long_for_forces_that_limit_none(longest: float) -> None:
    position = 0.75 * np.array([[a, b, c] for a in range(4) for b in range(4) for c in range(4)], dtype=float)
    velocity = 0.5 * np.random.default_rng(1).normal(size=position.shape)
    atoms = tr.ParticleSet.from_columns(position=position, velocity=velocity, mass=1 / 64)
    lennard_jones = tr.LennardJones(epsilon=0.5, sigma=0.5, cutoff=1.2, truncation="force-shifted")
    forces = [lennard_jones, tr.Gravity(softening=0.3)]
    steps = tr.IndividualSteps(longest=longest, criterion="tidal")
    with pytest.raises(tr.RunError, match=r"^the step of 0\.\d+ at t = 0.* is too long: the acceleration of the part"):
        tr.Simulation(atoms.copy(), forces, steps).run(until=1.0)
    limited = tr.Simulation(atoms, [*forces, tr.StepLimit(lambda _: 1e-3)], steps)
    limited.run(until=0.5)
    assert limited.energies().error < 1e-3


@pytest.mark.parametrize("later", [False, True])
def test_masses_by_which_forces_are_divided_are_above_zero(later: bool) -> None:
    def run(mass: float) -> None:
        sim = tr.Simulation(tr.ic.lennard_jones(32, density=0.5, seed=1), [tr.LennardJones(cutoff=1.5)], 0.004)
        sim.run(steps=1 if later else 0)
        sim.particles.mass[3] = mass
        sim.run(steps=1)

    is_refused(lambda: run(-1.0), "column 'mass' is -1 at index 3: allowed is 0 or more")
    with pytest.raises(tr.RunError, match=r"^the acc.* of the particle of id 3 at .* squared: its mass is 0, by which"):
        run(0.0)


@pytest.mark.parametrize("force", [tr.LennardJones(cutoff=1.5), tr.pair_potential("exp(-r)", cutoff=1.5)])
def test_a_potential_that_is_divided_by_a_mass_of_zero_is_named_before_the_first_step(force: tr.Force) -> None:
    sim = tr.Simulation(tr.ic.lennard_jones(32, density=0.5, seed=1), [force], 0.004)
    sim.particles.mass[3] = 0.0
    with pytest.warns(
        UserWarning, match=r"^the p.* of id 3 at .* is -?inf: its mass is 0, by which forces and"
    ) as said:
        sim.energies()
    assert said[0].filename == __file__


def test_a_potential_that_is_no_number_where_its_force_is_is_named() -> None:
    pair = tr.ParticleSet.from_columns(position=[[0.0, 0, 0], [1.0, 0, 0]], mass=1.0)
    sim = tr.Simulation(pair, [tr.pair_potential("log(r - 1.2)", cutoff=1.5)], 0.001)
    said = r"^the potential of the particle of id 0 at \(0, 0, 0\) is nan; its nearest neighbour, of id 1, is 1 away$"
    with pytest.warns(UserWarning, match=said):
        sim.energies()

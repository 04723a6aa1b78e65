"""Interactions in Python over a tree, against C++ and against direct summation."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from own_interactions import after_a_step, difference, dust, gravity, yukawa

import trellis as tr
from trellis.io import read_checkpoint, write_checkpoint


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 3e-7), ("double", 1e-14)])
@pytest.mark.parametrize("theta", [0.3, 0.8])
def test_gravity_is_that_of_cpp(precision: str, tolerance: float, theta: float) -> None:
    stars = tr.ic.plummer(3000, seed=2)
    ours = after_a_step(stars, gravity(epsilon2=1e-4, theta=theta, precision=precision))
    theirs = after_a_step(stars, tr.Gravity(softening=0.01, method="tree", order=1, theta=theta, precision=precision))
    assert difference(ours.particles.acceleration, theirs.particles.acceleration) <= tolerance
    assert difference(ours.particles.potential, theirs.particles.potential) <= tolerance
    assert ours.interactions == theirs.interactions


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 5e-6), ("double", 1e-13)])
def test_a_screened_force_is_the_direct_sum(precision: str, tolerance: float, device: str) -> None:
    charges = dust(700)
    x, q, m = (charges.column(name).copy() for name in ("position", "charge", "mass"))
    d = x[None] - x[:, None]
    r = np.sqrt((d**2).sum(axis=2) + 1e-4)
    w = q[:, None] / m[:, None] * q[None] * np.exp(-r / 0.3) / r
    np.fill_diagonal(w, 0)
    acceleration = -((w * (1 / r + 1 / 0.3) / r)[:, :, None] * d).sum(axis=1)
    ours = after_a_step(charges, yukawa(length=0.3, theta=1e-6, precision=precision, device=device)).particles
    order = np.argsort(ours.id)
    assert difference(ours.potential[order], w.sum(axis=1)) <= tolerance
    assert difference(ours.acceleration[order], acceleration) <= tolerance


def test_momentum_does_not_change() -> None:
    sim = tr.Simulation(dust(400), [yukawa(length=0.5, theta=1e-6, precision="double")], timestep=0.01)
    sim.run(steps=20)
    assert np.abs(sim.momentum()).max() < 1e-14


def test_energy_is_kept_and_the_force_agrees_with_its_reference() -> None:
    sim = tr.Simulation(dust(500), [yukawa(length=0.5, theta=0.4)], timestep=0.005)
    before = sim.energies().total
    sim.run(until=0.5)
    assert abs(sim.energies().total - before) < 2e-3 * sim.energies().kinetic
    assert sim.force_error(100)["rms"] < 2e-2


def test_the_same_bits_on_any_number_of_threads() -> None:
    forces = []
    for threads in (1, 2, 3):
        tr.set_threads(threads)
        forces.append(after_a_step(dust(2000), yukawa(theta=0.5)).particles.acceleration.copy())
    assert all((each == forces[0]).all() for each in forces)


def test_a_checkpoint_resumes_bit_for_bit_with_the_interaction_given_again(tmp_path: Path, device: str) -> None:
    sim = tr.Simulation(dust(300), [yukawa(theta=0.5, lists="reuse", device=device)], timestep=0.01)
    sim.run(steps=5)
    write_checkpoint(tmp_path / "half.hdf5", sim.state())
    sim.run(steps=5)
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "half.hdf5"), sim.forces, timestep=0.01)
    resumed.run(steps=5)
    assert (resumed.particles.position == sim.particles.position).all()


def test_with_individual_steps_that_a_limit_of_ones_own_decides() -> None:
    limit = tr.StepLimit(lambda particles: 0.002 + 0.02 * (particles.position**2).sum(axis=1))
    sim = tr.Simulation(
        tr.ic.plummer(300, seed=1), [gravity(epsilon2=0.01, theta=0.5), limit], tr.IndividualSteps(longest=1 / 16)
    )
    before = sim.energies().total
    sim.run(until=0.25)
    assert abs(sim.energies().total / before - 1) < 1e-3


@pytest.mark.parametrize("count", [2, 3])
def test_ranks_give_the_same(count: int, tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np, trellis as tr
from own_interactions import after_a_step, dust, lennard_jones, liquid, yukawa
ours = dust(1500 if tr.rank() == 0 else 0)
atoms = liquid(10, share=slice(0, None if tr.rank() == 0 else 0))
for name, particles, force in [("dust", ours, yukawa(theta=0.3)), ("atoms", atoms, lennard_jones(cutoff=2.5))]:
    sim = after_a_step(particles, force)
    error = sim.force_error(200)["rms"]
    if tr.rank() == 0:
        print(name, error)
"""
    )
    ended = mpirun(count, program)
    assert ended.returncode == 0, ended.stderr
    errors = dict(line.split() for line in ended.stdout.splitlines())
    alone = after_a_step(dust(1500), yukawa(theta=0.3)).force_error(200)["rms"]
    assert float(errors["dust"]) < 2 * alone
    assert float(errors["atoms"]) < 1e-5


@tr.interaction
def drag(i, j, out):  # type: ignore[no-untyped-def]
    out.acceleration += j.mass * (j.velocity - i.velocity)


def error_of_drag(steps: float | tr.IndividualSteps, others: list[tr.Force], **settings: str) -> float:
    """Return the error of velocities in one unit of time, in which drag lets them fall to 1/e of themselves."""
    stars = tr.ic.plummer(40, seed=1)
    stars.velocity -= stars.velocity.mean(axis=0)
    before = stars.velocity.copy()
    sim = tr.Simulation(stars, [drag(theta=1e-6, precision="double", **settings), *others], steps)
    sim.run(until=1)
    return float(np.abs(sim.particles.velocity - np.exp(-1) * before).max())


@pytest.mark.parametrize("lists", ["rebuild", "reuse"])
def test_velocities_are_those_at_the_time_of_the_positions(lists: str, device: str) -> None:
    coarse, fine = (error_of_drag(step, [], lists=lists, device=device) for step in (1 / 32, 1 / 64))
    assert coarse < 1e-3
    assert coarse / fine == pytest.approx(4, abs=0.3)  # 2 with velocities of half a step before


def test_an_interaction_by_velocities_acts_once_in_each_longest_step() -> None:
    def error(longest: float) -> float:
        fast = tr.StepLimit(lambda particles: np.where(particles.column("id") % 2, longest / 4, longest))
        return error_of_drag(tr.IndividualSteps(longest=longest), [fast])

    assert error(1 / 32) < 1e-3
    assert error(1 / 32) / error(1 / 64) == pytest.approx(4, abs=0.3)
    with pytest.raises(tr.InputError, match="order is 4, but 'acceleration' comes from a force that is no sum over"):
        error_of_drag(tr.IndividualSteps(longest=1 / 32, order=4), [tr.StepLimit(lambda particles: 1 / 32)])


@tr.interaction
def turning(i, j, out):  # type: ignore[no-untyped-def]
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + 1e-4)
    out.acceleration += j.mass / r**3 * tr.cross(j.velocity, d)


@tr.interaction(strength="mass", vectors=["momentum"])
def carried(i, j, out):  # type: ignore[no-untyped-def]
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + 1e-4)
    near = tr.where(r < 0.1, 0, j.mass)
    out.acceleration += tr.cross(j.momentum, d) / r**3 - i.mass * near * i.velocity


def test_a_far_cell_that_acts_otherwise_than_its_particles_is_noted() -> None:
    stars = tr.ic.plummer(1000, seed=1)
    stars.add_field("momentum", 3)
    stars.momentum = stars.mass[:, None] * stars.velocity
    said = "turning.* is not linear in what it reads of j, but a far cell acts with the sums over its particles: accel"
    with pytest.warns(UserWarning, match=said):
        wrong = tr.Simulation(stars.copy(), [turning(theta=0.6)], 0.01)
    assert wrong.force_error(50)["over_rms"] > 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = tr.Simulation(stars.copy(), [turning(theta=1e-6)], 0.01)
        cells = [carried(theta=0.3), gravity(theta=0.3)]
        tr.Simulation(stars.copy(), cells, 0.01)
    assert pairs.force_error(50)["over_rms"] < 1e-5
    assert [force.results_of_pairs_alone() for force in cells] == [[], []]

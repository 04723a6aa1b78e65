"""Particles that join a simulation, or leave it, between two steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import FoundOn

import trellis as tr


def stars(count: int, first_id: int = 0, seed: int = 1) -> tr.ParticleSet:
    made = tr.ic.plummer(count, seed=seed)
    made.id += first_id
    return made


def simulation(particles: tr.ParticleSet, **gravity: Any) -> tr.Simulation:
    return tr.Simulation(particles, [tr.Gravity(softening=0.05, accuracy=1e-4, **gravity)], timestep=0.01)


def in_order(particles: tr.ParticleSet, name: str) -> np.ndarray:
    return particles.column(name)[np.argsort(particles.id)]


def drift(sim: tr.Simulation) -> float:
    return sim.energies().conserved - sim.energies().initial


@pytest.mark.parametrize("lists", ["rebuild", "reuse"])
def test_forces_are_those_of_a_simulation_that_begins_with_all(lists: str) -> None:
    sim = simulation(stars(400), lists=lists)
    sim.run(steps=3)
    held = sim.particles
    sim.add(stars(100, first_id=1000, seed=2))
    assert sim.particles is held
    assert (len(held), sim.particle_count(), sim.step_count, sim.time) == (500, 500, 3, 0.03)
    begun = simulation(sim.particles.copy(), lists=lists)
    begun.energies()
    for name in ("acceleration", "potential"):
        assert in_order(held, name).tobytes() == in_order(begun.particles, name).tobytes()
    sim.run(steps=5)
    assert sim.force_error(200)["rms"] < 1e-4
    assert sim.time == pytest.approx(0.08)


def test_all_may_leave_one_after_the_other_with_individual_steps() -> None:
    sim = tr.Simulation(stars(3), [tr.Gravity(softening=0.05)], tr.IndividualSteps(longest=0.25))
    for left in (2, 1, 0):
        sim.remove([left])
        sim.run(steps=1)
    assert (sim.time, len(sim.particles)) == (0.75, 0)


def test_particles_join_those_that_other_steps_and_forces_have_moved() -> None:
    held = tr.ic.lennard_jones(64)
    limit = tr.StepLimit(lambda _: 0.005)
    tr.Simulation(held, [tr.LennardJones(), limit], tr.IndividualSteps(longest=0.005)).step()
    assert {"rung", "virial"} < set(held.field_names)
    sim = tr.Simulation(held, [tr.Gravity(softening=0.5)], timestep=0.005)
    newcomers = stars(10, first_id=1000)
    newcomers.box = held.box
    sim.add(newcomers)
    sim.run(steps=1)
    assert (sim.particle_count(), held.virial[-10:].any()) == (118, False)


@pytest.mark.parametrize("lists", ["rebuild", "reuse"])
def test_particles_that_leave_act_no_more(lists: str) -> None:
    sim = simulation(stars(400), lists=lists)
    sim.run(steps=3)
    far = np.linalg.norm(sim.particles.position, axis=1) > 1.0
    gone = sim.particles[far].id
    sim.remove(gone)
    assert len(sim.particles) == 400 - len(gone)
    assert not np.isin(gone, sim.particles.id).any()
    begun = simulation(sim.particles.copy(), lists=lists)
    begun.energies()
    assert in_order(sim.particles, "acceleration").tobytes() == in_order(begun.particles, "acceleration").tobytes()
    sim.run(steps=5)
    assert sim.force_error(100)["rms"] < 1e-4
    sim.remove(int(sim.particles.id[0]))
    assert len(sim.particles) == 399 - len(gone)


def test_the_energy_error_is_that_of_the_steps_alone() -> None:
    sim = simulation(stars(300))
    sim.run(steps=20)
    before, initial = drift(sim), sim.energies().initial
    sim.add(stars(50, first_id=300, seed=3))
    assert drift(sim) == pytest.approx(before, rel=1e-6)
    assert sim.energies().initial != initial
    sim.remove(range(20))
    assert drift(sim) == pytest.approx(before, rel=1e-6)
    assert before != 0.0


@pytest.mark.parametrize(
    "thermostat",
    [tr.Langevin(temperature=2e-3, relaxation_time=0.1), tr.Csvr(temperature=2e-3, relaxation_time=0.1)],
    ids=["Langevin", "Csvr"],
)
def test_a_thermostat_starts_afresh(thermostat: tr.Thermostat) -> None:
    sim = tr.Simulation(stars(200), [tr.Gravity(softening=0.2, accuracy=1e-5)], timestep=0.002, thermostat=thermostat)
    sim.run(steps=50)
    before = drift(sim)
    assert abs(sim.energies().bath) > 10 * abs(before)
    sim.add(stars(200, first_id=200, seed=4))
    assert sim.energies().bath == 0.0
    assert drift(sim) == pytest.approx(before, rel=1e-6)
    sim.run(steps=50)
    assert abs(sim.energies().bath) > 10 * abs(drift(sim))  # what the bath has is accounted for


def test_gas_joins_with_its_own_field_and_gets_those_of_its_force() -> None:
    def gas(count: int, first_id: int) -> tr.ParticleSet:
        random = np.random.default_rng(first_id)
        made = tr.ParticleSet.from_columns(position=random.random((count, 3)), mass=1.0 / count)
        made.id += first_id
        made.add_field("internal_energy", 1, "length^2 / time^2", "internal energy of a unit of mass")
        made.internal_energy = 1.0
        return made

    sim = tr.Simulation(gas(300, 0), [tr.Sph()])
    sim.run(steps=3)
    sim.add(gas(100, 300))
    assert (sim.particles.density > 0).all()
    assert "density" not in gas(1, 0).field_names
    begun = tr.Simulation(sim.particles.copy(), [tr.Sph()])
    begun.energies()
    assert in_order(sim.particles, "density") == pytest.approx(in_order(begun.particles, "density"), rel=1e-3)
    sim.run(steps=3)
    with pytest.raises(ValueError, match="'internal_energy'"):
        sim.add(stars(10, first_id=500))
    lost = gas(10, 600)
    lost.internal_energy = -1.0  # which the force finds, when the rows are there already
    kept = sim.particles.copy()
    with pytest.raises(ValueError, match="internal_energy"):
        sim.add(lost)
    assert sim.particles.field_names == kept.field_names
    for name in kept.field_names:
        assert sim.particles.column(name).tobytes() == kept.column(name).tobytes()
    sim.run(steps=2)


def test_stars_join_a_gas_without_an_energy() -> None:
    """They were refused for the field, which their type does not need."""
    gas, star = tr.ic.evrard(200), stars(1, first_id=900)
    forces = [tr.Gravity(softening=0.1), tr.Sph()]
    without_types = tr.Simulation(gas.copy(), forces, timestep=0.001)
    gas.type = "gas"
    sim = tr.Simulation(gas, forces, timestep=0.001)
    energy = "^the particles to be added have no internal energy, with which a gas begins: give them a field 'internal_"
    with pytest.raises(ValueError, match=rf"{energy}energy', or, if they are no gas, a type \(more.type = 'stars'\)$"):
        sim.add(star)
    star.type = "gas"
    with pytest.raises(ValueError, match=energy):
        sim.add(star)
    star.type = "stars"
    with pytest.raises(ValueError, match=rf"{energy}.* and to the simulation's at its start \(gas.type = 'gas'\)$"):
        without_types.add(star)
    sim.add(star)
    sim.run(steps=2)
    (row,) = np.flatnonzero(sim.particles.type == 4)
    assert (sim.particles.internal_energy[row], sim.particles.density[row]) == (0, 0)
    assert "internal_energy" not in star.field_names


def test_after_a_refusal_the_simulation_goes_on_as_if_nothing_was() -> None:
    sim, other = simulation(stars(300), lists="reuse"), simulation(stars(300), lists="reuse")
    for each in (sim, other):
        each.run(steps=5)
    more = stars(5, first_id=300)
    more.mass[:] = -1.0
    with pytest.raises(ValueError, match="mass"):
        sim.add(more)
    for each in (sim, other):
        each.run(steps=5)
    assert sim.particles.position.tobytes() == other.particles.position.tobytes()
    assert sim.energies() == other.energies()


def test_images_of_particles_that_come_begin_at_0() -> None:
    gas = tr.ParticleSet.from_columns(position=[[0.5, 0.5, 0.5]], mass=1, velocity=[1.0, 0, 0], box=1.0)
    gas.count_images()
    sim = tr.Simulation(gas, [], timestep=0.25)
    sim.run(until=2.0)
    sim.add(tr.ParticleSet.from_columns(position=[[0.5, 0.5, 0.5]], mass=1, velocity=[0, -1.0, 0], id=[1]))
    sim.run(until=4.0)
    assert np.allclose(gas.unwrapped_position(), [[4.5, 0.5, 0.5], [0.5, -1.5, 0.5]])


def test_what_is_added_is_left_as_it_was() -> None:
    sim, more = simulation(stars(100), lists="reuse"), stars(50, first_id=100)
    sim.add(more)
    assert more.field_names == tr.ParticleSet(0).field_names
    assert (more.acceleration == 0).all()
    sim.run(steps=2)
    assert np.array_equal(more.position, tr.ic.plummer(50, seed=1).position)


def test_a_callback_may_add_and_remove() -> None:
    def change(sim: tr.Simulation) -> None:
        if sim.step_count == 4:
            sim.add(stars(10, first_id=100))
        if sim.step_count == 8:
            sim.remove(range(100, 105))

    sim = simulation(stars(100))
    sim.run(steps=12, callbacks=[(1, change)])
    assert (sim.step_count, len(sim.particles)) == (12, 105)


def test_a_checkpoint_after_particles_came_resumes_bit_for_bit() -> None:
    sim = simulation(stars(200), lists="reuse")
    sim.run(steps=5)
    sim.add(stars(20, first_id=200))
    state = sim.state()
    held = tr.io.Checkpoint(**{**vars(state), "particles": state.particles.copy()})
    later = tr.Simulation.resume(held, sim.forces, timestep=0.01)
    for each in (sim, later):
        each.run(steps=5)
    assert sim.particles.position.tobytes() == later.particles.position.tobytes()
    assert sim.energies() == later.energies()


def test_particles_that_cannot_join() -> None:
    sim = simulation(stars(100))
    with pytest.raises(ValueError, match=r"^id 0 is there twice: .* those above 99 are free"):
        sim.add(stars(5))
    twice = stars(2, first_id=100)
    twice.column("id")[...] = 100
    with pytest.raises(ValueError, match=r"^id 100 is there twice: .* those above 100 are free"):
        sim.add(twice)
    coloured = stars(2, first_id=100)
    coloured.add_field("colour")
    with pytest.raises(ValueError, match=r"^field 'colour' of the particles to be added is not in the simulation"):
        sim.add(coloured)
    boxed = stars(2, first_id=100)
    boxed.box = [[-9] * 3, [9] * 3]
    with pytest.raises(ValueError, match="are in the same box"):
        sim.add(boxed)
    lost = stars(2, first_id=100)
    lost.position[1, 1] = np.nan
    with pytest.raises(ValueError, match="'position' is not a number at index 1:"):
        sim.add(lost)
    with pytest.raises(ValueError, match=r"^particles is an array of shape \(2, 3\), but must be a ParticleSet"):
        sim.add(np.zeros((2, 3)))  # type: ignore[arg-type]
    assert len(sim.particles) == 100


def test_particles_that_cannot_leave() -> None:
    sim = simulation(stars(100))
    with pytest.raises(ValueError, match=r"^there is no particle of id 100$"):
        sim.remove([1, 100, 3])
    with pytest.raises(ValueError, match=r"^there is no particle of id -1$"):
        sim.remove(-1)
    with pytest.raises(ValueError, match=r"^id is an array of bool"):
        sim.remove(sim.particles.mass > 0)
    assert len(sim.particles) == 100
    sim.remove([])
    assert len(sim.particles) == 100


def test_particles_that_stay_on_a_device_are_the_same_to_the_end() -> None:
    gravity = tr.Gravity(softening=0.1, method="tree", order=1)
    sim = tr.Simulation(stars(50), [gravity], 0.01, device="cpu", resident=True)
    with pytest.raises(ValueError, match="resident is true: the particles that stay on a device are the same"):
        sim.add(stars(5, first_id=50))
    with pytest.raises(ValueError, match="resident is true"):
        sim.remove(0)
    sim.step()


def test_particles_come_into_a_periodic_box_by_the_opposite_face() -> None:
    atoms = tr.ParticleSet.from_columns(position=[[0.5, 0.5, 0.5]], mass=1.0, box=[[0, 0, 0], [1, 1, 1]])
    sim = tr.Simulation(atoms, [], timestep=0.1)
    more = tr.ParticleSet.from_columns(position=[[1.25, -0.25, 7.5]], mass=1.0, id=[1])
    sim.add(more)
    assert sim.particles[1].position.tolist() == [0.25, 0.75, 0.5]


RANKS = """
import numpy as np
def stars(count, first_id, seed):
    made = tr.ic.plummer(count, seed=seed)
    made.id += first_id
    made.add_field("colour")
    return made
sim = tr.Simulation(stars(300, 0, 1), [tr.Gravity(softening=0.05, accuracy=1e-4)], timestep=0.01)
sim.run(steps=3)
sim.add(stars(60, 300, 2) if tr.rank() == 0 else tr.ParticleSet(0))
sim.run(steps=3)
sim.remove(sim.particles.id[sim.particles.id % 5 == 0])
sim.remove(range(301, 304))
sim.run(steps=3)
refused = 0
for wrong in (lambda: sim.add(stars(2, 351, 1)), lambda: sim.remove(7000)):
    try:
        wrong()
    except ValueError:
        refused += 1
last = sim.particle_count()
found = [last, refused, sim.energies().error, sim.energies().initial, *sim.momentum(), *sim.centre_of_mass()]
"""


def test_ranks_share_those_that_come_and_go(found_on: FoundOn) -> None:
    alone, shared = (found_on(ranks, RANKS) for ranks in (1, 3))
    assert alone[:2] == [285, 2]
    assert shared == pytest.approx(alone, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("count", [1, 3])
def test_few_particles_at_rest_are_added_beside_any_thermostat(count: int) -> None:
    """A thermostat that scales velocities was to act on the newcomers alone: one, or all at rest, were refused."""
    atoms = tr.ic.lennard_jones(108, density=0.3, temperature=1.0, seed=1)
    centre = np.array([[0.5, 0.5, 0.25]]) * np.diff(np.unique(atoms.position[:, 0]))[0] + np.arange(count)[:, None]
    more = tr.ParticleSet.from_columns(position=centre, mass=1.0, id=1000 + np.arange(count), box=atoms.box)
    for bath in (tr.Csvr(temperature=1.0, relaxation_time=0.1), tr.NoseHoover(temperature=1.0, relaxation_time=0.1)):
        gas = atoms.copy()
        sim = tr.Simulation(gas, [tr.LennardJones(sigma=0.1, cutoff=0.25)], timestep=0.002, thermostat=bath)
        sim.run(steps=5)
        sim.add(more)
        sim.run(steps=5)
        assert sim.particle_count() == 108 + count

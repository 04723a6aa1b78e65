"""Particles that are changed between two steps, or what else forces depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn

import trellis as tr

Change = Callable[[tr.ParticleSet], object]


def pair() -> tr.ParticleSet:
    return tr.ParticleSet.from_columns(
        position=[[1.0, 0, 0], [-1, 0, 0]], velocity=[[0, 0.5, 0], [0, -0.5, 0]], mass=[1.0, 1.0]
    )


def gravity(particles: tr.ParticleSet, **more: Any) -> tr.Simulation:
    return tr.Simulation(particles, [tr.Gravity(softening=0.05)], timestep=0.1, **more)


def set_mass(particles: tr.ParticleSet) -> None:
    particles.mass[1] = 50.0


def shrink(particles: tr.ParticleSet) -> None:
    particles.position = particles.position * 0.5


def swap(particles: tr.ParticleSet) -> None:
    particles.position[:] = particles.position[::-1].copy()


CHANGES: dict[str, Change] = {
    "a view": lambda p: p.position[1].__iadd__([3.0, 0, 0]),
    "a mass": set_mass,
    "a column": shrink,
    "two rows": swap,
    "by id": lambda p: p.mass.__setitem__(p.id == 1, 7.0),
    "signs": lambda p: np.negative(p.position, out=p.position),
}


@pytest.mark.parametrize("resident", [False, True])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_changed_acts_as_in_a_new_simulation(change: Change, resident: bool) -> None:
    more: dict[str, Any] = {"resident": True, "device": "cpu"} if resident else {}
    sim = gravity(pair(), **more)
    sim.run(steps=5)
    change(sim.particles)
    new = gravity(sim.particles.copy(), **more)
    assert sim.energies().total == pytest.approx(new.energies().total, rel=1e-12)
    for name in ("acceleration", "potential"):
        assert sim.particles.column(name) == pytest.approx(new.particles.column(name), rel=1e-12)
    change(sim.particles)
    new = gravity(sim.particles.copy(), **more)
    for each in (sim, new):
        each.step()
    assert sim.particles.velocity == pytest.approx(new.particles.velocity, rel=1e-12)


def test_a_change_in_a_callback_acts_at_the_next_step() -> None:
    sim = gravity(pair())
    sim.run(steps=6, callbacks=[(5, lambda now: set_mass(now.particles))])
    by_hand = gravity(pair())
    by_hand.run(steps=5)
    set_mass(by_hand.particles)
    other = gravity(by_hand.particles.copy())
    other.step()
    assert sim.particles.velocity == pytest.approx(other.particles.velocity, rel=1e-12)


def ions() -> tr.ParticleSet:
    places = (np.indices((6, 6, 6)).reshape(3, -1).T + 0.5) * 1.2
    made = tr.ParticleSet.from_columns(position=places, velocity=np.zeros((216, 3)), mass=np.ones(216))
    made.add_field("charge", unit="charge", meaning="electric charge")
    made.charge = np.where(np.arange(216) % 2 == 0, 1.0, -1.0)
    made.box = [[0.0, 0, 0], [7.2] * 3]
    return made


IONIC: dict[str, Change] = {
    "charges": lambda p: np.negative(p.charge, out=p.charge),
    "one charge": lambda p: p.charge.__setitem__(3, 0.0),
    "the box": lambda p: setattr(p, "box", [[0.0, 0, 0], [8.0] * 3]),
}


@pytest.mark.parametrize("change", IONIC.values(), ids=IONIC)
def test_so_do_charges_and_the_box(change: Change) -> None:
    forces = [tr.LennardJones(cutoff=2.5, truncation="force-shifted"), tr.Coulomb(coupling=2.0)]
    sim = tr.Simulation(ions(), forces, timestep=0.002)
    sim.run(steps=3)
    change(sim.particles)
    new = tr.Simulation(sim.particles.copy(), forces, timestep=0.002)
    assert sim.energies().total == pytest.approx(new.energies().total, rel=1e-9)
    for each in (sim, new):
        each.step()
    assert sim.particles.velocity == pytest.approx(new.particles.velocity, rel=1e-6, abs=1e-9)


LISTED: dict[str, Callable[[], tr.Force]] = {
    "bonds": lambda: tr.HarmonicBonds([[0, 1], [5, 60]], k=10.0, length=1.0),
    "excluded pairs": lambda: tr.LennardJones(exclude=[(0, 1), (5, 60, 0.5)]),
    "excluded pairs of a potential": lambda: tr.pair_potential("exp(-r)", cutoff=2.0, exclude=[(0, 1)]),
}


@pytest.mark.parametrize("make", LISTED.values(), ids=LISTED)
def test_so_do_ids_that_a_force_lists(make: Callable[[], tr.Force]) -> None:
    atoms = tr.ic.lennard_jones(108, density=0.6, temperature=1.0, seed=1)
    sim = tr.Simulation(atoms, [make()], timestep=0.001)
    for a, b in ((1, 70), (5, 90)):
        sim.run(steps=7)
        before = sim.energies().potential
        sim.particles.id[[a, b]] = sim.particles.id[[b, a]]
        new = tr.Simulation(sim.particles.copy(), [make()], timestep=0.001)
        if a == 1:
            assert sim.energies().potential == pytest.approx(new.energies().potential, rel=1e-6)
            assert sim.energies().potential != pytest.approx(before, rel=1e-6)
        for each in (sim, new):
            each.step()
        assert sim.particles.velocity == pytest.approx(new.particles.velocity, rel=1e-6, abs=1e-9)


def test_velocities_alone_are_free_but_in_a_gas() -> None:
    sim = gravity(tr.ic.plummer(100, seed=1))
    sim.run(steps=2)
    made = sim.list_use[0]["constructions"]
    sim.particles.velocity *= 2.0
    sim.step()
    assert sim.list_use[0]["constructions"] == made + 1
    sim.particles.mass *= 2.0
    sim.step()
    assert sim.list_use[0]["constructions"] == made + 4  # a rough force, the force, and that of the step
    flow = tr.Simulation(tr.ic.evrard(500), [tr.Sph()])
    flow.run(steps=2)
    made = flow.list_use[0]["constructions"] + flow.list_use[0]["reuses"]
    flow.particles.velocity += 0.5
    flow.step()
    assert flow.list_use[0]["constructions"] + flow.list_use[0]["reuses"] == made + 2


def test_accelerations_can_be_had_at_once() -> None:
    strength = [1.0]
    field = tr.External(lambda position, _: (-strength[0] * position, np.zeros(len(position))))
    sim = tr.Simulation(pair(), [field], timestep=0.1)
    sim.energies()
    strength[0] = 3.0
    sim.forces_changed()
    assert sim.particles.acceleration == pytest.approx(-3.0 * sim.particles.position)


@pytest.mark.parametrize("more", [{}, {"resident": True, "device": "cpu"}], ids=["host", "resident"])
def test_only_the_last_simulation_moves_the_particles(more: dict[str, Any]) -> None:
    particles = pair()
    first, last = gravity(particles, **more), gravity(particles, **more)
    last.step()
    with pytest.raises(ValueError, match="another simulation was made of the particles of this one"):
        first.step()
    with pytest.raises(ValueError, match="another simulation"):
        first.energies()


def test_a_refused_addition_leaves_the_simulation_its_particles() -> None:
    sim = gravity(pair())
    sim.step()
    with pytest.raises(ValueError, match="id"):
        sim.add(pair())
    sim.step()


def test_on_ranks_a_change_on_one_counts_on_all(found_on: FoundOn) -> None:
    program = """
import trellis as tr
sim = tr.Simulation(tr.ic.plummer(400, seed=1), [tr.Gravity(softening=0.05, accuracy=1e-5)], timestep=0.01)
sim.run(steps=3)
here = sim.particles.id == 17
sim.particles.mass[here] = 3.0
found = [sim.energies().total]
"""
    alone, shared = (found_on(ranks, program) for ranks in (1, 2))
    assert alone == pytest.approx(shared, rel=1e-5)

"""The part of potentials and interactions of one's own in the pressure tensor, against sums over pairs and images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr

Array = NDArray[np.float64]
SIDES = np.array([4.7, 5.6, 6.3])


def atoms() -> tr.ParticleSet:
    """Return 108 charged atoms of different masses near the sites of a lattice, in a box with three different sides."""
    made = tr.ic.lennard_jones(108, density=0.8, temperature=1.0, seed=2)
    random, old = np.random.default_rng(3), np.diff(made.box, axis=0)[0]
    return tr.ParticleSet.from_columns(
        position=made.position / old * SIDES + random.uniform(-0.12, 0.12, (108, 3)),
        velocity=made.velocity,
        mass=random.uniform(0.5, 2.0, 108),
        charge=random.uniform(-1.0, 2.0, 108),
        box=[[0.0] * 3, SIDES],
    )


def by_pairs(particles: tr.ParticleSet, pull: Callable[[Array, Any, Any], Any]) -> Array:
    """Return the pressure tensor by all pairs and images. pull: the force along d, the way from j to i, over d."""
    i, j = np.nonzero(~np.eye(len(particles), dtype=bool))
    motion = particles.velocity - np.average(particles.velocity, axis=0, weights=particles.mass)
    total = (particles.mass[:, None] * motion).T @ motion
    for image in np.ndindex(3, 3, 3):
        d = particles.position[i] - particles.position[j] + (np.array(image) - 1) * SIDES
        total += d.T @ (pull(d, i, j)[:, None] * d) / 2
    return np.asarray(total / SIDES.prod())


def test_counts_each_potential_of_ones_own(device: str) -> None:
    r, random = np.linspace(0.5, 3.0, 1000), np.random.default_rng(5)
    depth = np.array([[1.0, 1.5], [1.5, 0.5]])
    forces: list[tr.Force] = [
        tr.pair_potential("k * exp(-r) / r", k=2.0, source="charge", cutoff=2.5, precision="double"),
        tr.pair_potential(tr.table(r, np.exp(-r * r)), cutoff=3.0, precision="double", exclude=[(0, 1, 0.5), (1, 2)]),
        tr.pair_potential("depth * (2 - r)**2", depth=depth, cutoff=2.0, precision="double", skin=0.3),
    ]
    own = atoms()
    own.add_field("kind", values=random.integers(0, 2, 108))
    sim = tr.Simulation(own, forces, timestep=0.001, device=device)
    assert sim.pressure_tensor().trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)
    charge, kind = sim.particles.charge, sim.particles.kind.astype(int)

    def pull(d: Array, i: Any, j: Any) -> Array:
        r = np.linalg.norm(d, axis=1)
        yukawa = np.where(r < 2.5, 2.0 * charge[i] * charge[j] * np.exp(-r) * (1 / r + 1 / r**2) / r, 0)
        first, last = np.minimum(sim.particles.id[i], sim.particles.id[j]), sim.particles.id[i] + sim.particles.id[j]
        factor = np.where((first == 0) & (last == 1), 0.5, np.where((first == 1) & (last == 3), 0.0, 1.0))
        gauss = np.where(r < 3.0, 2 * np.exp(-r * r), 0) * factor
        return np.asarray(yukawa + gauss + np.where(r < 2.0, 2 * depth[kind[i], kind[j]] * (2 - r) / r, 0))

    exact = by_pairs(sim.particles, pull)
    assert sim.pressure_tensor() == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())
    assert np.abs(exact[0, 1]) > 1e-4


@tr.interaction(results=["neighbours"])
def drag(i, j, out, *, gamma, cutoff):  # type: ignore[no-untyped-def]
    d = j.position - i.position
    toward = tr.dot(j.velocity - i.velocity, d) / tr.dot(d, d)
    out.acceleration += gamma * toward / i.mass * d
    out.virial -= gamma * toward * tr.dot(d, d)
    out.neighbours += 1


def test_counts_interactions_of_ones_own() -> None:
    sim = tr.Simulation(atoms(), [drag(gamma=0.7, cutoff=1.5, precision="double")], timestep=0.001)
    velocity = sim.particles.velocity

    def pull(d: Array, i: Any, j: Any) -> Array:
        r2 = (d**2).sum(axis=1)
        return np.where(r2 < 1.5**2, -0.7 * ((velocity[i] - velocity[j]) * d).sum(axis=1) / r2, 0)

    tensor = sim.pressure_tensor()
    assert tensor == pytest.approx(by_pairs(sim.particles, pull), rel=1e-10, abs=1e-12)
    assert tensor.trace() / 3 == pytest.approx(sim.pressure(), rel=1e-11)


def test_its_first_index_is_that_of_the_distance_where_forces_are_not_central() -> None:
    @tr.interaction(vectors=["spin"])
    def turning(i, j, out, *, cutoff):  # type: ignore[no-untyped-def]
        out.acceleration += tr.cross(i.spin + j.spin, j.position - i.position) / i.mass

    own = tr.ParticleSet.from_columns(position=[[1.0, 1, 1], [1.5, 1, 1]], mass=[2.0, 3.0], box=[4.0] * 3)
    own.add_field("spin", values=np.array([[0.0, 0, 1]] * 2))
    tensor = tr.Simulation(own, [turning(cutoff=1.0)], timestep=0.001).pressure_tensor()
    assert tensor * 64 == pytest.approx(np.array([[0, -0.5, 0], [0, 0, 0], [0, 0, 0]]))  # r = -x / 2, f = y


@tr.interaction
def yukawa(i, j, out, *, k, cutoff):  # type: ignore[no-untyped-def]
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d))
    out.potential += k * k * tr.exp(-r) / r / i.mass
    out.acceleration -= k * k * tr.exp(-r) * (1 + r) / r**3 / i.mass * d


def test_derivatives_by_a_parameter_have_derivatives_of_it() -> None:
    made = tr.pair_potential("k * k * exp(-r) / r", k=3.0, cutoff=2.0, precision="double")
    for force in (made, yukawa(k=3.0, cutoff=2.0, precision="double")):
        own = atoms()
        own.velocity[:] = 0
        tensor = tr.Simulation(own.copy(), [force], timestep=0.001).pressure_tensor()
        slope = tr.Simulation(own, [force.derivative("k")], timestep=0.001).pressure_tensor()
        assert slope * 3 / 2 == pytest.approx(tensor, rel=1e-10, abs=1e-12)


def test_refuses_what_is_no_sum_over_pairs() -> None:
    @tr.interaction(results=["density"])
    def counted(i, j, out, *, cutoff):  # type: ignore[no-untyped-def]
        out.density += j.mass

    @tr.interaction(results=["density"])
    def finished(i, j, out, *, cutoff):  # type: ignore[no-untyped-def]
        d = j.position - i.position
        out.acceleration += d
        out.virial += tr.dot(d, d)

    @finished.finish
    def doubled(i, out):  # type: ignore[no-untyped-def]
        out.acceleration = 2 * out.acceleration

    for interaction in (counted, finished):
        sim = tr.Simulation(atoms(), [interaction(cutoff=1.5)], timestep=0.001)
        with pytest.raises(tr.InputError, match=f"but {interaction.__name__} is among the forces, whose part"):
            sim.pressure_tensor()

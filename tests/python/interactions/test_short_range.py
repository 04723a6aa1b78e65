"""Interactions in Python within a search radius, against C++ and against direct summation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from own_interactions import Array, after_a_step, difference, lennard_jones, liquid, melt

import trellis as tr


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 3e-7), ("double", 1e-14)])
def test_lennard_jones_is_that_of_cpp(precision: str, tolerance: float) -> None:
    atoms = melt()
    ours = after_a_step(atoms, lennard_jones(cutoff=2.5, skin=0.5, precision=precision))
    theirs = after_a_step(atoms, tr.LennardJones(cutoff=2.5, skin=0.5, precision=precision))
    for name in ("acceleration", "potential", "virial"):
        assert difference(ours.particles.column(name), theirs.particles.column(name)) <= tolerance
    assert ours.interactions == theirs.interactions


def test_parameters_change_the_force_without_compiling() -> None:
    from trellis.interactions.code import compiled

    first = lennard_jones(epsilon=1.0, cutoff=2.0)
    known = len(compiled._loaded)
    atoms = melt()
    ours = after_a_step(atoms, lennard_jones(epsilon=2.0, sigma=0.9, cutoff=2.25))
    theirs = after_a_step(atoms, tr.LennardJones(epsilon=2.0, sigma=0.9, cutoff=2.25))
    assert len(compiled._loaded) == known
    assert difference(ours.particles.acceleration, theirs.particles.acceleration) < 3e-7
    assert first.settings["epsilon"] == 1.0


def test_energy_of_a_liquid_is_kept_while_lists_are_reused() -> None:
    def soft(i: Any, j: Any, out: Any, *, cutoff: float, stiffness: float = 50.0) -> None:
        d = j.position - i.position
        r = tr.sqrt(tr.dot(d, d))
        overlap = 1 - r / cutoff
        out.potential += 0.5 * stiffness * overlap**2
        out.acceleration -= stiffness * overlap / (cutoff * r) * d

    sim = tr.Simulation(liquid(8, 2.0), [tr.interaction(soft)(cutoff=1.0)], timestep=0.002)
    before = sim.energies().total
    sim.run(steps=200)
    assert sim.list_use[0]["reuses"] > 100
    assert abs(sim.energies().total - before) < 1e-3 * abs(before)


GRAIN = {"cutoff": 1.0, "stiffness": 10.0, "friction": 0.3}


@tr.interaction(
    vectors=["spin", "spin_rate"], results=["contacts", "overlap", "nearest"], evolves={"spin": "spin_rate"}
)
def grains(i: Any, j: Any, out: Any, *, cutoff: float, stiffness: float, friction: float) -> None:
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d))
    n = d / r
    depth = tr.maximum(i.radius + j.radius - r, 0)
    slip = j.velocity - i.velocity - tr.cross(i.radius * i.spin + j.radius * j.spin, n)
    rub = friction * stiffness * depth * (slip - tr.dot(slip, n) * n)
    out.acceleration += (rub - stiffness * depth * n) / i.mass
    out.spin_rate += i.radius / (0.4 * i.mass * i.radius**2) * tr.cross(n, rub)
    out.contacts += tr.where((depth > 0) & (r < cutoff), 1, 0)
    out.overlap.raise_to(depth)
    out.nearest.lower_to(r)


def grains_by_sums(box: Array, x: Array, v: Array, spin: Array, radius: Array) -> dict[str, Array]:
    """Return results of `grains` for unit masses by direct summation over nearest images."""
    d = x[None] - x[:, None]
    d -= box * np.round(d / box)
    r = np.sqrt((d**2).sum(axis=2))
    np.fill_diagonal(r, np.inf)
    near = r < GRAIN["cutoff"]
    with np.errstate(invalid="ignore"):
        n = np.where(near[:, :, None], d / r[:, :, None], 0)
    depth = np.where(near, np.maximum(radius[:, None] + radius[None] - r, 0), 0)
    arms = radius[:, None] * spin
    slip = v[None] - v[:, None] - np.cross(arms[:, None] + arms[None], n)
    rub = (GRAIN["friction"] * GRAIN["stiffness"] * depth)[:, :, None] * (slip - (slip * n).sum(2)[:, :, None] * n)
    torque = np.cross(n, rub) * (radius / (0.4 * radius**2))[:, None, None]
    nearest = np.where(near, r, np.inf).min(axis=1)
    return {
        "acceleration": (rub - GRAIN["stiffness"] * depth[:, :, None] * n).sum(axis=1),
        "spin_rate": torque.sum(axis=1),
        "contacts": (depth > 0).sum(axis=1).astype(float),
        "overlap": depth.max(axis=1),
        "nearest": np.where(np.isinf(nearest), 0, nearest),
    }


@pytest.mark.parametrize(("precision", "tolerance"), [("single", 2e-6), ("double", 1e-10)])
def test_grains_with_friction_and_spin_are_the_direct_sum(precision: str, tolerance: float, device: str) -> None:
    particles = liquid(7, 1.5)
    random = np.random.default_rng(3)
    count = len(particles)
    for name, components in [("radius", 1), ("spin", 3)]:
        particles.add_field(name, components)
    particles.velocity, particles.spin = random.normal(size=(2, count, 3))
    particles.radius = random.uniform(0.35, 0.48, count)
    given = [particles.column(name).copy() for name in ("position", "velocity", "spin", "radius")]
    x, v, spin, radius = given
    exact = grains_by_sums(np.diff(particles.box, axis=0)[0], x, v, spin, radius)
    sim = tr.Simulation(particles, [grains(**GRAIN, precision=precision, device=device)], timestep=1e-12)
    sim.run(steps=1)
    order = np.argsort(sim.particles.id)
    for name, values in exact.items():
        assert difference(sim.particles.column(name)[order], values) <= tolerance, name
    assert sim.force_error(50)["rms"] <= 2 * tolerance
    sim.run(steps=1)
    assert difference(sim.particles.spin[order], spin) < 1e-9  # it has been kicked by spin_rate


@pytest.mark.parametrize("search", ["gather", "scatter", "symmetric"])
def test_search_radii_of_each_particle(search: str, device: str) -> None:
    @tr.interaction(radius="reach", search=search, results=["weight"])
    def count(i: Any, j: Any, out: Any) -> None:
        out.weight += j.mass

    particles = liquid(8, 1.0)
    random = np.random.default_rng(5)
    particles.add_field("reach")
    particles.reach = random.uniform(0.8, 1.6, len(particles))
    particles.mass = random.uniform(1, 2, len(particles))
    x, reach, mass = (particles.column(name).copy() for name in ("position", "reach", "mass"))
    box = np.diff(particles.box, axis=0)[0]
    d = x[None] - x[:, None]
    r = np.sqrt(((d - box * np.round(d / box)) ** 2).sum(axis=2))
    np.fill_diagonal(r, np.inf)
    of_i, of_j = reach[:, None], reach[None]
    limit = {"gather": of_i + 0 * of_j, "scatter": of_j + 0 * of_i, "symmetric": np.maximum(of_i, of_j)}[search]
    sim = after_a_step(particles, count(precision="double", device=device))
    assert difference(sim.particles.weight[np.argsort(sim.particles.id)], ((r < limit) * mass).sum(axis=1)) < 1e-14
    assert sim.force_error(50)["rms"] < 1e-13


def test_the_same_bits_on_any_number_of_threads() -> None:
    forces = []
    for threads in (1, 2, 3):
        tr.set_threads(threads)
        forces.append(after_a_step(liquid(), lennard_jones(cutoff=2.5)).particles.acceleration.copy())
    assert all((each == forces[0]).all() for each in forces)


@pytest.mark.parametrize("count", [100, 1000])
@pytest.mark.parametrize("radius", ["", "reach"])
def test_sparse_particles_are_computed_in_double_precision(count: int, radius: str) -> None:
    def contact(i: Any, j: Any, out: Any) -> None:
        d = j.position - i.position
        r = tr.sqrt(tr.dot(d, d))
        out.acceleration -= tr.maximum(2e-4 - r, 0) / r * d

    random = np.random.default_rng(1)
    direction = random.normal(size=(count, 3))
    middle, apart = random.random((count, 3)), 1e-4 * direction / np.linalg.norm(direction, axis=1)[:, None]
    pairs = tr.ParticleSet.from_columns(position=np.concatenate([middle - apart, middle + apart]) * 0.99, mass=1.0)
    pairs.add_field("reach", values=3e-4)
    interaction = tr.interaction(radius=radius)(contact)
    cutoff: dict[str, Any] = {} if radius else {"cutoff": 3e-4}
    chosen, single, double = (
        after_a_step(pairs, interaction(**cutoff, **given)).particles.acceleration
        for given in ({}, {"precision": "single"}, {"precision": "double"})
    )
    assert (chosen == double).all()
    assert difference(single, double) > 1e-4

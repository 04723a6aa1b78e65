"""Interactions for tests, and particles that they act on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import trellis as tr

Array = NDArray[np.float64]
ALL = slice(None)


@tr.interaction
def gravity(i: Any, j: Any, out: Any, *, epsilon2: float = 1e-4) -> None:
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + epsilon2)
    out.potential -= j.mass / r
    out.acceleration += j.mass / r**3 * d


@tr.interaction
def yukawa(i: Any, j: Any, out: Any, *, length: float = 1.0, epsilon2: float = 1e-4) -> None:
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + epsilon2)
    w = j.charge * tr.exp(-r / length) / r
    out.potential += i.charge / i.mass * w
    out.acceleration -= i.charge / i.mass * w * (1 / r + 1 / length) / r * d


@tr.interaction
def lennard_jones(i: Any, j: Any, out: Any, *, epsilon: float = 1.0, sigma: float = 1.0) -> None:
    d = j.position - i.position
    r2 = tr.dot(d, d)
    s6 = (sigma**2 / r2) ** 3
    energy = s6**2 - s6
    outward = energy + s6**2
    out.potential += 4 * epsilon / i.mass * energy
    out.virial += 24 * epsilon * outward
    out.acceleration -= 24 * epsilon / i.mass * outward / r2 * d


@tr.interaction(results=["density", "pressure", "nearest"])
def gas(i: Any, j: Any, out: Any, *, cutoff: float, index: float = 5 / 3) -> None:
    d = j.position - i.position
    r2 = tr.dot(d, d)
    out.density += j.mass * (1 - r2 / cutoff**2) ** 2
    out.acceleration += j.mass / i.mass * (1 - r2 / cutoff**2) * d
    out.nearest.lower_to(r2)


@gas.finish
def with_itself(i: Any, out: Any, *, index: float) -> None:
    out.density += i.mass
    out.pressure = out.density**index
    out.acceleration = 3 * out.acceleration / out.density
    out.potential = out.pressure - tr.dot(out.acceleration, i.position)
    out.nearest = tr.sqrt(out.nearest)


def dust(count: int, seed: int = 1) -> tr.ParticleSet:
    """Return a ball of charges of both signs, of different masses."""
    random = np.random.default_rng(seed)
    masses = random.uniform(0.5, 2, count)
    particles = tr.ParticleSet.from_columns(position=random.normal(size=(count, 3)), mass=masses)
    particles.add_field("charge")
    particles.charge[:] = random.choice([-1.0, 1.0], count) * random.uniform(0.01, 0.02, count)
    return particles


def liquid(along: int = 12, density: float = 0.8, share: slice = ALL) -> tr.ParticleSet:
    """Return atoms near a lattice in a periodic box, or a share of them."""
    side = along / density ** (1 / 3)
    lattice = (np.indices((along,) * 3).reshape(3, -1).T + 0.5) * side / along
    shifts = np.random.default_rng(1).normal(scale=0.05, size=lattice.shape)
    return tr.ParticleSet.from_columns(
        position=(lattice + shifts)[share], mass=np.ones(along**3)[share], box=[side] * 3
    )


def melt() -> tr.ParticleSet:
    """Return Lennard-Jones atoms after a while at temperature 1."""
    bath = tr.Langevin(temperature=1.0, relaxation_time=0.1, seed=1)
    sim = tr.Simulation(liquid(), [tr.LennardJones(truncation="force-shifted")], timestep=0.004, thermostat=bath)
    sim.run(steps=300)
    return sim.particles


def after_a_step(particles: tr.ParticleSet, *forces: tr.Force) -> tr.Simulation:
    """Return a simulation whose particles have hardly moved."""
    simulation = tr.Simulation(particles.copy(), list(forces), timestep=1e-9)
    simulation.run(steps=1)
    return simulation


def difference(a: Array, b: Array) -> float:
    """Return the root-mean-square difference over the root mean square of b."""
    return float(np.sqrt(((a - b) ** 2).sum() / (b**2).sum()))

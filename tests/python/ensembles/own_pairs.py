"""Interactions and systems of the tests of ensembles, and direct sums over their pairs in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trellis as tr

Floats = NDArray[np.float64]
LENNARD_JONES = "4*eps*((sigma/r)**12 - (sigma/r)**6)"
LANGEVIN = tr.Langevin(temperature=0.8, relaxation_time=0.3, seed=5)
NOSE_HOOVER = tr.NoseHoover(temperature=0.8, relaxation_time=0.3)
CSVR = tr.Csvr(temperature=0.8, relaxation_time=0.3, seed=5)
ANDERSEN = tr.Andersen(temperature=0.8, relaxation_time=0.3, seed=5)
BATHS = {"none": None, "Langevin": LANGEVIN, "Nose-Hoover": NOSE_HOOVER, "Csvr": CSVR, "Andersen": ANDERSEN}


@tr.interaction
def screened(i: Any, j: Any, out: Any, *, length: float = 1.0, epsilon2: float = 0.01) -> None:
    """Let charges act on each other: what i and j give each other differs by their charges and masses."""
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + epsilon2)
    w = j.charge * tr.exp(-r / length) / r
    out.potential += i.charge / i.mass * w
    out.acceleration -= i.charge / i.mass * w * (1 / r + 1 / length) / r * d


def energy_of(r: Floats, length: float) -> Floats:
    softened = np.sqrt(r**2 + 0.01)
    return np.asarray(np.exp(-softened / length) / softened)


def atoms_in_python(**given: Any) -> tr.Force:
    return tr.pair_potential(
        LENNARD_JONES, **{"cutoff": 2.5, "truncation": "force-shifted", "eps": 1, "sigma": 1, **given}
    )


ATOMS = atoms_in_python()


def liquids(count: int, atoms: int = 256) -> list[tr.ParticleSet]:
    return [tr.ic.lennard_jones(atoms, seed=seed) for seed in range(count)]


def charges(count: int, seed: int = 1, side: float = 0.0) -> tr.ParticleSet:
    """Return charges of both signs and of different masses, in open space or in a box."""
    random = np.random.default_rng(seed)
    position = random.uniform(0, side, (count, 3)) if side else random.normal(size=(count, 3))
    made = tr.ParticleSet.from_columns(position=position, mass=random.uniform(0.5, 2, count))
    made.add_field("charge")
    made.charge[:] = random.choice([-1.0, 1.0], count) * random.uniform(0.5, 1, count)
    if side:
        made.box = [[0.0] * 3, [side] * 3]
    return made


def apart(one: tr.ParticleSet, other: tr.ParticleSet) -> float:
    d = np.asarray(one.position) - np.asarray(other.position)
    low, high = np.asarray(one.box)
    side = np.where(np.isfinite(high - low), high - low, np.inf)
    return float(np.abs(d - np.where(np.isfinite(side), side * np.round(d / side), 0)).max())


def directly(particles: tr.ParticleSet, length: float, cutoff: float) -> tuple[Floats, float]:
    """Return accelerations and the potential energy of `screened` in double precision, by the energy alone."""
    x, q, h = np.asarray(particles.position), np.asarray(particles.charge), 1e-5
    d = x[None] - x[:, None]
    low, high = np.asarray(particles.box)
    if np.isfinite(high - low).all():
        d -= (high - low) * np.round(d / (high - low))
    r = np.linalg.norm(d, axis=-1)
    counts = (r < cutoff) & ~np.eye(len(x), dtype=bool)
    both = q[:, None] * q[None]
    slope = (energy_of(r + h, length) - energy_of(r - h, length)) / (2 * h)
    towards = np.where(counts, both * slope / np.where(counts, r, 1), 0)
    acceleration = np.einsum("ij,ijc->ic", towards, d) / np.asarray(particles.mass)[:, None]
    return acceleration, 0.5 * float(np.where(counts, both * energy_of(r, length), 0).sum())


def same(one: tr.Ensemble, other: tr.Ensemble) -> bool:
    """Return whether all particles of two ensembles have the same bits."""
    return all(
        np.array_equal(getattr(one, name)[k], getattr(other, name)[k])
        for name in ("positions", "velocities")
        for k in range(len(one.positions))
    )


def two_potentials(device: str) -> tr.ReplicaExchange:
    """Return an exchange between two potentials, of which each is a kernel of its own."""
    potentials = [
        tr.pair_potential("4*(r**-12 - r**-6)", cutoff=5.0, truncation="energy-shifted"),
        tr.pair_potential("4*(r**-12 - r**-6) + exp(-r) / 50", cutoff=4.0, truncation="force-shifted"),
    ]
    systems = tr.quenched([tr.ic.cluster(13, seed=1)] * 2, tr.LennardJones(cutoff=20.0)).particles
    ensemble = tr.Ensemble(systems, potentials, timestep=0.002, thermostat=LANGEVIN, temperature=0.2, device=device)
    return tr.ReplicaExchange(ensemble, [0.2, 0.2], exchange_every=10, seed=1)


def assert_bits_of_systems_alone(
    made: Callable[[list[tr.ParticleSet]], tr.Ensemble], systems: list[tr.ParticleSet]
) -> None:
    """Check that bits depend on neither neighbours nor calls nor a state between; made: the ensemble of systems."""
    whole, halves, alone, resumed = made(systems), made(systems), made(systems[:1]), made(systems)
    whole.advance(40)
    alone.advance(40)
    halves.advance(20)
    resumed.restore(halves.state())
    halves.advance(20)
    resumed.advance(20)
    assert same(whole, halves)
    assert same(whole, resumed)
    assert np.array_equal(whole.positions[0], alone.positions[0])

"""Forces of short range between particles whose neighbours are far nearer than the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trellis as tr

SIGMA = 5e-4


def pairs(count: int) -> tr.ParticleSet:
    """Return pairs of atoms that touch each other, at random places of a box that is 1,000 cutoffs wide."""
    random = np.random.default_rng(3)
    first = random.uniform(0.1, 0.9, (count, 3))
    apart = random.normal(size=(count, 3))
    apart *= SIGMA * random.uniform(0.95, 1.3, (count, 1)) / np.linalg.norm(apart, axis=1, keepdims=True)
    position = np.concatenate([first, first + apart])
    return tr.ParticleSet.from_columns(position=position, velocity=np.zeros_like(position), mass=1.0)


@pytest.mark.parametrize("where", [{}, {"device": "cpu"}], ids=["host", "device"])
@pytest.mark.parametrize("periodic", [False, True])
def test_forces_are_as_exact_as_among_dense_particles(where: dict[str, Any], periodic: bool) -> None:
    atoms = pairs(150)
    if periodic:
        atoms.box = [[0.0, 0, 0], [1.0, 1, 1]]
    force = tr.LennardJones(epsilon=1.0, sigma=SIGMA, cutoff=2 * SIGMA)
    sim = tr.Simulation(atoms, [force], 1e-9, keep_order=True, **where)
    sim.energies()
    half = len(atoms) // 2
    d = sim.particles.position[half:] - sim.particles.position[:half]
    r2 = (d**2).sum(axis=1, keepdims=True) / SIGMA**2
    exact = -24 * (2 / r2**7 - 1 / r2**4) / SIGMA**2 * d
    size = np.linalg.norm(exact, axis=1)
    error = np.linalg.norm(sim.particles.acceleration[:half] - exact, axis=1) / np.maximum(size, 1 / SIGMA)
    assert error.max() < 1e-5

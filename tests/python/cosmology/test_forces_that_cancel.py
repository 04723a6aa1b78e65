"""Forces that nearly cancel: the net force is a small part of the forces that it is the sum of."""

from __future__ import annotations

import numpy as np

import trellis as tr


def in_cube(points: np.ndarray, accuracy: float, method: str = "fmm") -> tuple[tr.ParticleSet, tr.Simulation]:
    particles = tr.ParticleSet.from_columns(position=points, mass=1 / len(points))
    particles.box = [[0, 0, 0], [1, 1, 1]]
    gravity = tr.Gravity(softening=0.04 / 16, accuracy=accuracy, method=method)
    sim = tr.Simulation(particles, [gravity], 1e-9)
    sim.energies()
    return particles, sim


LATTICE = np.stack(np.unravel_index(np.arange(16**3), (16,) * 3), axis=1) / 16


def test_early_matter_has_the_accuracy_asked_for() -> None:
    """Images are to be as accurate at 1e-4 where a net force is a fiftieth of G M / L^2."""
    space = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)
    particles, sim = in_cube(tr.ic.cosmology(space, 16**3, seed=1, box=1e5).position / 1e5, 1e-4)
    net = np.sqrt((particles.acceleration**2).sum(axis=1).mean())
    assert 0.01 < net < 0.03
    assert 1e-5 < sim.force_error(100)["rms"] < 1e-4


def test_matter_of_redshift_9_has_the_accuracy_asked_for_by_a_mesh() -> None:
    space = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)
    places = tr.ic.cosmology(space, 12**3, seed=3, box=5e4, redshift=9).position / 5e4
    found, exact = (
        sim.particles.acceleration[np.argsort(sim.particles.id)]
        for sim in (in_cube(places, 1e-3, "treepm")[1], in_cube(places, 1e-5)[1])
    )
    assert ((found - exact) ** 2).sum() < 1e-6 * (exact**2).sum()


def test_no_particle_of_a_lattice_feels_a_net_force() -> None:
    particles, _ = in_cube(LATTICE, 1e-3)
    of_neighbour = 1 / 16**3 * 16**2
    assert np.linalg.norm(particles.acceleration, axis=1).max() < 1e-5 * of_neighbour

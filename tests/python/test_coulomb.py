"""Coulomb's force between charges in a periodic box."""

from __future__ import annotations

import numpy as np
import pytest

import trellis as tr


def rock_salt(along: int = 4) -> tr.ParticleSet:
    """Return ions at distance 1, of mass 2."""
    places = np.indices((along,) * 3).reshape(3, -1).T.astype(float)
    ions = tr.ParticleSet.from_columns(position=places, mass=np.full(along**3, 2.0))
    ions.add_field("charge")
    ions.charge[:] = 1 - 2 * (places.sum(axis=1) % 2)
    ions.box = [[0.0] * 3, [float(along)] * 3]
    return ions


def test_rock_salt_has_the_madelung_constant() -> None:
    ions = rock_salt()
    sim = tr.Simulation(ions, forces=[tr.Coulomb(accuracy=1e-4)], timestep=0.01)
    sim.step()
    np.testing.assert_allclose(2 * ions.potential, -1.7475645946332, rtol=1e-4)


def test_charges_of_both_signs_have_the_forces_of_ewald() -> None:
    random = np.random.default_rng(1)
    ions = tr.ParticleSet.from_columns(position=random.random((1000, 3)), mass=random.uniform(1, 2, 1000))
    ions.add_field("charge")
    ions.charge[:] = random.uniform(-1, 1, 1000)
    ions.box = [[0, 0, 0], [1, 1, 1]]
    sim = tr.Simulation(ions, forces=[tr.Coulomb(softening=0.002, coupling=2.0)], timestep=1e-6)
    sim.step()
    assert sim.force_error(50)["rms"] < 3e-3  # each over its own force, which may nearly cancel
    assert (np.abs((ions.mass[:, None] * ions.acceleration).sum(axis=0)) < 1e-3 * np.abs(ions.acceleration).sum()).all()


def test_particles_without_charges_are_refused() -> None:
    particles = tr.ParticleSet.from_columns(position=np.zeros((1, 3)), mass=1.0)
    particles.box = [[0, 0, 0], [1, 1, 1]]
    with pytest.raises(tr.InputError, match="the particles have no field 'charge'"):
        tr.Simulation(particles, forces=[tr.Coulomb()], timestep=0.1)

"""The accuracy of gravity and of charges beside external fields, bonds and pairs within a cutoff, much stronger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr

Array = NDArray[np.float64]
PULL = np.array([300.0, 200.0, -100.0])
FIELD = tr.external.UniformField(acceleration=PULL.tolist())
FUNCTION = tr.PythonForce(
    lambda position: 0 * position + PULL, needs=["position"], gives=["acceleration"], of_each=True
)
SOFTENING = 0.02


def stars(count: int = 1500) -> tr.ParticleSet:
    return tr.ic.plummer(count, seed=4)


def direct(particles: tr.ParticleSet) -> Array:
    """Return the accelerations of particles by each other, by direct summation."""
    x, m = particles.position, particles.mass
    d = x[None] - x[:, None]
    r2 = (d**2).sum(axis=2) + SOFTENING**2
    total: Array = (m[None, :, None] * d / r2[..., None] ** 1.5).sum(axis=1)
    return total


def error(sim: tr.Simulation) -> float:
    """Return the RMS relative error of the accelerations of particles by each other."""
    exact = direct(sim.particles)
    differences = np.linalg.norm(sim.particles.acceleration - PULL - exact, axis=1) / np.linalg.norm(exact, axis=1)
    return float(np.sqrt((differences**2).mean()))


def gravity(**others: Any) -> tr.Gravity:
    return tr.Gravity(softening=SOFTENING, accuracy=1e-3, **others)


@pytest.mark.parametrize("method", ["fmm", "tree"])
@pytest.mark.parametrize("field", [FIELD, FUNCTION])
def test_gravity_is_as_accurate_as_without_the_field(method: Any, field: tr.Force) -> None:
    sim = tr.Simulation(stars(), [gravity(method=method), field], 1 / 1024)
    sim.run(steps=3)
    free = tr.Simulation(stars(), [gravity(method=method)], 1 / 1024)
    free.run(steps=3)
    assert error(sim) < 1.1e-3
    assert error(sim) < 1.3 * free.force_error(1500)["rms"]
    assert sim.force_error(1500)["rms"] == pytest.approx(error(sim), rel=1e-6)


def test_levels_of_individual_steps_move_as_without_the_field() -> None:
    def run(*fields: tr.Force) -> tr.Simulation:
        steps = tr.IndividualSteps(longest=1 / 8, eta=0.01, criterion="tidal")
        sim = tr.Simulation(stars(), [gravity(), *fields], steps, keep_order=True)
        sim.run(steps=2)
        return sim

    free, pulled = run(), run(FIELD)
    assert (np.asarray(pulled.rung_use["particles"]) > 0).sum() > 2
    fallen = 0.5 * PULL * free.time**2
    np.testing.assert_allclose(pulled.particles.position - fallen, free.particles.position, atol=1e-10)


def test_the_same_of_particles_that_stay_on_a_device_and_after_a_resume(tmp_path: Path) -> None:
    where: dict[str, Any] = {"device": "cpu", "resident": True}
    parts = [tr.external.UniformField(acceleration=(share * PULL).tolist()) for share in (0.25, 0.75)]
    forces = [gravity(method="tree", order=1, reuse_steps=4), *parts]
    sim = tr.Simulation(stars(), forces, 1 / 1024, **where)
    sim.run(steps=6)
    tr.io.write_checkpoint(tmp_path / "half.hdf5", sim.state())
    sim.run(steps=3)
    assert error(sim) < 1.1e-3
    again = tr.Simulation.resume(tr.io.read_checkpoint(tmp_path / "half.hdf5"), forces, 1 / 1024, **where)
    again.run(steps=3)
    np.testing.assert_array_equal(again.particles.velocity, sim.particles.velocity)


def test_a_particle_that_only_the_field_moves_has_no_error() -> None:
    massless = stars(100)
    massless.mass = 0.0
    sim = tr.Simulation(massless, [gravity(), FIELD], 1 / 1024)
    sim.run(steps=2)
    assert sim.force_error(100)["rms"] == 0


@pytest.mark.parametrize("stiffness", [1e-3, 10.0])
def test_gravity_is_as_accurate_beside_stiff_bonds(stiffness: float) -> None:
    pairs = np.arange(1500).reshape(-1, 2)
    bonds = tr.HarmonicBonds(pairs, k=stiffness, length=0.1)
    alone = tr.Simulation(stars(), [bonds], 1e-9)
    alone.run(steps=2)
    both = tr.Simulation(stars(), [gravity(), bonds], 1e-9)
    both.run(steps=2)
    exact = direct(both.particles)
    differences = both.particles.acceleration - alone.particles.acceleration - exact
    assert np.sqrt((differences**2).sum() / (exact**2).sum()) < 1e-3


def repulsion(strength: float) -> tr.Force:
    return tr.pair_potential(f"{strength} * (1 - r / 0.1)**2", cutoff=0.1)


@pytest.mark.parametrize("strength", [0.1, 1e4])
def test_gravity_is_as_accurate_beside_strong_pairs_within_a_cutoff(strength: float) -> None:
    alone = tr.Simulation(stars(), [repulsion(strength)], 1e-9, keep_order=True)
    alone.run(steps=2)
    both = tr.Simulation(stars(), [repulsion(strength), gravity()], 1e-9, keep_order=True)
    both.run(steps=2)
    exact = direct(both.particles)
    differences = both.particles.acceleration - alone.particles.acceleration - exact
    own = 1e-6 * np.linalg.norm(alone.particles.acceleration, axis=1)  # rounding of pairs in single precision
    ratios = np.maximum(np.linalg.norm(differences, axis=1) - own, 0) / np.linalg.norm(exact, axis=1)
    assert np.sqrt((ratios**2).mean()) < 1e-3
    assert both.force_error(1500)["rms"] < 1e-3


def test_levels_of_individual_steps_know_gravity_from_strong_pairs_after_a_resume(tmp_path: Path) -> None:
    steps = tr.IndividualSteps(longest=1 / 64, eta=0.01, criterion="tidal")
    limit = tr.StepLimit(lambda _: 1 / 512)
    forces = [gravity(), repulsion(10.0), limit]
    sim = tr.Simulation(stars(300), forces, steps, keep_order=True)
    sim.run(steps=2)
    assert sim.force_error(300)["rms"] < 1e-3
    tr.io.write_checkpoint(tmp_path / "half.hdf5", sim.state())
    sim.run(steps=2)
    again = tr.Simulation.resume(tr.io.read_checkpoint(tmp_path / "half.hdf5"), forces, steps)
    again.run(steps=2)
    np.testing.assert_array_equal(again.particles.velocity, sim.particles.velocity)


def test_the_field_of_charges_is_as_accurate_beside_stiff_bonds() -> None:
    def accelerations(*forces: tr.Force) -> Array:
        random = np.random.default_rng(1)
        grid = np.indices((6, 6, 6)).reshape(3, -1).T + 0.5
        ions = tr.ParticleSet.from_columns(position=grid + random.uniform(-0.15, 0.15, (216, 3)), mass=1.0, box=6.0)
        ions.charge = random.permutation(np.tile([1.0, -1.0], 108))
        sim = tr.Simulation(ions, forces, 1e-9)
        sim.run(steps=2)
        return np.array(sim.particles.acceleration)

    bonds = tr.HarmonicBonds(np.arange(216).reshape(-1, 2), k=1e4, length=0.8)
    exact = accelerations(tr.Coulomb(accuracy=1e-4))
    differences = accelerations(tr.Coulomb(accuracy=1e-3), bonds) - accelerations(bonds) - exact
    assert np.sqrt((differences**2).sum() / (exact**2).sum()) < 1e-3

"""The accuracy of gravity between particles in an external field that is much stronger than it."""

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

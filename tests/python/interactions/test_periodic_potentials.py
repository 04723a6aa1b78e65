"""Pair potentials of long range in periodic boxes, against sums over all images."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from own_interactions import Array, after_a_step, difference

import trellis as tr
from trellis.io import read_checkpoint, write_checkpoint

SCREENED = "exp(-r / length) / sqrt(r**2 + e2)"
LENGTH, E2, SIDE = 0.3, 1e-2, 2.0


def plasma(count: int, open_axis: int | None = None) -> tr.ParticleSet:
    """Return charges of both signs in a periodic cube, or in one that is open along an axis."""
    random = np.random.default_rng(4)
    particles = tr.ParticleSet.from_columns(
        position=random.uniform(0, SIDE, (count, 3)),
        velocity=0.2 * random.normal(size=(count, 3)),
        mass=random.uniform(1, 2, count),
    )
    particles.add_field("charge")
    particles.charge[:] = random.choice([-0.3, 0.3], count)
    low, high = np.zeros(3), np.full(3, SIDE)
    if open_axis is not None:
        low[open_axis], high[open_axis] = -np.inf, np.inf
    particles.box = [low, high]
    return particles


def force(**settings: object) -> tr.Force:
    return tr.pair_potential(SCREENED, source="charge", length=LENGTH, e2=E2, **settings)  # type: ignore[arg-type]


def by_speed() -> tr.StepLimit:
    return tr.StepLimit(lambda particles: 0.001 / np.linalg.norm(particles.velocity, axis=1))


def sum_over_images(particles: tr.ParticleSet, periods: int = 5) -> tuple[Array, Array]:
    """Return accelerations and potentials by the images within some periods."""
    x, q, m = particles.position, particles.charge, particles.mass
    along = [range(-periods, periods + 1) if np.isfinite(side) else (0,) for side in particles.box[1]]
    acceleration, potential = np.zeros_like(x), np.zeros(len(m))
    for image in itertools.product(*along):
        d = x[None] + SIDE * np.array(image) - x[:, None]
        r2 = (d**2).sum(axis=2)
        if not any(image):
            np.fill_diagonal(r2, np.inf)
        r, s2 = np.sqrt(r2), r2 + E2
        u = (q / m)[:, None] * q * np.exp(-r / LENGTH) / np.sqrt(s2)
        with np.errstate(invalid="ignore"):
            slope = np.where(np.isfinite(r), -u * (1 / (LENGTH * r) + 1 / s2), 0)
        potential += u.sum(axis=1)
        acceleration += (slope[:, :, None] * d).sum(axis=1)
    return acceleration, potential


@pytest.mark.parametrize("open_axis", [None, 1])
@pytest.mark.parametrize("settings", [{}, {"method": "tree"}, {"device": "cpu"}, {"precision": "double"}])
def test_all_images_act(settings: dict[str, object], open_axis: int | None) -> None:
    particles = plasma(300, open_axis)
    accelerations, potentials = sum_over_images(particles)
    made = after_a_step(particles, force(accuracy=1e-4, **settings)).particles
    order = np.argsort(made.id)
    assert difference(made.acceleration[order], accelerations) < 1e-4
    assert difference(made.potential[order], potentials) < 1e-4


def test_the_error_is_that_against_all_images() -> None:
    sim = tr.Simulation(plasma(400), [force(accuracy=1e-2)], timestep=1e-6)
    sim.run(steps=2)
    accelerations, _ = sum_over_images(sim.particles)
    apart = sim.particles.acceleration - accelerations
    exact = np.sqrt((apart**2).sum() / (accelerations**2).sum())
    assert sim.force_error()["over_rms"] == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("steps", [0.002, tr.IndividualSteps(longest=0.004)])
def test_energy_and_momentum_are_kept(steps: float | tr.IndividualSteps) -> None:
    limits = [] if isinstance(steps, float) else [by_speed()]
    sim = tr.Simulation(plasma(300), [force(accuracy=1e-4), *limits], timestep=steps)
    before, momentum = sim.energies(), sim.momentum()
    sim.run(until=0.2)
    assert abs(sim.energies().total - before.total) < 1e-3 * before.kinetic
    assert np.abs(sim.momentum() - momentum).max() < 1e-3


def test_a_crystal_is_at_rest_with_its_known_energy() -> None:
    """A simple cubic lattice, whose energy is a sum over its points alone."""
    along = 6
    points = (np.indices((along,) * 3).reshape(3, -1).T + 0.5) / along
    crystal = tr.ParticleSet.from_columns(position=points, mass=1.0, box=[1.0] * 3)
    crystal.add_field("charge")
    crystal.charge[:] = 1
    length = 0.2
    made = after_a_step(crystal, tr.pair_potential("exp(-r / length) / r", source="charge", length=length))
    lattice = np.indices((61,) * 3).reshape(3, -1).T - 30
    r = np.linalg.norm(lattice[np.any(lattice, axis=1)], axis=1) / along
    exact = (np.exp(-r / length) / r).sum()
    np.testing.assert_allclose(made.particles.potential, exact, rtol=1e-4)
    assert np.abs(made.particles.acceleration).max() < 1e-3 * np.abs(exact)


def test_runs_go_on_with_the_same_bits(tmp_path: Path) -> None:
    steps = tr.IndividualSteps(longest=0.004)
    whole = tr.Simulation(plasma(300), [force(), by_speed()], timestep=steps)
    whole.run(steps=5)
    write_checkpoint(tmp_path / "part.hdf5", whole.state())
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "part.hdf5"), [force(), by_speed()], steps)
    for sim in (whole, resumed):
        sim.run(until=0.02)
    np.testing.assert_array_equal(resumed.particles.position, whole.particles.position)


@pytest.mark.parametrize(
    ("potential", "box", "says"),
    [
        ("1 / r", [1, 1, 1], "falls off too slowly for a sum over the images of a box of period 1"),
        ("exp(-r) / r", [1, 1, 2], "sides 1, 1 and 2: allowed under a potential of long range are equal periods"),
    ],
)
def test_what_has_no_sum_is_refused(potential: str, box: list[float], says: str) -> None:
    particles = plasma(10)
    particles.box = box
    sim = tr.Simulation(particles, [tr.pair_potential(potential, source="charge")], timestep=0.01)
    with pytest.raises(ValueError, match=says):
        sim.run(steps=1)

"""Means of positions in periodic space: neither the order of rows nor the place of the box's faces counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Command

import trellis as tr
from trellis.particles.periodic_space import in_box, mean_position, typical_position

BOX = np.array([[-1.0, 2.0, -np.inf], [9.0, 6.0, np.inf]])
SIDES = np.array([10.0, 4.0, 0.0])


def group() -> tuple[Any, Any]:
    """Positions within half a side of their mean, and their masses."""
    rng = np.random.default_rng(3)
    return [4.0, 4.0, 7.0] + rng.uniform(-1, 1, (200, 3)) * [2.0, 0.8, 3.0], rng.uniform(1, 5, 200)


def wrapped(position: Any) -> Any:
    """Positions in the box, which is open along z."""
    low, sides = np.nan_to_num(BOX[0], neginf=0.0), np.where(SIDES > 0, SIDES, 1.0)
    return np.where(SIDES > 0, low + (position - low) % sides, position)


@pytest.mark.parametrize("moved", [0.0, 4.9, 5.0, 7.1])
def test_the_mean_of_a_group_is_exact_wherever_the_faces_are(moved: float) -> None:
    position, mass = group()
    right = wrapped(mass @ position / mass.sum() + [moved, moved, 0])
    there = wrapped(position + np.array([moved, moved, 0]))
    order = np.random.default_rng(1).permutation(len(mass))
    assert mean_position(there, mass, BOX) == pytest.approx(right, abs=1e-12)
    assert mean_position(there[order], mass[order], BOX) == pytest.approx(right, abs=1e-12)
    particles = tr.ParticleSet.from_columns(position=there[order], mass=mass[order])
    particles.box = BOX
    assert tr.Simulation(particles, [], timestep=0.1).centre_of_mass() == pytest.approx(right, abs=1e-12)
    close = typical_position(there, BOX)
    assert close[:2] == pytest.approx(wrapped(position.mean(axis=0) + np.array([moved, moved, 0]))[:2], abs=1e-12)
    assert close[2] == np.median(position[:, 2])


@pytest.mark.parametrize(
    ("places", "right"),
    [
        ([0.0, 1.0, 2.0, 3.0], 2.0),  # no mean: the middle of the box
        ([0.5, 0.5, 2.5], 0.5),  # the last one is as near on one side as on the other
        ([3.9, 0.1], 0.0),
    ],
)
def test_means_that_rounding_could_turn_do_not_hang_on_the_order(places: list[float], right: float) -> None:
    grid = np.stack(np.meshgrid(places, places, places), axis=-1).reshape(-1, 3)
    box = np.array([[0.0] * 3, [4.0] * 3])
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(grid))
        away = mean_position(grid[order], np.full(len(grid), 0.1), box) - right
        assert np.abs(away - 4 * np.round(away / 4)).max() < 1e-12


RANKS = """
import numpy as np
import trellis as tr
first = tr.rank() == 0
places = [[9.5, 5, 5], [0.5, 5, 5], [1.5, 5, 5]] if first else np.zeros((0, 3))
particles = tr.ParticleSet.from_columns(position=places, mass=[2.0, 1.0, 1.0] if first else np.zeros(0))
particles.box = 10.0
sim = tr.Simulation(particles, [], timestep=1e-6)
sim.run(steps=1)
everyone = tr.world.gather(sim.centre_of_mass())
if tr.rank() == 0:
    print(np.ptp(everyone, axis=0).max(), *everyone[0].tolist())
"""


def test_a_centre_at_a_face_is_in_the_box() -> None:
    """A mean that is below the low face by less than rounding shows was at the high face, which is out of the box."""
    near = np.array([[-1e-20, 0.3, 1e-20], [-3e-20, 0.3, 1e-20]])
    middle = mean_position(near, np.ones(2), np.array([[0.0] * 3, [1.0] * 3]))
    assert middle == pytest.approx([0.0, 0.3, 0.0], abs=1e-15)
    low, sides = np.array([-0.5, 0.1, 1e3]), np.array([1.0, 0.3, 1e-3])
    for steps in range(-3, 4):
        inside = in_box(np.nextafter(low + steps * sides, [-1e9, 1e9, -1e9]), low, sides)
        assert (inside >= low).all()
        assert (inside < low + sides).all()


def test_ranks_that_share_particles_have_one_centre(tmp_path: Any, mpirun: Command) -> None:
    (tmp_path / "program.py").write_text(RANKS)
    done = mpirun(2, tmp_path / "program.py")
    assert done.returncode == 0, done.stderr
    assert [float(word) for word in done.stdout.split()] == pytest.approx([0.0, 0.25, 5.0, 5.0])

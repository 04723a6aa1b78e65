"""Individual time steps on several ranks: rungs and positions are those of one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import FoundOn

import trellis as tr

STARS = """
particles = tr.ic.plummer(400, seed=3)
forces = [tr.Gravity(softening=0.02, accuracy=1e-5, precision="double")]
longest, steps = 1 / 16, 4
"""
BLAST = """
particles = tr.ic.sedov(4096)
forces = [tr.Sph(precision="double")]
longest, steps = 0.03, 3
"""
COLLAPSE = """
particles = tr.ic.evrard(800)
forces = [tr.Gravity(softening=0.02, accuracy=1e-5, precision="double"), tr.Sph(precision="double")]
longest, steps = 0.1, 6
"""
ROWS = """
sim = tr.Simulation(particles, forces, tr.IndividualSteps(longest=longest))
sim.run(steps=steps)
own = sim.particles
rows = list(zip(own.id.tolist(), own.column("rung").tolist(), own.wrapped_position().tolist(), strict=True))
every = sorted(row for part in world.gather(rows) for row in part)
shares = world.gather(len(own))
found = [min(shares)] + [value for _, rung, x in every for value in (rung, *x)]
"""


def state(found: list[float]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the fewest particles of a rank, and rungs and positions by id."""
    rows = np.reshape(found[1:], (-1, 4))
    return found[0], rows[:, 0].astype(int), rows[:, 1:]


@pytest.mark.skipif(tr.info()["MPI"] == "built without", reason="needs MPI")
@pytest.mark.parametrize(
    ("problem", "ranks", "side", "near"),
    [(STARS, (3, 8), np.inf, 1e-5), (BLAST, (2, 3), 1.0, 3e-4), (COLLAPSE, (3,), np.inf, 1e-3)],
    ids=["stars", "blast", "collapse"],
)
def test_they_are_those_of_one(
    found_on: FoundOn, problem: str, ranks: tuple[int, ...], side: float, near: float
) -> None:
    """To the accuracy of gravity; a gas also to that of its steps: limits by signals are those of blocks of a tree."""
    _, rung, position = state(found_on(1, problem + ROWS))
    assert len(np.unique(rung)) >= 2
    for count in ranks:
        fewest, shared_rung, shared = state(found_on(count, problem + ROWS))
        assert fewest > 0.3 * len(rung) / count
        assert np.sum(shared_rung != rung) <= 0.01 * len(rung)
        apart = shared - position
        if np.isfinite(side):
            apart -= side * np.round(apart / side)
        assert np.abs(apart).max() < near


@pytest.mark.skipif(tr.info()["MPI"] == "built without", reason="needs MPI")
@pytest.mark.parametrize(("begun_on", "resumed_on"), [(1, 2), (3, 2), (2, 1)])
def test_a_checkpoint_goes_on_with_another_number_of_ranks(
    tmp_path: Path, found_on: FoundOn, begun_on: int, resumed_on: int
) -> None:
    kept = f"path = {str(tmp_path / 'kept.hdf5')!r}\n"
    made = "sim = tr.Simulation(particles, forces, tr.IndividualSteps(longest=longest))\nsim.run(steps=steps)\n"
    read = "sim = tr.Simulation.resume(tr.io.read_checkpoint(path), forces, tr.IndividualSteps(longest=longest))\n"
    rows = ROWS.partition("sim.run(steps=steps)\n")[2]
    begin = STARS + kept + made + "tr.io.write_checkpoint(path, sim.state())\nsim.run(steps=2)\n" + rows
    _, rung, position = state(found_on(begun_on, begin))
    fewest, resumed_rung, resumed = state(found_on(resumed_on, STARS + kept + read + "sim.run(steps=2)\n" + rows))
    assert fewest > 0.3 * len(rung) / resumed_on
    assert np.sum(resumed_rung != rung) <= 0.01 * len(rung)
    assert np.abs(resumed - position).max() < 1e-5

"""Individual steps with interactions of one's own that make a quantity evolve, against a slow oracle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FoundOn
from numpy.typing import NDArray

import trellis as tr

Floats = NDArray[np.float64]
LONGEST = 0.125
BOX = 4.0


def rub(i: Any, j: Any, out: Any, reach: Any) -> None:
    """Repel, rub, and exchange heat: what accelerates depends on velocities and on what evolves."""
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d))
    near = (1 - r / reach) ** 2
    w = j.velocity - i.velocity
    out.acceleration += near * (w - (1 + i.heat + j.heat) * d / r)
    out.heating += near * (0.5 * tr.dot(w, w) + j.heat - i.heat)


@tr.interaction(results=["heating"], evolves={"heat": "heating"})
def rubbing(i: Any, j: Any, out: Any, *, cutoff: float) -> None:
    """Within a cutoff."""
    rub(i, j, out, cutoff)


@tr.interaction(results=["heating"], evolves={"heat": "heating"}, radius="reach", search="symmetric")
def rubbing_within_reach(i: Any, j: Any, out: Any) -> None:
    """Within the larger radius of the two."""
    rub(i, j, out, tr.maximum(i.reach, j.reach))


def grains(count: int = 150) -> tr.ParticleSet:
    """Return particles in a periodic box; the rung of each, 0 to 3, is in a field."""
    random = np.random.default_rng(5)
    made = tr.ParticleSet.from_columns(
        position=random.uniform(0, BOX, (count, 3)),
        velocity=random.normal(0, 0.3, (count, 3)),
        mass=np.ones(count),
        box=BOX,
    )
    made.add_field("heat", values=random.uniform(0, 1, count))
    made.add_field("reach", values=random.choice([0.7, 1.0], count))
    made.add_field("given", values=random.choice([0.0, 1.0, 2.0, 3.0], count))
    return made


def by_given(particles: Any) -> Floats:
    return np.asarray(1.01 * LONGEST / 2 ** particles.column("given"))


@dataclass
class Grains:
    """The slow oracle: each particle's leapfrog, with all others predicted to the end of its step (Springel 2005)."""

    position: Floats
    velocity: Floats
    heat: Floats
    rung: NDArray[np.int64]
    reach: Floats  # of each pair

    def __post_init__(self) -> None:
        self.acceleration, self.heating = self.rates(self.position, self.velocity, self.heat)

    def rates(self, x: Floats, v: Floats, u: Floats) -> tuple[Floats, Floats]:
        d = x[None] - x[:, None]
        d -= BOX * np.round(d / BOX)
        r = np.sqrt((d**2).sum(axis=2)) + 10 * np.eye(len(x))
        near = np.where(r < self.reach, (1 - r / self.reach) ** 2, 0)
        w = v[None] - v[:, None]
        hot = 1 + u[None] + u[:, None]
        pull = near[..., None] * (w - (hot / r)[..., None] * d)
        return pull.sum(axis=1), (near * (0.5 * (w**2).sum(axis=2) + u[None] - u[:, None])).sum(axis=1)

    def step(self) -> None:
        """Take one longest step."""
        deepest = int(self.rung.max())
        length, shortest = LONGEST / 2.0**self.rung, LONGEST / 2**deepest
        passed = np.zeros(len(self.rung))
        for number in range(1, 2**deepest + 1):
            passed += shortest
            t = passed[:, None]
            v = self.velocity + t * self.acceleration
            x = self.position + t * (self.velocity + 0.5 * length[:, None] * self.acceleration)
            u = self.heat + passed * self.heating
            acceleration, heating = self.rates(x, v, u)
            ends = number % 2 ** (deepest - self.rung) == 0
            half = 0.5 * length[ends]
            self.position[ends] = x[ends]
            self.velocity[ends] += half[:, None] * (self.acceleration[ends] + acceleration[ends])
            self.heat[ends] += half * (self.heating[ends] + heating[ends])
            self.acceleration[ends], self.heating[ends] = acceleration[ends], heating[ends]
            passed[ends] = 0


def simulation(particles: tr.ParticleSet, force: Any = None) -> tr.Simulation:
    forces = [force or rubbing(cutoff=1.0, precision="double"), tr.StepLimit(by_given)]
    return tr.Simulation(particles, forces, tr.IndividualSteps(longest=LONGEST))


@pytest.mark.parametrize("lists", ["rebuild", "reuse"])
@pytest.mark.parametrize("search", ["cutoff", "reach"])
def test_what_evolves_follows_the_oracle(lists: str, search: str) -> None:
    start = grains()
    if search == "cutoff":
        force, reach = rubbing(cutoff=1.0, precision="double", lists=lists), np.ones((150, 150))
    else:
        force = rubbing_within_reach(precision="double", lists=lists)
        reach = np.maximum(start.reach[:, None], start.reach)
    oracle = Grains(start.position, start.velocity, start.heat, start.given.astype(int), reach)
    sim = simulation(start.copy(), force)
    for _ in range(6):
        oracle.step()
    sim.run(steps=6)
    order = np.argsort(sim.particles.id)
    np.testing.assert_array_equal(sim.particles.column("rung")[order], oracle.rung)
    apart = sim.particles.position[order] - oracle.position
    np.testing.assert_allclose(apart - BOX * np.round(apart / BOX), 0, rtol=0, atol=1e-10)
    np.testing.assert_allclose(sim.particles.velocity[order], oracle.velocity, rtol=0, atol=1e-10)
    np.testing.assert_allclose(sim.particles.heat[order], oracle.heat, rtol=0, atol=1e-10)
    assert np.abs(oracle.heat - grains().heat).max() > 0.05


@tr.interaction(results=["heating"], evolves={"heat": "heating"})
def conduction(i: Any, j: Any, out: Any, *, cutoff: float) -> None:
    d = j.position - i.position
    out.heating += (1 - tr.sqrt(tr.dot(d, d)) / cutoff) * (j.heat - i.heat)


def test_one_that_accelerates_nothing_follows_short_steps_for_all() -> None:
    ends = []
    for steps, count in ((tr.IndividualSteps(longest=LONGEST), 8), (LONGEST / 64, 8 * 64)):
        sim = tr.Simulation(grains(), [conduction(cutoff=1.0), tr.StepLimit(by_given)], steps, keep_order=True)
        sim.run(steps=count)
        ends.append(sim.particles)
    own, short = ends
    assert own.column("rung").max() == 3
    np.testing.assert_allclose(own.heat, short.heat, rtol=0, atol=0.02)
    assert np.abs(short.heat - grains().heat).max() > 0.2


def test_a_checkpoint_goes_on_bit_for_bit(tmp_path: Path) -> None:
    whole = simulation(grains())
    whole.run(steps=2)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", whole.state())
    whole.run(steps=2)
    forces = [rubbing(cutoff=1.0, precision="double"), tr.StepLimit(by_given)]
    state = tr.io.read_checkpoint(tmp_path / "state.hdf5")
    resumed = tr.Simulation.resume(state, forces, tr.IndividualSteps(longest=LONGEST))
    resumed.run(steps=2)
    for name in whole.particles.field_names:
        assert whole.particles.column(name).tobytes() == resumed.particles.column(name).tobytes()


@pytest.mark.parametrize("search", ["cutoff", "reach"])
def test_on_a_device_they_are_those_of_the_host(search: str) -> None:
    """With 512 active grains and more, which the device computes, and fewer, which the host does."""
    ends = []
    for device in ("host", "cpu"):
        force = (
            rubbing(cutoff=1.0, precision="double") if search == "cutoff" else rubbing_within_reach(precision="double")
        )
        forces = [force, tr.StepLimit(by_given)]
        start = grains(1200)
        start.position[:] *= 2
        start.box = 2 * BOX
        sim = tr.Simulation(start, forces, tr.IndividualSteps(longest=LONGEST), device=device, keep_order=True)
        sim.run(steps=2)
        assert bool(sim.device_use[0]) == (device == "cpu")
        ends.append(sim.particles)
    host, device = ends
    np.testing.assert_array_equal(device.column("rung"), host.column("rung"))
    for name in ("position", "velocity", "heat"):
        np.testing.assert_allclose(device.column(name), host.column(name), rtol=0, atol=1e-11)


@pytest.mark.skipif(tr.info()["MPI"] == "built without", reason="needs MPI")
def test_on_ranks_they_are_those_of_one(found_on: FoundOn) -> None:
    folder = Path(__file__).parent
    program = f"""
import sys
sys.path[:0] = {[str(folder), str(folder.parent)]!r}
from test_individual_steps_of_own_interactions import grains, simulation
all = grains()
sim = simulation(all[:len(all) if tr.rank() == 0 else 0].copy())
sim.run(steps=4)
own = sim.particles
every = [row for part in world.gather(list(zip(own.id.tolist(), own.heat.tolist()))) for row in part]
found = [heat for _, heat in sorted(every)]
"""
    alone, shared = found_on(1, program), found_on(2, program)
    np.testing.assert_allclose(shared, alone, rtol=1e-10)

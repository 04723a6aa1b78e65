"""Goals of individual time steps: energy, momentum, work over its ideal, seconds against one step for all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from matter import SOFT, SPACE, box_of, force
from row import Row

import trellis as tr
from trellis.analysis import power_spectrum

STEPS_OF_A_TRIAL = 3


@dataclass
class Taken:
    """A run to its end.

    Attributes
    ----------
    simulation : Simulation
        As it is at the end.
    seconds : float
        Processor time of all its steps.
    updates, level_updates : int
        Sums of ``rung_use``; with one step for all, its steps of all particles.
    """

    simulation: tr.Simulation
    seconds: float
    updates: int
    level_updates: int


def taken(particles: tr.ParticleSet, forces: list[tr.Force], until: float, **steps: Any) -> Taken:
    """Run to a time."""
    sim = tr.Simulation(particles.copy(), forces, **steps)
    sim.energies()
    counted = {"updates": 0, "level_updates": 0}

    def count(sim: tr.Simulation) -> None:
        for name in counted:
            use = sim.rung_use
            counted[name] += len(sim.particles) if use is None else int(use[name])  # type: ignore[arg-type]

    begin = time.process_time()
    sim.run(until=until, callbacks=[(1, count)])
    return Taken(sim, time.process_time() - begin, **counted)


def halo(_: Path, *, quick: bool) -> Iterator[Row]:
    """Follow a Hernquist sphere for ten dynamical times, sqrt(r^3 / M) of its half-mass radius."""
    count, times = (2_000, 3.0) if quick else (10_000, 10.0)
    sphere = tr.ic.hernquist(count, seed=1)
    forces = [tr.Gravity(softening=1e-3, accuracy=1e-5)]
    momentum = np.linalg.norm((sphere.mass[:, None] * sphere.velocity).sum(axis=0))

    def with_own_steps(until: float, eta: float) -> Taken:
        steps = tr.IndividualSteps(longest=1 / 16, eta=eta, criterion="encounters")
        return taken(sphere, forces, until, timestep=steps)

    own = {eta: with_own_steps(times, eta) for eta in (0.1, 0.025)}
    errors = {eta: abs(run.simulation.energies().error) for eta, run in own.items()}
    what = f"Hernquist, {count:,}, softening 1e-3, {times:g} dynamical times"
    yield Row(f"{what}: energy", "<= 1e-4 at eta 0.025", f"{errors[0.025]:.1e}", errors[0.025] <= 1e-4)
    ratio = errors[0.1] / errors[0.025]
    yield Row(f"{what}: energy error at eta 0.1 over 0.025", ">= 4", f"{ratio:.1f}", ratio >= 4)
    deepest = int(own[0.025].simulation.particles.column("rung").max())
    short = taken(sphere, forces, times / 16, timestep=1 / 16 / 2**deepest)
    begun = with_own_steps(times / 16, 0.025)
    drift = [abs(np.linalg.norm(run.simulation.momentum()) - momentum) for run in (begun, short)]
    yield Row(f"{what}: momentum after a sixteenth of the time", "not above that of one step for all",
              f"{drift[0]:.1e}, {drift[1]:.1e}", drift[0] <= max(drift[1], 1e-6))  # fmt: skip
    work = own[0.025].level_updates / own[0.025].updates
    yield Row(f"{what}: forces on particles over their steps", "<= 1.25", f"{work:.2f}", work <= 1.25)
    gain, ideal = 16 * short.seconds / own[0.025].seconds, 16 * short.updates / own[0.025].updates
    yield Row(f"{what}: times faster than one step for all, over the ideal", ">= 0.8", f"{gain:.1f} / {ideal:.1f} ="
              f" {gain / ideal:.2f}", gain / ideal >= 0.8)  # fmt: skip


def box(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a box from redshift 49 to 0 with chosen steps, which are those of the densest halo for all.

    In full size it is that of ``examples/cosmology.toml``.
    """
    cells, side, accuracy, soft, until = (16, 50e3, 1e-3, SOFT, 2.0) if quick else (64, 100e3, 5e-3, 0.0512, 3.0)
    matter = box_of(cells, side, lattice_until=until, fixed=not quick)
    forces: list[tr.Force] = [force(side, cells, accuracy, soft=soft)]
    common: dict[str, Any] = {"cosmology": SPACE, "scale_factor": 0.02}
    own = taken(matter, forces, 1.0, timestep=tr.IndividualSteps(longest=0.03), **common)
    chosen = taken(matter, forces, 1.0, **common)
    power = [power_spectrum(run.simulation.particles, cells=2 * cells) for run in (own, chosen)]
    short = power[0].k < 0.5 * np.pi * cells / side
    off = float(np.abs(power[0].power[short] / power[1].power[short] - 1).max())
    gain = chosen.seconds / own.seconds
    what = f"box, {cells}^3, z = 49 to 0, against {chosen.simulation.step_count} chosen steps"
    errors = ", ".join(f"{abs(run.simulation.energies().error):.1e}" for run in (own, chosen))
    yield Row(f"{what}: times fewer processor seconds", ">= 3", f"{gain:.1f}, energy off by {errors}", gain >= 3)
    yield Row(f"{what}: P(k) to half of Nyquist's", "<= 0.2 %", f"{100 * off:.2f} %", off <= 2e-3)


def small_level(_: Path, *, quick: bool) -> Iterator[Row]:
    """Measure a step of 100 particles among very many that stand still meanwhile."""
    count = 100_000 if quick else 1_000_000
    random = np.random.default_rng(1)
    clump = tr.ParticleSet.from_columns(
        position=np.array([50.0, 0, 0]) + 3e-4 * random.standard_normal((100, 3)), mass=1e-2, id=count + np.arange(100)
    )
    sim = tr.Simulation(
        tr.ic.plummer(count, seed=1) + clump, [tr.Gravity(softening=5e-4)], tr.IndividualSteps(longest=0.01)
    )
    sim.energies()
    spent = []
    for _k in range(STEPS_OF_A_TRIAL):
        begin = time.perf_counter()
        sim.step()
        whole = time.perf_counter() - begin
        assert sim.rung_use is not None
        begin = time.perf_counter()
        sim.forces_changed()
        sim.energies()
        alone = time.perf_counter() - begin
        spent.append((whole - alone) / (int(sim.rung_use["level_updates"]) / 100))  # type: ignore[arg-type]
    figure = 1e3 * median(spent)
    yield Row(f"a step of 100 among {count:,}", "<= 0.3 ms", f"{figure:.2f} ms", figure <= 0.3)


def left_out() -> Iterator[Row]:
    """Yield the goals of what is not there yet, or needs another program."""
    yield Row("64^3 to the same z", ">= 2.5 times PKDGRAV3", None, None, "needs PKDGRAV3")


PARTS = [halo, box, small_level]

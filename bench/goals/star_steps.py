"""Goals of individual time steps of stars without softening: fourth order, binaries, and runs that are killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from row import Row
from steps import taken

import trellis as tr
from trellis.output.energy_log import read_energy_log

STARS = """[ic]
model = "plummer"
particles = 2_000
[gravity]
softening = 0.01
[steps]
longest = 0.0625
eta = 0.005
[run]
until = 4.0
snapshot_every = 2.0
checkpoint_every = 0
"""


def direct(softening: float = 0.0) -> tr.Gravity:
    """Return gravity whose pairs are all summed, in double precision."""
    return tr.Gravity(softening=softening, accuracy=1e-6, precision="double", group_size=4096, leaf_size=4096)


def orbit(mass: float, semimajor: float, eccentricity: float) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and velocities of two bodies of half the mass each, farthest apart, about their middle."""
    apart = semimajor * (1 + eccentricity)
    speed = np.sqrt(mass / semimajor * (1 - eccentricity) / (1 + eccentricity))
    return np.array([[apart, 0, 0], [-apart, 0, 0]]) / 2, np.array([[0, speed, 0], [0, -speed, 0]]) / 2


def fourth_order(_: Path, *, quick: bool) -> Iterator[Row]:
    """Follow a cluster for one N-body time, and an eccentric orbit, by steps of fourth order."""
    count, eta, goal = (256, 1e-3, 1e-7) if quick else (1_024, 1e-4, 1e-9)
    steps = tr.IndividualSteps(longest=1 / 16, eta=eta, criterion="encounters", order=4)
    run = taken(tr.ic.plummer(count, seed=1), [direct()], 1.0, timestep=steps)
    error = abs(run.simulation.energies().error)
    what = f"order 4, Plummer, {count:,}, no softening, one N-body time: energy"
    yield Row(what, f"<= {goal:g}", f"{error:.1e} in {run.seconds:.0f} s", error <= goal)
    position, velocity = orbit(1.0, 1.0, 0.9)
    errors = []
    for number in (1024, 2048):  # steps of one rung
        pair = tr.ParticleSet.from_columns(position=position, velocity=velocity, mass=[0.5, 0.5])
        same = tr.IndividualSteps(longest=2 * np.pi / number, eta=10, criterion="tidal", order=4)
        errors.append(abs(taken(pair, [direct()], 2 * np.pi * 10.5, timestep=same).simulation.energies().error))
    ratio = errors[0] / errors[1]
    yield Row("order 4, Kepler, e = 0.9: energy error of 1,024 steps an orbit over that of 2,048", ">= 14",
              f"{errors[0]:.1e} / {errors[1]:.1e} = {ratio:.1f}", ratio >= 14)  # fmt: skip


def with_binaries(stars: int, binaries: int) -> tr.ParticleSet:
    """Return a cluster of some stars, and of binaries of the mass of a star, whose orbits are of 1e-3 of its length."""
    cluster = tr.ic.plummer(stars, seed=1)
    chosen = np.random.default_rng(2).choice(stars, binaries, replace=False)
    single = np.setdiff1d(np.arange(stars), chosen)
    mass, rows = cluster.mass[0], {"position": [cluster.position[single]], "velocity": [cluster.velocity[single]]}
    position, velocity = orbit(mass, 1e-3, 0.5)
    for row in chosen:
        rows["position"].append(cluster.position[row] + position)
        rows["velocity"].append(cluster.velocity[row] + velocity)
    masses = np.r_[np.full(single.size, mass), np.full(2 * binaries, mass / 2)]
    return tr.ParticleSet.from_columns(mass=masses, **{name: np.concatenate(values) for name, values in rows.items()})


def cluster(_: Path, *, quick: bool) -> Iterator[Row]:
    """Follow a cluster with binaries in fourth order, beside the step of its fastest particle for all, in second."""
    stars, binaries, until = (400, 20, 1 / 16) if quick else (1_000, 50, 1 / 16)
    stars_all = with_binaries(stars, binaries)
    forces: list[tr.Force] = [tr.Gravity(softening=0.0, accuracy=1e-5, precision="double")]
    steps = tr.IndividualSteps(longest=1 / 16, eta=0.01, criterion="encounters", order=4)
    own = taken(stars_all, forces, until, timestep=steps)
    deepest = int(own.simulation.particles.column("rung").max())
    same = taken(stars_all, forces, until, timestep=1 / 16 / 2**deepest)
    what = f"{len(stars_all):,} stars, {2 * binaries} of them in binaries, no softening, {until:g} N-body times"
    errors = [abs(run.simulation.energies().error) for run in (own, same)]
    yield Row(f"{what}: energy error", "not above that of one step for all", f"{errors[0]:.1e}, {errors[1]:.1e}",
              errors[0] <= max(errors[1], 1e-9))  # fmt: skip
    gain, ideal = same.seconds / own.seconds, same.updates / own.updates
    yield Row(f"{what}: times faster than one step for all, over the ideal", ">= 0.5",
              f"{gain:.1f} / {ideal:.1f} = {gain / ideal:.2f}", gain / ideal >= 0.5)  # fmt: skip


def binary(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the phase of an eccentric binary within a halo on long steps with that of its step for all."""
    periods = 10 if quick else 100
    halo, mass, semimajor = tr.ic.plummer(200, seed=1), 2e-3, 5e-3
    position, velocity = orbit(mass, semimajor, 0.9)
    pair = tr.ParticleSet.from_columns(
        position=position + np.array([3.0, 0, 0]), velocity=velocity, mass=2 * [mass / 2], id=[900, 901]
    )
    until = periods * 2 * np.pi * np.sqrt(semimajor**3 / mass)

    def phase(steps: float | tr.IndividualSteps) -> tuple[float, tr.Simulation]:
        sim = taken(halo + pair, [direct(1e-5)], until, timestep=steps).simulation
        first, second = (sim.particles.by_id(k) for k in (900, 901))
        x, y, _ = np.ravel(first.position - second.position)
        return float(np.arctan2(y, x)), sim

    longest = until / periods / 2
    own, sim = phase(tr.IndividualSteps(longest=longest, eta=2e-4, criterion="encounters"))
    deepest = int(sim.particles.column("rung").max())
    same, exact = phase(longest / 2**deepest)[0], phase(longest / 2 ** (deepest + 2))[0]
    off = [abs((angle - exact + np.pi) % (2 * np.pi) - np.pi) for angle in (own, same)]
    yield Row(f"binary of e = 0.9 in a halo on long steps, {periods} periods: error of its angle",
              "not above that of its own rung for all", f"{off[0]:.1e}, {off[1]:.1e}",
              off[0] <= 1.1 * off[1])  # fmt: skip


def killed(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Stop a run by signals within its steps, kill -9 among them, and resume it each time."""
    times = 5 if quick else 100
    file = folder / "run.toml"
    file.write_text(STARS)

    def run(*more: str) -> list[str]:
        return [sys.executable, "-m", "trellis", "run", str(file), *more]

    subprocess.run(run("--set", f"run.output={folder / 'unbroken'}"), check=True, capture_output=True)
    into, moments, stops = ["--set", f"run.output={folder / 'out'}"], random.Random(1), 0
    for stop in range(times):
        resume = "--resume" if (folder / "out" / "checkpoint.hdf5").exists() else "--overwrite"
        lock, before = folder / "out" / "run.lock", time.time_ns()
        with subprocess.Popen(run(*into, resume), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (lock.exists() and lock.stat().st_mtime_ns > before):
                time.sleep(0.001)
            time.sleep(moments.uniform(0.0, 0.06))
            process.send_signal(signal.SIGTERM if stop % 2 else signal.SIGKILL)
        stops += process.returncode in (-signal.SIGKILL, 128 + signal.SIGTERM)
    subprocess.run(run(*into, "--resume"), check=True, capture_output=True)
    last = [sorted((folder / name).glob("snapshot_*.hdf5"))[-1].read_bytes() for name in ("out", "unbroken")]
    steps = len(read_energy_log(folder / "out" / "energy.csv")["step"])
    yield Row(f"a run of {steps} longest steps, stopped {stops} times at random", "same bits",
              "same" if last[0] == last[1] else "others", last[0] == last[1] and stops > 0.8 * times)  # fmt: skip


PARTS = [fourth_order, cluster, binary, killed]

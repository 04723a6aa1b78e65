"""Interactions written in Python beside those of other packages: direct sums, and atoms within a cutoff.

The packages are those of PyPI (numba, jax, openmm); one that is not installed is left out. Compiling is not counted.
"""

from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from own_interactions import gravity, melt
from row import Row

import trellis as tr

EPSILON2 = 1e-4
ROUNDS = 5


def package(name: str) -> ModuleType | None:
    """Return a package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def seconds(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Return the medians of two calls by turns, after one of each that is not counted."""
    taken: list[list[float]] = [[], []]
    for turn in range(ROUNDS + 1):
        for call, all_ in zip((first, second), taken, strict=True):
            begun = time.perf_counter()
            call()
            all_ += [time.perf_counter() - begun] if turn else []
    return statistics.median(taken[0]), statistics.median(taken[1])


def numba_sum(numba: ModuleType, x: Any, m: Any) -> Callable[[], Any]:
    """Return what sums accelerations and potentials of all pairs with Numba, on all threads, in single precision."""

    def loops(x: Any, m: Any, out: Any) -> None:
        for i in numba.prange(len(m)):
            ax = ay = az = phi = np.float32(0)
            for j in range(len(m)):
                dx, dy, dz = x[0, j] - x[0, i], x[1, j] - x[1, i], x[2, j] - x[2, i]
                inverse = np.float32(1) / np.sqrt(dx * dx + dy * dy + dz * dz + np.float32(EPSILON2))
                w = m[j] * inverse
                phi -= w
                w *= inverse * inverse
                ax, ay, az = ax + w * dx, ay + w * dy, az + w * dz
            out[0, i], out[1, i], out[2, i], out[3, i] = ax, ay, az, phi + m[i] / np.float32(math.sqrt(EPSILON2))

    compiled = numba.njit(parallel=True, fastmath=True)(loops)
    out = np.empty((4, len(m)), np.float32)

    def call() -> Any:
        compiled(x, m, out)
        return out

    return call


def jax_sum(jax: ModuleType, x: Any, m: Any) -> Callable[[], Any]:
    """Return what sums the same with JAX, i-particle by i-particle in blocks."""
    xs, ms = jax.numpy.asarray(x.T), jax.numpy.asarray(m)

    def of_one(at: Any) -> Any:
        d = xs - at
        inverse = jax.lax.rsqrt((d * d).sum(axis=1) + np.float32(EPSILON2))
        w = ms * inverse
        return jax.numpy.append(((w * inverse * inverse)[:, None] * d).sum(axis=0), -w.sum())

    compiled = jax.jit(lambda all_: jax.lax.map(of_one, all_, batch_size=256))
    return lambda: np.asarray(compiled(xs)).T


def direct_sums(_: Path, *, quick: bool) -> Iterator[Row]:
    """Sum all pairs, on all threads, in single precision: ours over a tree in which no cell is far."""
    count = 2**13 if quick else 2**15
    stars = tr.ic.plummer(count, seed=1)
    x, m = np.ascontiguousarray(stars.position.T, np.float32), np.asarray(stars.mass, np.float32)
    tr.set_threads(2)
    ours_alone = gravity(epsilon2=EPSILON2, theta=1e-6, group_size=1024, precision="single")
    sim = tr.Simulation(stars, [ours_alone], timestep=1e-9)
    sim.run(steps=1)
    by_id = np.argsort(sim.particles.id)
    for name, made in (("numba", numba_sum), ("jax", jax_sum)):
        what = f"direct sum of {count:,}, single precision, 2 threads: speed over {name}"
        if (installed := package(name)) is None:
            yield Row(what, "> 1", None, None, f"{name} is not installed")
            continue
        theirs = made(installed, x, m)
        difference = np.abs(theirs()[:3].T - sim.particles.acceleration[by_id]).max()
        assert difference < 1e-3 * np.abs(sim.particles.acceleration).max(), "they compute something else"
        ours, their_time = seconds(lambda: sim.run(steps=1), theirs)
        yield Row(what, "> 1", f"{their_time / ours:.2f}", their_time > ours)


def openmm_steps(openmm: ModuleType, atoms: tr.ParticleSet, steps: int) -> Callable[[], Any]:
    """Return what makes steps of atoms by OpenMM's CustomNonbondedForce on its platform for processors."""
    side = float(np.diff(atoms.box, axis=0)[0, 0])
    system = openmm.System()
    system.setDefaultPeriodicBoxVectors((side, 0, 0), (0, side, 0), (0, 0, side))
    force = openmm.CustomNonbondedForce("4*((1/r)^12 - (1/r)^6)")
    force.setNonbondedMethod(openmm.CustomNonbondedForce.CutoffPeriodic)
    force.setCutoffDistance(2.5)
    for _ in range(len(atoms)):
        system.addParticle(1.0)
        force.addParticle([])
    system.addForce(force)
    integrator = openmm.VerletIntegrator(0.004)
    platform = openmm.Platform.getPlatformByName("CPU")
    context = openmm.Context(system, integrator, platform, {"Threads": "2"})
    context.setPositions(np.array(atoms.position))
    context.setVelocities(np.array(atoms.velocity))

    def call() -> Any:
        integrator.step(steps)
        return context.getState(getPositions=True)  # the steps are done

    return call


def atoms(_: Path, *, quick: bool) -> Iterator[Row]:
    """Make steps of a Lennard-Jones melt, on all threads, by a potential given as text to both."""
    along, steps = (16, 100) if quick else (32, 100)
    count = along**3
    what = f"Lennard-Jones from its potential, {count:,} atoms, 2 threads: speed over OpenMM's CustomNonbondedForce"
    if (openmm := package("openmm")) is None:
        yield Row(what, ">= 5", None, None, "openmm is not installed")
        return
    tr.set_threads(2)
    start = melt(along)
    sim = tr.Simulation(start.copy(), [tr.pair_potential("4*((1/r)**12 - (1/r)**6)", cutoff=2.5)], timestep=0.004)
    ours, theirs = seconds(lambda: sim.run(steps=steps), openmm_steps(openmm, start, steps))
    rate = f"{1e-6 * count * steps / ours:.2f} and {1e-6 * count * steps / theirs:.2f} M atom-steps/s"
    yield Row(what, ">= 5", f"{theirs / ours:.2f} ({rate})", theirs >= 5 * ours)


PARTS = [direct_sums, atoms]

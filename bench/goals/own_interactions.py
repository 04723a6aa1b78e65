"""Goals of interactions written in Python: speed and forces against those of C++, and times of compiling."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from row import Row

import trellis as tr

ROUNDS = 11
SPEED = 0.95  # over that of the C++ text
SPEED_IN_ENSEMBLES = 0.6
DIFFERENCE = 3e-7


@tr.interaction
def gravity(i: Any, j: Any, out: Any, *, epsilon2: float = 1e-4) -> None:
    d = j.position - i.position
    r = tr.sqrt(tr.dot(d, d) + epsilon2)
    out.potential -= j.mass / r
    out.acceleration += j.mass / r**3 * d


@tr.interaction
def lennard_jones(i: Any, j: Any, out: Any, *, epsilon: float = 1.0, sigma: float = 1.0) -> None:
    d = j.position - i.position
    r2 = tr.dot(d, d)
    s6 = (sigma**2 / r2) ** 3
    energy = s6**2 - s6
    outward = energy + s6**2
    out.potential += 4 * epsilon / i.mass * energy
    out.virial += 24 * epsilon * outward
    out.acceleration -= 24 * epsilon / i.mass * outward / r2 * d


def compared(what: str, particles: tr.ParticleSet, ours: tr.Force, theirs: tr.Force, steps: int) -> Iterator[Row]:
    """Make steps with either force by turns, on one thread, of particles that hardly move."""
    tr.set_threads(1)
    pair = [tr.Simulation(particles.copy(), [force], timestep=1e-9) for force in (ours, theirs)]
    for simulation in pair:
        simulation.run(steps=1)
    a, b = (simulation.particles.acceleration for simulation in pair)
    difference = float(np.sqrt(((a - b) ** 2).sum() / (b**2).sum()))
    counts = [simulation.interactions for simulation in pair]
    ratios = []
    for turn in range(ROUNDS):
        seconds = {}
        for simulation in pair if turn % 2 else pair[::-1]:
            begun = time.process_time()
            simulation.run(steps=steps)
            seconds[id(simulation)] = time.process_time() - begun
        ratios.append(seconds[id(pair[1])] / seconds[id(pair[0])])
    speed = statistics.median(ratios)
    yield Row(f"{what}: speed over that of C++, whole step", f">= {SPEED}", f"{speed:.3f}", speed >= SPEED)
    yield Row(f"{what}: RMS difference of accelerations, relative", f"<= {DIFFERENCE:g}", f"{difference:.1e}",
              difference <= DIFFERENCE)  # fmt: skip
    yield Row(f"{what}: pairs counted", "as in C++", f"{counts[0]:,}", counts[0] == counts[1])


def long_range(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare gravity over a tree, in both precisions."""
    count = 20_000 if quick else 200_000
    for precision in ("single", "double"):
        given = {"theta": 0.5, "precision": precision}
        theirs = tr.Gravity(softening=0.01, method="tree", order=1, **given)
        stars = tr.ic.plummer(count, seed=1)
        yield from compared(f"gravity, {count:,}, {precision}", stars, gravity(**given), theirs, 1)


def melt(along: int) -> tr.ParticleSet:
    """Return atoms that have left their lattice, at a reduced density of 0.84."""
    side = along / 0.8442 ** (1 / 3)
    lattice = (np.indices((along,) * 3).reshape(3, -1).T + 0.5) * side / along
    atoms = tr.ParticleSet.from_columns(position=lattice, mass=np.ones(along**3), box=[side] * 3)
    bath = tr.Langevin(temperature=1.0, relaxation_time=0.1, seed=1)
    melting = tr.Simulation(atoms, [tr.LennardJones(truncation="force-shifted")], timestep=0.004, thermostat=bath)
    melting.run(steps=200)
    return melting.particles


def short_range(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a Lennard-Jones melt of reduced density 0.84, in both precisions."""
    along = 20 if quick else 40
    atoms = melt(along)
    for precision in ("single", "double"):
        given = {"cutoff": 2.5, "skin": 0.7, "precision": precision}
        ours, theirs = lennard_jones(**given), tr.LennardJones(**given)
        yield from compared(f"Lennard-Jones, {along**3:,}, {precision}", atoms, ours, theirs, 16)


def kinds(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare a potential with parameters by 27 kinds with the same of one kind, by turns, on one thread."""
    atoms, random = melt(16 if quick else 32), np.random.default_rng(1)
    atoms.add_field("kind", values=random.integers(0, 27, len(atoms)).astype(float))
    depth, size = (0.5 * (a + a.T) for a in (random.uniform(0.8, 1.2, (27, 27)), random.uniform(0.95, 1.05, (27, 27))))
    text, given = "4 * eps * ((sigma / r)**12 - (sigma / r)**6)", {"cutoff": 2.5, "skin": 0.7}
    forces = [tr.pair_potential(text, eps=e, sigma=s, **given) for e, s in ((depth, size), (1.0, 1.0))]
    tr.set_threads(1)
    pair = [tr.Simulation(atoms.copy(), [force], timestep=1e-9) for force in forces]
    seconds: list[list[float]] = [[], []]
    for _round in range(ROUNDS):
        for simulation, taken in zip(pair, seconds, strict=True):
            begun = time.process_time()
            simulation.run(steps=16)
            taken.append(time.process_time() - begun)
    ratio = statistics.median(a / b for a, b in zip(*seconds, strict=True))
    yield Row("27 kinds of Lennard-Jones atoms by matrices, over one kind", "<= 1.15", f"{ratio:.2f}", ratio <= 1.15)


def systems(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare ensembles of Lennard-Jones atoms, in clusters and in boxes, on one thread by turns."""
    tr.set_threads(1)
    text = "4 * eps * ((sigma / r)**12 - (sigma / r)**6)"
    clusters = tr.quenched([tr.ic.cluster(55, seed=seed) for seed in range(8)], tr.LennardJones(cutoff=20.0)).particles
    liquids = [tr.ic.lennard_jones(256, seed=seed) for seed in range(8)]
    bath = tr.Langevin(temperature=0.3, relaxation_time=1.0, seed=1)
    for what, those, cutoff, more in (
        ("55 atoms in a container", clusters, 20.0, {"container": (5.0, 100.0), "thermostat": bath}),
        ("256 atoms in a box", liquids, 2.5, {}),
    ):
        given: dict[str, Any] = {"cutoff": cutoff, "truncation": "force-shifted"}
        ours, theirs = tr.pair_potential(text, eps=1.0, sigma=1.0, **given), tr.LennardJones(**given)
        pair = [tr.Ensemble(those, force, timestep=0.002, **more) for force in (ours, theirs)]
        seconds: list[list[float]] = [[], []]
        for turn in range(ROUNDS + 1):
            for ensemble, taken in zip(pair, seconds, strict=True):
                begun = time.process_time()
                ensemble.advance(200 if quick else 2000)
                taken += [time.process_time() - begun] if turn else []
        ratio = statistics.median(b / a for a, b in zip(*seconds, strict=True))
        yield Row(f"ensemble of {what}: speed over C++", f">= {SPEED_IN_ENSEMBLES}", f"{ratio:.3f}",
                  ratio >= SPEED_IN_ENSEMBLES)  # fmt: skip


def multipoles(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare three potentials by fast multipoles with gravity in C++ at equal accuracy."""
    stars = tr.ic.plummer(20_000 if quick else 200_000, seed=1)
    screened = "-exp(-sqrt(r**2 + e**2)) / sqrt(r**2 + e**2)"
    texts = {"gravity": "-1 / sqrt(r**2 + e**2)", "Yukawa": screened, "logarithm": "0.5 * log(r**2 + e**2)"}
    tr.set_threads(1)
    for name, text in texts.items():
        for accuracy in (1e-3, 1e-5):
            forces = [
                tr.pair_potential(text, source="mass", e=0.01, accuracy=accuracy),
                tr.Gravity(softening=0.01, accuracy=accuracy),
            ]
            pair = [tr.Simulation(stars.copy(), [force], timestep=1e-9) for force in forces]
            seconds: list[list[float]] = [[], []]
            for turn in range(7):
                for simulation, taken in zip(pair, seconds, strict=True):
                    begun = time.process_time()
                    simulation.run(steps=1)
                    taken += [time.process_time() - begun] if turn > 1 else []
            ratio = statistics.median(b / a for a, b in zip(*seconds, strict=True))
            error = pair[0].force_error(1000)["rms"]
            what = f"{name} as a pair potential by fast multipoles, accuracy {accuracy:g}"
            yield Row(f"{what}: RMS error", f"<= {accuracy:g}", f"{error:.1e}", error <= accuracy)
            if name == "gravity":
                yield Row(f"{what}: speed over C++", f">= {SPEED}", f"{ratio:.3f}", ratio >= SPEED)
            else:
                yield Row(f"{what}: speed over gravity in C++", ">= 0.4", f"{ratio:.3f}", ratio >= 0.4)


def compiling(folder: Path, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001
    """Measure a new process that makes a force, first without and then with a cache."""
    program = (
        "import time, trellis as tr, llvmlite.binding, own_interactions\n"
        "begun = time.perf_counter()\n"
        "made = tr.interaction(own_interactions.{0}.function)({1})\n"
        "print(time.perf_counter() - begun)"
    )
    folder.chmod(0o700)
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(Path(__file__).parent)}
    for name, given in (("gravity", ""), ("lennard_jones", "cutoff=2.5")):
        command = [sys.executable, "-c", program.format(name, given)]
        first, *cached = (
            float(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout)
            for _ in range(6)
        )
        again = statistics.median(cached)
        yield Row(f"{name}: traced and compiled, seconds", "<= 0.3", f"{first:.3f}", first <= 0.3)
        yield Row(f"{name}: traced, and loaded from the cache, seconds", "<= 0.020", f"{again:.3f}", again <= 0.02)


def left_out() -> Iterator[Row]:
    """Name the goals that are not measured."""
    yield Row("Yukawa and a density of SPH against C++", f">= {SPEED}", None, None,
              "the Python module has no such force in C++")  # fmt: skip


PARTS = [long_range, short_range, kinds, systems, multipoles, compiling]

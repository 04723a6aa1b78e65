"""A melt of bead-spring polymers (Kremer & Grest 1990), beside the same beads in LAMMPS, one core each.

LAMMPS is the program `lmp` on the PATH, or the one that $TRELLIS_LMP names.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from row import Row

import trellis as tr

BEADS, DENSITY, REACH, ROUNDS = 100, 0.8442, 2 ** (1 / 6), 5
INPUT = f"""units lj
atom_style bond
special_bonds fene
read_data melt.data
neighbor 0.4 bin
neigh_modify every 1 delay 1
bond_style fene
bond_coeff 1 30.0 1.5 1.0 1.0
pair_style lj/cut {REACH}
pair_modify shift yes
pair_coeff 1 1 1.0 1.0 {REACH}
fix 1 all nve
fix 2 all langevin 1.0 1.0 10.0 904297
thermo 100000
timestep 0.012
run 100
run {{steps}}
"""


def chains(count: int) -> tuple[tr.ParticleSet, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """Return beads in chains, each a walk at random, and their bonds."""
    random = np.random.default_rng(3)
    steps = random.normal(size=(count // BEADS, BEADS, 3))
    steps *= 0.97 / np.linalg.norm(steps, axis=2, keepdims=True)
    side = (count / DENSITY) ** (1 / 3)
    steps[:, 0] = random.uniform(0, side, (len(steps), 3))
    beads = tr.ParticleSet.from_columns(
        position=steps.cumsum(axis=1).reshape(-1, 3) % side, mass=np.ones(count), box=[side] * 3
    )
    bonds = np.arange(count - 1)[:, None] + [0, 1]
    return beads, bonds[bonds[:, 1] % BEADS != 0]


def moved(beads: tr.ParticleSet, forces: list[tr.Force], *, timestep: float, friction: float) -> tr.Simulation:
    """Return a simulation of the beads at their temperature."""
    bath = tr.Langevin(temperature=1.0, relaxation_time=1 / friction, seed=1)
    return tr.Simulation(beads, forces, timestep=timestep, thermostat=bath)


def melt(count: int) -> tuple[tr.Simulation, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """Return a melt of beads that have been pushed apart."""
    beads, bonds = chains(count)
    for height in (1, 4, 10, 20, 40, 70, 100):
        push = tr.pair_potential("height * (1 + cos(k * r))", cutoff=REACH, height=height, k=np.pi / REACH)
        springs = tr.HarmonicBonds(bonds, k=500, length=0.97)
        moved(beads, [push, springs], timestep=0.002, friction=5.0).run(steps=200)
    forces = [tr.LennardJones(cutoff=REACH, truncation="energy-shifted"), tr.FENE(bonds, k=30, length=1.5)]
    moved(beads, forces, timestep=0.001, friction=5.0).run(steps=1000)
    sim = moved(beads, forces, timestep=0.012, friction=1.0)
    sim.run(steps=500)
    return sim, bonds


def write(path: Path, beads: tr.ParticleSet, bonds: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> None:
    """Write the beads for LAMMPS's read_data."""
    low, high = np.asarray(beads.box)
    at = low + (np.asarray(beads.position) - low) % (high - low)
    with path.open("w") as file:
        print(f"melt\n\n{len(at)} atoms\n{len(bonds)} bonds\n1 atom types\n1 bond types\n", file=file)
        for axis, name in enumerate("xyz"):
            print(f"{float(low[axis])!r} {float(high[axis])!r} {name}lo {name}hi", file=file)
        print("\nMasses\n\n1 1.0\n\nAtoms\n", file=file)
        for k, place in zip(beads.id, at, strict=True):
            print(k + 1, k // BEADS + 1, 1, *place, file=file)
        print("\nVelocities\n", file=file)
        for k, v in zip(beads.id, beads.velocity, strict=True):
            print(k + 1, *v, file=file)
        print("\nBonds\n", file=file)
        for number, (a, b) in enumerate(bonds, 1):
            print(number, 1, a + 1, b + 1, file=file)


def theirs(program: str, folder: Path, steps: int) -> float:
    """Return LAMMPS's processor seconds for a step."""
    (folder / "in.melt").write_text(INPUT.format(steps=steps))
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [program, "-in", "in.melt", "-sf", "opt", "-log", "none"]
    printed = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    wall = float(re.findall(r"Loop time of ([\d.]+)", printed)[-1])
    return wall * float(re.findall(r"([\d.]+)% CPU use", printed)[-1]) / 100 / steps


def bonded_melt(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Make steps of the melt by turns with LAMMPS."""
    count, steps = (8_000, 200) if quick else (32_000, 500)
    what = f"melt of {count:,} beads, FENE and WCA, one core: speed over LAMMPS opt"
    program = os.environ.get("TRELLIS_LMP") or shutil.which("lmp")
    if program is None:
        yield Row(what, ">= 2", None, None, "lmp is not installed")
        return
    tr.set_threads(1)
    sim, bonds = melt(count)
    write(folder / "melt.data", sim.particles, bonds)
    ratios, ours = [], []
    for _ in range(ROUNDS):
        begun = time.process_time()
        sim.run(steps=steps)
        ours.append((time.process_time() - begun) / steps)
        ratios.append(theirs(program, folder, steps) / ours[-1])
    ratio = statistics.median(ratios)
    yield Row(what, ">= 2", f"{ratio:.2f} ({1e3 * statistics.median(ours):.2f} ms a step)", ratio >= 2)


PARTS = [bonded_melt]

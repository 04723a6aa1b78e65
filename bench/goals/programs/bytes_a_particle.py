"""Print the bytes a particle of gravity in a periodic box, beyond those of a small run: bytes_a_particle.py N."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import trellis as tr


def peak() -> int:
    """Return the most memory in bytes that this process has had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024


def simulate(n: int) -> None:
    """Run two steps of n particles at random."""
    made = tr.ParticleSet.from_columns(position=np.random.default_rng(1).random((n, 3)), mass=1.0 / n)
    made.box = [[0, 0, 0], [1, 1, 1]]
    tr.Simulation(made, [tr.Gravity(softening=1e-3, accuracy=1e-3)], 1e-6).run(steps=2)


if __name__ == "__main__":
    particles = int(sys.argv[1])
    simulate(4096)
    before = peak()
    simulate(particles)
    print((peak() - before) / particles)

"""Chains of beads with bonds, angles and dihedrals, and their energy by formulas in double precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from own_pairs import LENNARD_JONES

import trellis as tr

Floats = NDArray[np.float64]
BEADS = 12
WCA = tr.LennardJones(cutoff=2 ** (1 / 6), truncation="energy-shifted")
WCA_IN_PYTHON = tr.pair_potential(LENNARD_JONES, cutoff=2 ** (1 / 6), truncation="energy-shifted", eps=1.0, sigma=1.0)
PAIR_FORCES = {"none": [], "cpp": [WCA], "python": [WCA_IN_PYTHON]}


def rows(members: int, beads: int = BEADS) -> NDArray[np.int64]:
    return np.stack([np.arange(beads - members + 1) + k for k in range(members)], axis=1)


def chain(beads: int = BEADS, seed: int = 1, side: float = 0.0) -> tr.ParticleSet:
    """Return a chain of beads of different masses that do not overlap, around a periodic box or in open space."""
    random = np.random.default_rng(seed)
    k = np.arange(beads)
    position = 0.85 * np.stack([np.cos(1.1 * k), np.sin(1.1 * k), 0.5 * k], axis=1)
    position += random.normal(scale=0.02, size=(beads, 3))
    made = tr.ParticleSet.from_columns(position=position, mass=random.uniform(0.5, 2, beads))
    made.velocity[:] = random.normal(scale=0.5, size=(beads, 3))
    if side:
        made.position = position % side
        made.box = [[0.0] * 3, [side] * 3]
    return made


def bonded(beads: int = BEADS) -> list[tr.Force]:
    return [
        tr.HarmonicBonds(rows(2, beads), k=np.linspace(50, 90, beads - 1), length=0.97),
        tr.angle_potential("k * (theta - theta0)**2 / 2", triples=rows(3, beads), k=20.0, theta0=1.9),
        tr.CosineDihedrals(rows(4, beads), k=0.7, n=3, phase=0.4),
    ]


def energy_of(position: Floats, side: float, wca: bool) -> float:
    """Return the energy of `chain` by the formulas of `bonded`, in double precision."""

    def nearest(d: Floats) -> Floats:
        return d - side * np.round(d / side) if side else d

    step = nearest(np.diff(position, axis=0))
    length = np.linalg.norm(step, axis=1)
    energy = float((np.linspace(50, 90, len(step)) * (length - 0.97) ** 2 / 2).sum())
    cosine = -(step[:-1] * step[1:]).sum(axis=1) / (length[:-1] * length[1:])
    energy += float((20 * (np.arccos(cosine) - 1.9) ** 2 / 2).sum())
    m, n = np.cross(step[:-2], step[1:-1]), np.cross(step[1:-1], step[2:])
    phi = np.arctan2(length[1:-1] * (step[:-2] * n).sum(axis=1), (m * n).sum(axis=1))
    energy += float((0.7 * (1 + np.cos(3 * phi - 0.4))).sum())
    if wca:
        a, b = np.triu_indices(len(position), 1)
        r = np.linalg.norm(nearest(position[b] - position[a]), axis=1)
        energy += float(np.where(r < 2 ** (1 / 6), 4 * (r**-12 - r**-6) + 1, 0).sum())
    return energy


def force_by_differences(position: Floats, side: float, wca: bool) -> Floats:
    """Return the negative gradient of `energy_of`."""
    h = 1e-5
    force = np.empty_like(position)
    for row in range(len(position)):
        for axis in range(3):
            moved = [position.copy(), position.copy()]
            moved[0][row, axis] -= h
            moved[1][row, axis] += h
            force[row, axis] = (energy_of(moved[0], side, wca) - energy_of(moved[1], side, wca)) / (2 * h)
    return force

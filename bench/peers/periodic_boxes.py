"""Boxes of bench/peers/periodic.py, of side 1 and mass 1, and their accelerations by Ewald's sum in double."""

import math
import sys
from pathlib import Path

import numpy as np
from peers_particles import Floats, Rows

import trellis as tr

sys.path.append(str(Path(__file__).parents[1] / "goals"))
from matter import SPACE, box_of, force

SPACING = 100e3 / 64  # kpc/h, mean distance of particles
ALPHA = 16.0  # the split: erfc(ALPHA r) / r is summed over pairs
REACH, WAVES = 0.3125, 26  # beyond them the rest of either sum is 1e-11
STEP = 0.04  # in ln a
BLOCK = 1 << 14


def boxes(folder: Path, cells: int) -> dict[str, Floats]:
    """Places of cells^3 particles at z = 49, displaced to second order, and at z = 0 after a run; kept in a folder."""
    side = cells * SPACING
    files = {name: folder / f"{cells}_{name}.npy" for name in ("z = 49", "z = 0")}
    if not all(file.exists() for file in files.values()):
        folder.mkdir(parents=True, exist_ok=True)
        matter = box_of(cells, side)
        np.save(files["z = 49"], matter.position / side)
        run = tr.Simulation(matter, [force(side, cells, 5e-3)], cosmology=SPACE, scale_factor=0.02, log_step=STEP)
        run.run(until=1.0)
        np.save(files["z = 0"], matter.position / side)
    return {name: np.load(file) % 1.0 for name, file in files.items()}


def exact(positions: Floats, rows: Rows, softening: float) -> tuple[Floats, Floats]:
    """Ewald's sum, softened after Plummer, and by the spline of PKDGRAV3, K1 of Dehnen (2001) of twice the length.

    Pairs beyond REACH have no softening, an error of 1.5 (softening / REACH)^2 of what does not cancel there.
    """
    mass = 1 / len(positions)
    plummer = mass * by_waves(positions, rows)
    dehnen = plummer.copy()
    columns = np.ascontiguousarray(positions.T)
    for k, row in enumerate(rows):
        apart = columns - columns[:, row, None]
        apart -= np.rint(apart)
        square = np.einsum("ij,ij->j", apart, apart)
        near = np.flatnonzero((square < REACH**2) & (square > 0))
        apart, square = apart[:, near], square[near]
        r = np.sqrt(square)
        cube = square * r
        split = erfc(ALPHA * r) + 2 * ALPHA / math.sqrt(math.pi) * r * np.exp(-((ALPHA * r) ** 2)) - 1
        plummer[k] += mass * (apart @ (split / cube + (square + softening**2) ** -1.5))
        reached = np.maximum(square, (2 * softening) ** 2)
        depth = 1 - square / reached  # 0 where there is no softening
        dehnen[k] += mass * (apart @ (split / cube + (1 + depth * (1.5 + depth * 135 / 16)) * reached**-1.5))
    return plummer, dehnen


def by_waves(positions: Floats, rows: Rows) -> Floats:
    """The smooth part of Ewald's sum for particles of mass 1, a wave for each vector of whole numbers."""
    n = np.arange(-WAVES, WAVES + 1)
    sums = np.zeros((WAVES + 1, len(n), len(n)), complex)  # of exp(-i k x); those of -k are their conjugates
    for begin in range(0, len(positions), BLOCK):
        x, y, z = (waves(at, n) for at in positions[begin : begin + BLOCK].T)
        for index in range(WAVES + 1):
            sums[index] += (x[:, WAVES + index, None] * y).T @ z
    wave = np.stack(np.meshgrid(np.arange(WAVES + 1), n, n, indexing="ij"))
    square = np.sum(wave**2, axis=0)
    square[0, WAVES, WAVES] = 1
    factor = np.where(wave[0] > 0, 2, 1) * 2 / square * np.exp(-((math.pi / ALPHA) ** 2) * square)
    factor[0, WAVES, WAVES] = 0  # a uniform background takes it away
    found = np.empty((len(rows), 3))
    for k, row in enumerate(rows):
        x, y, z = (waves(np.array([at]), n)[0].conj() for at in positions[row])
        turned = (sums * (x[WAVES:, None, None] * y[:, None] * z)).imag
        found[k] = -np.einsum("aijk,ijk->a", wave, factor * turned)
    return found


def waves(at: Floats, n: Rows) -> np.ndarray:
    return np.exp(-2j * math.pi * np.outer(at, n))


def erfc(values: Floats) -> Floats:
    return np.fromiter(map(math.erfc, values.tolist()), float, len(values))

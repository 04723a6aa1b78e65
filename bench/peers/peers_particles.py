"""Particles of bench/peers/peers.py, and their accelerations by direct summation."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import trellis as tr

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

SOFTENING = 1e-3
PLUMMER_RADIUS = 3 * np.pi / 16  # scale radius of tr.ic.plummer


def clumpy(n: int) -> Floats:
    """Return positions: half in a Hernquist sphere of scale radius 1, half in 256 clumps of radius 0.002 along it."""
    halo, centres = (3 * tr.ic.hernquist(count, seed=count, cut_radius=10).position for count in (n // 2, 256))
    clump = 0.002 / PLUMMER_RADIUS
    clumps = [at + clump * tr.ic.plummer(n // 512, seed=k, cut_radius=6).position for k, at in enumerate(centres)]
    return np.concatenate([halo, *clumps])


MODELS: dict[str, Callable[[int], Floats]] = {
    "sphere": lambda n: tr.ic.sphere(n).position / 2.4,
    "plummer": lambda n: tr.ic.plummer(n).position / PLUMMER_RADIUS,
    "clumpy": clumpy,
}


def direct(positions: Floats, rows: Rows) -> tuple[Floats, Floats]:
    """Sum over all particles, with Plummer's softening and with PKDGRAV3's, K1 of Dehnen (2001) of twice the length."""
    columns, mass = np.ascontiguousarray(positions[:, :3].T), positions[:, 3]
    plummer, dehnen = np.empty((2, len(rows), 3))
    for k, row in enumerate(rows):
        apart = columns - columns[:, row, None]
        square = np.einsum("ij,ij->j", apart, apart)
        softened = square + SOFTENING**2
        plummer[k] = apart @ (mass / (softened * np.sqrt(softened)))
        reached = np.maximum(square, (2 * SOFTENING) ** 2)
        depth = 1 - square / reached  # 0 where there is no softening
        dehnen[k] = apart @ (mass * (1 + depth * (1.5 + depth * 135 / 16)) / (reached * np.sqrt(reached)))
    return plummer, dehnen


def rms(values: Floats, exact: Floats) -> float:
    return float(np.sqrt(np.mean(np.sum((values - exact) ** 2, axis=1) / np.sum(exact**2, axis=1))))

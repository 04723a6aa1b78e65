"""Gaussian random fields in a periodic cube, whose long waves do not depend on the resolution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trellis.cosmology.philox import philox
from trellis.cosmology.shared_mesh import Floats, SharedMesh, Waves


def white_noise(mesh: SharedMesh, seed: int, *, fixed: bool = False, paired: bool = False) -> Waves:
    """Waves of a real field on a mesh, whose squares are 1 on average.

    Each wave's random number is that of its three whole numbers and the seed: waves that two resolutions share are the
    same. Waves of the mesh's own, Nyquist's, wave number along any axis are 0, as is the mean.

    Parameters
    ----------
    mesh : SharedMesh
        The mesh.
    seed : int
        Seed of the random numbers.
    fixed : bool
        All amplitudes are 1, and phases alone are random (Angulo & Pontzen 2016, MNRAS 462, L1).
    paired : bool
        The field is turned upside down: the other one of a pair.
    """
    numbers = np.broadcast_arrays(*(axis.astype(np.int32) for axis in mesh.wave_numbers))
    x, y, z = numbers
    mirrored = (z == 0) & ((y < 0) | ((y == 0) & (x < 0)))  # of k and -k one is drawn, and the other its conjugate
    sign = np.where(mirrored, -1, 1).astype(np.int32)
    drawn = philox(
        ((sign * x).view(np.uint32), (sign * y).view(np.uint32), z.astype(np.uint32), np.zeros(x.shape, np.uint32)),
        (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF),
    )
    phase = 2 * np.pi * _uniform(drawn[0], drawn[1])
    waves = np.exp(1j * sign * phase)
    if not fixed:
        waves *= np.sqrt(-np.log(1 - _uniform(drawn[2], drawn[3])))
    for number in numbers:
        waves[np.abs(number) * 2 == mesh.cells] = 0
    waves[(x == 0) & (y == 0) & (z == 0)] = 0
    return np.asarray(-waves if paired else waves)


def density_waves(mesh: SharedMesh, noise: Waves, power: Callable[[Floats], Floats], side: float) -> Waves:
    """Return the waves of a density contrast with a power spectrum.

    Parameters
    ----------
    mesh : SharedMesh
        The mesh.
    noise : array
        Waves of white noise on it.
    power : callable
        Power (length^3) of wave numbers (1 / length).
    side : float
        Side of the cube (length).
    """
    square = np.asarray(sum(axis**2 for axis in mesh.wave_numbers)).astype(np.int64)
    highest = 3 * ((mesh.cells - 1) // 2) ** 2  # of waves below Nyquist's number along all axes
    amplitude = np.zeros(highest + 1)
    k = 2 * np.pi / side * np.sqrt(np.arange(1, highest + 1))
    amplitude[1:] = np.sqrt(power(k) / side**3) * mesh.cells**3
    return np.asarray(noise * amplitude[np.minimum(square, highest)])


def _uniform(high: NDArray[np.uint32], low: NDArray[np.uint32]) -> Floats:
    """Return numbers from 0 on, below 1, of 53 bits."""
    return np.asarray(((high >> np.uint32(5)) * 67108864.0 + (low >> np.uint32(6))) / 9007199254740992.0)

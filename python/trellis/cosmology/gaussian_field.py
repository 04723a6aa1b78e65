"""Gaussian random fields in a periodic cube, whose long waves do not depend on the resolution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trellis.cosmology.philox import philox

Floats = NDArray[np.float64]
Waves = NDArray[np.complex128]


def wave_numbers(cells: int) -> tuple[Floats, Floats, Floats]:
    """Whole numbers of waves in the cube along each axis, as of numpy.fft.rfftn, of shapes that multiply to its own."""
    whole = np.rint(np.fft.fftfreq(cells, 1 / cells)).astype(np.float64)
    return whole[:, None, None], whole[:, None], np.arange(cells // 2 + 1, dtype=np.float64)


def white_noise(cells: int, seed: int, *, fixed: bool = False, paired: bool = False) -> Waves:
    """Waves of a real field, as of numpy.fft.rfftn, whose squares are 1 on average.

    Each wave's random number is that of its three whole numbers and the seed: waves that two resolutions share are the
    same. Waves of the mesh's own, Nyquist's, wave number along any axis are 0, as is the mean.

    Parameters
    ----------
    cells : int
        Points along each axis.
    seed : int
        Seed of the random numbers.
    fixed : bool
        All amplitudes are 1, and phases alone are random (Angulo & Pontzen 2016, MNRAS 462, L1).
    paired : bool
        The field is turned upside down: the other one of a pair.
    """
    numbers = np.broadcast_arrays(*(axis.astype(np.int32) for axis in wave_numbers(cells)))
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
        waves[np.abs(number) * 2 == cells] = 0
    waves[0, 0, 0] = 0
    return np.asarray(-waves if paired else waves)


def density_waves(noise: Waves, power: Callable[[Floats], Floats], side: float) -> Waves:
    """Return the waves, as of numpy.fft.rfftn, of a density contrast with a power spectrum.

    Parameters
    ----------
    noise : array, shape (cells, cells, cells // 2 + 1)
        White noise.
    power : callable
        Power (length^3) of wave numbers (1 / length).
    side : float
        Side of the cube (length).
    """
    cells = len(noise)
    square = sum(axis**2 for axis in wave_numbers(cells))
    shells, which = np.unique(np.rint(square).astype(np.int64), return_inverse=True)  # as many values of k as there are
    k = 2 * np.pi / side * np.sqrt(shells)
    some = slice(1, int(np.searchsorted(shells, 3 * ((cells - 1) // 2) ** 2, side="right")))
    amplitude = np.zeros(len(k))
    amplitude[some] = np.sqrt(power(k[some]) / side**3)
    return np.asarray(noise * (amplitude[which.reshape(noise.shape)] * cells**3))


def _uniform(high: NDArray[np.uint32], low: NDArray[np.uint32]) -> Floats:
    """Return numbers from 0 on, below 1, of 53 bits."""
    return np.asarray(((high >> np.uint32(5)) * 67108864.0 + (low >> np.uint32(6))) / 9007199254740992.0)

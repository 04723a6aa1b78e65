"""Mean squared displacement of particles against time, from a trajectory."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.errors import InputError
from trellis.io.trajectory_read import read_unwrapped
from trellis.particles.given_numbers import real_numbers

Floats = NDArray[np.float64]


class MeanSquaredDisplacement(NamedTuple):
    """The mean squared displacement of all particles at each lag, over all pairs of moments so far apart."""

    time: Floats
    """The lags (time), from 0 on."""
    square: Floats
    """Mean of |x(t + time) - x(t)|^2 over particles and moments t (length^2)."""


def mean_squared_displacement(
    positions: ArrayLike | str | Path, interval: float | None = None
) -> MeanSquaredDisplacement:
    """Return how far particles go in a time: in a liquid 6 D t at late times, with the diffusion constant D.

    The motion of all together counts, too: take it off where there is any. The longest lags are means over few moments.

    Parameters
    ----------
    positions : str, Path or array, shape (moments, particles, 3)
        The file of a `trellis.io.Trajectory`, whose image flags say how often particles have gone around the box; or
        positions that go on across its faces, as those of `ParticleSet.unwrapped_position`, in one order.
    interval : float, optional
        Time between the moments of an array (time).

    Returns
    -------
    MeanSquaredDisplacement
        Lags and squares, shape (moments,).

    Raises
    ------
    ValueError
        If there are fewer than two moments, or they are not evenly spaced, or a position is not finite.
    """
    if isinstance(positions, str | Path):
        times, values = read_unwrapped(positions)
        if interval is not None:
            raise InputError("interval is given, but a trajectory has its times")
    else:
        values = np.asarray(real_numbers("positions", positions), dtype=np.float64)
        if interval is None or not (np.isfinite(interval) and interval > 0):
            raise InputError(f"interval is {interval}, but of an array it must be the time between moments, above 0")
        times = interval * np.arange(len(values), dtype=np.float64)
    if values.ndim != 3 or values.shape[2] != 3 or 0 in values.shape:
        raise InputError(f"positions have the shape {values.shape}: allowed is (moments, particles, 3)")
    if not np.isfinite(values).all():
        raise InputError("a position is not finite")
    steps = np.diff(times)
    if len(steps) == 0 or np.ptp(steps) > 1e-6 * abs(steps[0]):
        raise InputError("moments are not evenly spaced in time, or fewer than two: lags need equal intervals")
    return MeanSquaredDisplacement(times - times[0], _squares(values))


def _squares(positions: Floats) -> Floats:
    """Return the mean at each lag, by Fourier transforms (Calandrini et al. 2011, equation 21)."""
    moments, particles, _ = positions.shape
    moved = positions - positions.mean(axis=0)
    squares = (moved**2).sum(axis=(1, 2))
    transformed = np.fft.rfft(moved.reshape(moments, -1), 2 * moments, axis=0)
    products = np.fft.irfft((np.abs(transformed) ** 2).sum(axis=1), 2 * moments)[:moments]
    ends = np.concatenate([[0.0], np.cumsum(squares[::-1])[:-1]]) + np.concatenate([[0.0], np.cumsum(squares)[:-1]])
    sums = 2 * squares.sum() - ends - 2 * products
    means: Floats = np.maximum(sums, 0.0) / (particles * (moments - np.arange(moments)))
    return means

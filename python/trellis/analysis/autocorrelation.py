"""Memory of a series: autocorrelation time, effective number of samples, and thinning."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.errors import InputError
from trellis.particles.given_numbers import real_numbers

WINDOW = 5  # autocorrelation times that are summed (Madras & Sokal 1988, appendix C): more add noise, fewer miss some


def autocorrelation_time(series: ArrayLike) -> float:
    """Return the integrated autocorrelation time of a series, in samples.

    It is tau = 1/2 + sum of rho(t) over t = 1 .. W, with rho the normalised autocorrelation function and W the first
    lag of at least 5 tau (Madras & Sokal 1988, appendix C). The mean of n samples has the variance of n / (2 tau)
    independent ones; 2 tau is the statistical inefficiency g of Chodera et al. (2007). Series of fewer than some 50 tau
    make it too small.

    Parameters
    ----------
    series : array, shape (samples,)
        Values at equal intervals, in equilibrium.

    Returns
    -------
    float
        At least 1/2, that of independent samples.

    Raises
    ------
    ValueError
        If there are fewer than two values, or one is not finite, or all are the same.
    """
    values = _checked(series)
    n = len(values)
    padded = np.fft.rfft(values - values.mean(), 2 * n)
    covariance = np.fft.irfft(np.abs(padded) ** 2, 2 * n)[:n]
    times = np.cumsum(covariance / covariance[0]) - 0.5
    # the sum over all lags is 0, so a window is found
    window = int(np.argmax(np.arange(n) >= WINDOW * times))
    return max(0.5, float(times[window]))


def effective_samples(series: ArrayLike) -> float:
    """Return the number of independent samples with the same error of the mean: samples / (2 tau).

    Parameters and errors are those of `autocorrelation_time`.
    """
    return np.asarray(series).size / (2 * autocorrelation_time(series))


def thinned(series: ArrayLike) -> NDArray[np.float64]:
    """Return samples of a series that are two autocorrelation times apart, which are nearly independent.

    Parameters and errors are those of `autocorrelation_time`.
    """
    values = _checked(series)
    return values[np.arange(0, len(values), 2 * autocorrelation_time(values)).astype(np.intp)]


def _checked(series: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(real_numbers("series", series), dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"a series has the shape {values.shape}, but must have (samples,), of at least 2")
    if not np.isfinite(values).all():
        raise InputError(f"sample {int(np.argmin(np.isfinite(values)))} of a series is not finite")
    if (values == values[0]).all():
        raise InputError(f"all samples of a series are {values[0]:g}: they have no autocorrelation")
    return values

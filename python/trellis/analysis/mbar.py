"""Free energies from all states together, by pymbar: multistate Bennett acceptance ratio (Shirts & Chodera 2008)."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.analysis.autocorrelation import autocorrelation_time
from trellis.analysis.energies_of_states import checked
from trellis.errors import InputError, RunError

Floats = NDArray[np.float64]


def mbar(energies: ArrayLike, temperatures: ArrayLike) -> Any:
    """Return pymbar's estimate of the states' free energies, with all that it can find from them.

    Of energies that remember each other in all states, some moments are left out, alike in all: those within the
    shortest statistical inefficiency, two autocorrelation times. The work grows as moments times states squared, and
    memory is needed for several times so many numbers.

    Parameters
    ----------
    energies : array, shape (moments, states)
        Potential energies of each state at equal intervals, in equilibrium (energy).
    temperatures : array, shape (states,)
        k T of each state (energy).

    Returns
    -------
    pymbar.MBAR
        Of samples in order of the states, those of the first state first; `f_k` has the free energies (k T).

    Raises
    ------
    ValueError
        If shapes do not fit, or a number is not allowed.
    RuntimeError
        If there is no package pymbar.
    """
    values, kT = checked(energies, temperatures)
    return solved(thinned_rows(values), kT)


def thinned_rows(values: Floats) -> Floats:
    """Return the rows that are as far apart as samples of the state that forgets first must be."""
    apart = min(2 * autocorrelation_time(each) for each in values.T)
    return values[np.arange(0, len(values), apart).astype(np.intp)]


def solved(rows: Floats, kT: Floats) -> Any:
    """Return pymbar's solution, without its words about itself, and without its seed of NumPy's random numbers."""
    if len(kT) < 2:
        raise InputError("MBAR needs energies at two temperatures or more")
    logger = logging.getLogger("pymbar")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.ERROR)
    try:
        from pymbar import MBAR
    except ImportError:
        raise RunError("MBAR needs the package pymbar: pip install 'trellis-particles[mbar]'") from None
    moments, states = rows.shape
    reduced = rows.T.ravel() / kT[:, None]
    random = np.random.get_state()  # noqa: NPY002
    try:
        return MBAR(reduced, np.full(states, moments), initial_f_k=_by_trapezoids(rows, kT))
    finally:
        np.random.set_state(random)  # noqa: NPY002


def _by_trapezoids(rows: Floats, kT: Floats) -> Floats:
    """Return free energies f from df / db = <U>, b = 1 / (k T), to begin with."""
    means = rows.mean(axis=0)
    steps = np.diff(1 / kT) * (means[1:] + means[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])

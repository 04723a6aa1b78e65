"""Free energies from all states together, by pymbar: multistate Bennett acceptance ratio (Shirts & Chodera 2008)."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.analysis.autocorrelation import autocorrelation_time
from trellis.analysis.energies_of_states import checked
from trellis.errors import InputError, RunError
from trellis.particles.given_numbers import real_numbers

Floats = NDArray[np.float64]


def mbar(energies: ArrayLike, temperatures: ArrayLike) -> Any:
    """Return pymbar's estimate of the states' free energies, with all that it can find from them.

    Of energies that remember each other in all states, some moments are left out, the same ones in all: those within
    the shortest statistical inefficiency, two autocorrelation times. Work and memory grow as moments times states
    squared: several numbers for each.

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


def mbar_of_states(reduced: ArrayLike) -> Any:
    """Return pymbar's estimate of the free energies of any states, as of different Hamiltonians.

    Moments are left out as by `mbar`.

    Parameters
    ----------
    reduced : array, shape (moments, states, states)
        u[m, k, l] = U_l / (k T_l), the reduced energy in state l of what state k had at moment m: as
        `ExchangeHistory.reduced_energies` returns it. May be infinite where k and l differ.

    Returns
    -------
    pymbar.MBAR
        As `mbar` does.

    Raises
    ------
    ValueError
        If the shape does not fit, or a number is not allowed.
    RuntimeError
        If there is no package pymbar.
    """
    u = np.asarray(real_numbers("reduced", reduced), dtype=np.float64)
    if u.ndim != 3 or u.shape[1] != u.shape[2]:
        raise InputError(f"reduced energies have the shape {u.shape}, but must have (moments, states, states)")
    own = np.diagonal(u, axis1=1, axis2=2)
    if not np.isfinite(own).all() or np.isnan(u).any():
        raise InputError("a reduced energy of a state's own is not finite, or another not a number")
    kept = u[moments_apart(own)]
    return _solution(kept.transpose(2, 1, 0).reshape(u.shape[1], -1), _by_differences(kept))


def thinned_rows(values: Floats) -> Floats:
    """Return rows that are independent samples of the state with the shortest autocorrelation time."""
    return np.asarray(values[moments_apart(values)])


def moments_apart(values: Floats) -> NDArray[np.intp]:
    """Return the numbers of these rows."""
    apart = min(2 * autocorrelation_time(each) for each in values.T)
    return np.arange(0, len(values), apart).astype(np.intp)


def solved(rows: Floats, kT: Floats) -> Any:
    """Return pymbar's solution for potential energies at different temperatures."""
    return _solution(rows.T.ravel() / kT[:, None], _by_trapezoids(rows, kT))


def _solution(reduced: Floats, first: Floats) -> Any:
    """Return pymbar's solution, without its printed banner, and without its seed of NumPy's random numbers.

    reduced: energies of all samples in each state, as many samples of each, shape (states, samples); first: free
    energies to begin with.
    """
    states, samples = reduced.shape
    if states < 2:
        raise InputError("MBAR needs energies of two states or more")
    logger = logging.getLogger("pymbar")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.ERROR)
    try:
        from pymbar import MBAR
    except ImportError:
        raise RunError("MBAR needs the package pymbar: pip install pymbar") from None
    random = np.random.get_state()  # noqa: NPY002
    try:
        return MBAR(reduced, np.full(states, samples // states), initial_f_k=first)
    finally:
        np.random.set_state(random)  # noqa: NPY002


def _by_trapezoids(rows: Floats, kT: Floats) -> Floats:
    """Return free energies f from df / db = <U>, b = 1 / (k T), to begin with."""
    means = rows.mean(axis=0)
    steps = np.diff(1 / kT) * (means[1:] + means[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])


def _by_differences(u: Floats) -> Floats:
    """Return free energies to begin with: between neighbours the mean of u_l - u_k in both, where it is finite."""
    k = np.arange(u.shape[1] - 1)
    with np.errstate(invalid="ignore"):
        steps = (u[:, k, k + 1] - u[:, k, k] + u[:, k + 1, k + 1] - u[:, k + 1, k]).mean(axis=0) / 2
    return np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(steps), steps, 0.0))])

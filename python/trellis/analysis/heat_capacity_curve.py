"""The heat capacity as a function of temperature, from the energies of all states together by MBAR."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.analysis import jackknife
from trellis.analysis.energies_of_states import checked
from trellis.analysis.heat_capacity import HeatCapacity, kinetic_part
from trellis.analysis.mbar import solved, thinned_rows
from trellis.arguments import checked_arguments
from trellis.errors import InputError

Floats = NDArray[np.float64]


@checked_arguments()
def heat_capacity_curve(
    energies: ArrayLike, temperatures: ArrayLike, degrees_of_freedom: float, at: ArrayLike | None = None
) -> HeatCapacity:
    """Return the heat capacity at any temperatures between those of the states, from the energies of all of them.

    Errors are those of a jackknife over 20 blocks of moments, as of `heat_capacity`.

    Parameters
    ----------
    energies : array, shape (moments, states)
        Potential energies of each state at equal intervals, in equilibrium (energy).
    temperatures : array, shape (states,)
        k T of each state (energy).
    degrees_of_freedom : float
        Kinetic degrees of freedom: three for each particle, less those that are held.
    at : array, shape (points,), optional
        k T at which it is wanted (energy); by default 200 from the lowest to the highest of the states.

    Returns
    -------
    HeatCapacity
        At those temperatures.

    Raises
    ------
    ValueError
        If shapes do not fit, there are fewer than 40 moments, or a number is not allowed.
    RuntimeError
        If there is no package pymbar.
    """
    values, kT = checked(energies, temperatures)
    kinetic = kinetic_part(degrees_of_freedom)
    points = np.linspace(kT.min(), kT.max(), 200) if at is None else np.asarray(at, dtype=np.float64)
    if points.ndim != 1 or not ((points >= kT.min()) & (points <= kT.max())).all():
        raise InputError(f"at must be one list of temperatures from {kT.min():g} to {kT.max():g}")
    rows = thinned_rows(values)
    jackknife.check_rows("a heat capacity", len(rows))
    rows = rows - rows.mean()  # so that squares lose no digits
    exponents = solved(rows, kT).f_k - rows.ravel()[:, None] / kT
    mixture = np.logaddexp.reduce(exponents, axis=1)
    weights = _weights(np.exp(exponents - mixture[:, None]), len(rows))
    found = np.stack([_fluctuation(rows.ravel(), mixture, weights, each) for each in points], axis=1)
    return HeatCapacity(points, found[0], found[0] + kinetic, found[1:] + kinetic)


def _weights(chances: Floats, moments: int) -> Floats:
    """Return factors of the samples' weights: 1, and those of the solutions without each block of moments.

    The solution f without a block is one Newton step from that of all: at most some standard errors, in whose square it
    errs. Without moments of all states, samples keep the chances with which they are of each state, but for f.

    Parameters
    ----------
    chances : array, shape (moments * states, states)
        Probability of each state for a sample of an energy.
    moments : int
        Their number.

    Returns
    -------
    array, shape (1 + blocks, moments * states)
    """
    states = chances.shape[1]
    blocks = jackknife.blocks(moments)
    samples = [slice(block.start * states, block.stop * states) for block in blocks]
    sums = np.stack([chances[each].sum(axis=0) for each in samples])
    products = np.stack([chances[each].T @ chances[each] for each in samples])
    weights = np.ones((1 + len(blocks), len(chances)))
    for k, block in enumerate(blocks):
        kept = sums.sum(axis=0) - sums[k]
        curvature = np.diag(kept) - (products.sum(axis=0) - products[k])
        excess = kept - (moments - (block.stop - block.start))  # none where f is the solution
        step = np.zeros(states)
        step[1:] = -np.linalg.solve(curvature[1:, 1:], excess[1:])
        weights[1 + k] = 1 / (chances @ np.exp(step))
        weights[1 + k, samples[k]] = 0
    return weights


def _fluctuation(energies: Floats, mixture: Floats, weights: Floats, kT: float) -> Floats:
    """Return var(U) / (k T)^2 with each of the factors of weights."""
    logarithms = -energies / kT - mixture
    of_all = np.exp(logarithms - logarithms.max())
    apart = energies - np.average(energies, weights=of_all)
    moments = np.stack([of_all, of_all * apart, of_all * apart**2])
    # not by matrices: on a busy machine, threads of small products wait for each other
    total, first, second = np.einsum("ks,ws->kw", moments, weights)
    return np.asarray((second / total - (first / total) ** 2) / kT**2)

"""Abundance of halos by mass: fits to simulations, for groups of friends of b = 0.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from trellis.cosmology.linear_power import LinearPower

Floats = NDArray[np.float64]

STEP = 1e-3  # difference of ln M across which sigma's slope is found


def _watson_2013(sigma: Floats) -> Floats:
    """Watson et al. 2013 (MNRAS 433, 1230), equation 12: friends of friends, at any redshift."""
    return np.asarray(0.282 * ((1.406 / sigma) ** 2.163 + 1) * np.exp(-1.210 / sigma**2))


def _warren_2006(sigma: Floats) -> Floats:
    """Warren et al. 2006 (ApJ 646, 881), equation 5: friends of friends, with masses corrected by their equation 2."""
    return np.asarray(0.7234 * (sigma**-1.625 + 0.2538) * np.exp(-1.1982 / sigma**2))


FITS = {"watson-2013": _watson_2013, "warren-2006": _warren_2006}
"""Fits f(sigma) = (M / rho) dn / d ln (1/sigma), by name."""


def halo_abundance(power: LinearPower, mass: ArrayLike, a: float = 1.0, *, fit: str = "watson-2013") -> Floats:
    """Return the number of halos expected in a unit of comoving volume and of ln M.

    Parameters
    ----------
    power : LinearPower
        The linear power spectrum.
    mass : array
        Masses, in the units of the run.
    a : float
        Scale factor.
    fit : str
        ``"watson-2013"``, or ``"warren-2006"`` for masses that are corrected (`mass_function(corrected=True)`).

    Returns
    -------
    array
        dn / d ln M (1 / length^3).

    Raises
    ------
    ValueError
        If there is no such fit.
    """
    if fit not in FITS:
        raise InputError(f"fit is '{fit}': {did_you_mean(fit, FITS)}")
    asked = np.asarray(mass, dtype=np.float64)
    smaller, sigma, larger = (power.sigma_of_mass(asked * np.exp(step), a) for step in (-STEP, 0.0, STEP))
    slope = np.log(smaller / larger) / (2 * STEP)
    return np.asarray(FITS[fit](sigma) * power.mean_density / asked * slope)

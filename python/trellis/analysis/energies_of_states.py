"""Energies of several states, as those of an ensemble or a replica exchange, checked before they are used."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.errors import InputError
from trellis.particles.given_numbers import real_numbers

Floats = NDArray[np.float64]


def checked(energies: ArrayLike, temperatures: ArrayLike) -> tuple[Floats, Floats]:
    """Return energies of shape (moments, states) and temperatures of shape (states,).

    Raises
    ------
    ValueError
        If they have other shapes, or an energy is not finite, or a temperature not above 0.
    """
    kT = np.asarray(real_numbers("temperatures", temperatures), dtype=np.float64)
    values = np.asarray(real_numbers("energies", energies), dtype=np.float64)
    if kT.ndim != 1 or not (np.isfinite(kT) & (kT > 0)).all():
        raise InputError("temperatures must be one list of numbers above 0")
    if values.ndim != 2 or values.shape[1] != len(kT):
        raise InputError(
            f"energies have the shape {values.shape}, but must have (moments, {len(kT)}), one for each temperature"
        )
    finite = np.isfinite(values)
    if not finite.all():
        moment, state = np.argwhere(~finite)[0]
        raise InputError(f"the energy of state {state} at moment {moment} is {values[moment, state]}: not finite")
    return values, kT

"""Linking lengths of particles of several masses and types."""

from __future__ import annotations

import numpy as np

from trellis.analysis.halos.catalogue import Floats, Ints
from trellis.errors import InputError

BARYONS = (0, 4)  # Gadget's types of gas and stars
DARK = (1, 2, 3)  # types of dark matter; type 5 is coarse dark matter in some files, and black holes in others


def linking_lengths(mass: Floats, types: Ints, volume: float, linking: float) -> Floats:
    """Return the length within which each particle has friends: linking (m / mean density)^(1/3).

    Where there is dark matter, the mean density is that of all but gas and stars, which have the length of the lightest
    dark matter: they trace the same halos, and fill but a part of the box of a zoom.

    Parameters
    ----------
    mass : array, shape (N,)
        Masses of all particles in the box.
    types : array of int, shape (N,)
        Gadget's types.
    volume : float
        Volume of the box (length^3).
    linking : float
        Linking length over the mean distance.

    Raises
    ------
    ValueError
        If the particles have no mass.
    """
    if len(mass) == 0:
        return np.zeros(0)
    baryons, dark = np.isin(types, BARYONS), np.isin(types, DARK) & (mass > 0)
    counted = ~baryons if dark.any() else np.ones(len(mass), dtype=np.bool_)
    whole = float(mass[counted].sum())
    if not (whole > 0 and mass.min() >= 0):
        raise InputError(
            f"a catalogue of halos is wanted of particles of the masses {mass.min():g} to {mass.max():g}, but needs"
            " masses of at least 0, and some above"
        )
    lengths = linking * np.cbrt(mass / whole * volume)
    if dark.any():
        lengths[baryons] = lengths[dark].min()
    return np.asarray(lengths)

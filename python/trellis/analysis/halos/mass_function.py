"""The mass function of a catalogue: its number of halos by mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trellis.analysis.halos.catalogue import Floats, HaloCatalogue, Ints
from trellis.arguments import checked_arguments
from trellis.errors import InputError


@dataclass(frozen=True)
class MassFunction:
    """Number of halos in a volume, by mass.

    Attributes
    ----------
    mass : array, shape (bins,)
        Geometric mean of the masses in each bin; its middle where it is empty.
    dn_dlnM : array, shape (bins,)
        Halos in a unit of comoving volume and of ln M (1 / length^3).
    error : array, shape (bins,)
        Poisson's error: the value over the root of the number of halos.
    halos : array of int, shape (bins,)
        Halos in each bin.
    edges : array, shape (bins + 1,)
        Masses between which the bins lie.
    """

    mass: Floats
    dn_dlnM: Floats
    error: Floats
    halos: Ints
    edges: Floats


@checked_arguments()
def mass_function(catalogue: HaloCatalogue, bins: int = 20, *, corrected: bool = False) -> MassFunction:
    """Mass function of the groups of a catalogue, in bins equal in ln M from the smallest halo to the most massive one.

    Parameters
    ----------
    catalogue : HaloCatalogue
        The halos.
    bins : int
        Number of bins.
    corrected : bool
        Take groups of N particles to have N (1 - N^-0.6): few particles sample a halo so that friends of friends find
        too many (Warren et al. 2006, ApJ 646, 881, equation 2).

    Raises
    ------
    ValueError
        If the catalogue has fewer than 2 halos, or bins is out of its range.
    """
    if bins < 1:
        raise InputError(f"bins is {bins}, but must be at least 1")
    if len(catalogue) < 2:
        raise InputError(f"a mass function is wanted of {len(catalogue)} halos, but needs at least 2")
    mass = catalogue.mass * (1 - catalogue.count**-0.6 if corrected else 1.0)
    low, high = float(mass.min()), float(mass.max())
    edges = np.geomspace(low, max(high, low * 1.001), bins + 1)
    which = np.clip(np.searchsorted(edges, mass, side="right") - 1, 0, bins - 1)
    halos = np.bincount(which, minlength=bins)
    logarithms = np.bincount(which, np.log(mass), minlength=bins)
    middles = 0.5 * np.log(edges[1:] * edges[:-1])
    means = np.exp(np.where(halos > 0, logarithms / np.maximum(halos, 1), middles))
    size = float(np.ptp(catalogue.box, axis=0).prod()) * np.diff(np.log(edges))
    return MassFunction(means, halos / size, np.sqrt(halos) / size, halos, edges)

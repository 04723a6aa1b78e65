"""Bonds, angles and dihedrals with names."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trellis import _core
from trellis.arguments import checked_arguments, shown
from trellis.bonded.bonded_force import BondedForce
from trellis.bonded.coordinates import ANGLE, BOND, DIHEDRAL


class _Named(BondedForce):
    """What a force with a name shows."""

    def __reduce__(self) -> tuple[Any, ...]:
        kind: Any = type(self)  # one of those below, with arguments of its own
        return partial(kind, self.members, **self._given), ()

    @property
    def settings(self) -> dict[str, object]:
        """The number of tuples, and the values of the parameters, by name."""
        return {self.coordinate.tuples: len(self.members), **self._shown_values()}

    def __repr__(self) -> str:
        typed = "".join(f", {name}={value}" for name, value in self._shown_values().items())
        return f"{self._title()}(array of shape {self.members.shape}{typed})"

    def _title(self) -> str:
        return type(self).__name__


class HarmonicBonds(_Named):
    """Springs between given pairs of particles: an energy of k (r - length)^2 / 2 at distance r.

    Parameters
    ----------
    pairs : array_like of int
        The ids of the particles, shape (n, 2): see `bond_potential`.
    k : float or array_like
        The stiffness, of all or of each pair; energy / length^2.
    length : float or array_like
        The distance without a force.

    Examples
    --------
    >>> import trellis as tr
    >>> tr.HarmonicBonds([[0, 1], [1, 2]], k=100, length=1)
    HarmonicBonds(array of shape (2, 2), k=100.0, length=1.0)
    """

    @checked_arguments()
    def __init__(self, pairs: ArrayLike, *, k: ArrayLike, length: ArrayLike) -> None:
        super().__init__(BOND, "0.5 * k * (r - length)**2", pairs, {"k": k, "length": length})


class FENE(_Named):
    """Bonds that extend to a finite length, between the beads of a polymer: -k length^2 / 2 log(1 - (r / length)^2).

    The attractive part alone (Kremer & Grest 1990, eq. 3): beads also repel each other, bonded ones among them, by
    ``tr.LennardJones(cutoff=2**(1 / 6), truncation="energy-shifted")``.

    Parameters
    ----------
    pairs : array_like of int
        The ids of the particles, shape (n, 2): see `bond_potential`. A bond that is as long as `length` is an error.
    k : float or array_like
        The stiffness, of all or of each pair; energy / length^2. Of Kremer & Grest: 30 epsilon / sigma^2.
    length : float or array_like
        The longest distance. Of Kremer & Grest: 1.5 sigma.
    """

    @checked_arguments()
    def __init__(self, pairs: ArrayLike, *, k: ArrayLike = 30.0, length: ArrayLike = 1.5) -> None:
        super().__init__(BOND, "-0.5 * k * length**2 * log(1 - (r / length)**2)", pairs, {"k": k, "length": length})


class CosineAngles(_Named):
    """Chains that resist bending: an energy of k (1 + cos(theta)), 0 of three particles in a line.

    Parameters
    ----------
    triples : array_like of int
        The ids of the particles, shape (n, 3): see `angle_potential`.
    k : float or array_like
        The stiffness, of all or of each triple; energy.
    """

    @checked_arguments()
    def __init__(self, triples: ArrayLike, *, k: ArrayLike) -> None:
        super().__init__(ANGLE, "k * (1 + cos(theta))", triples, {"k": k})


class CosineDihedrals(_Named):
    """Chains that resist torsion: an energy of k (1 + cos(n phi - phase)).

    Parameters
    ----------
    quadruples : array_like of int
        The ids of the particles, shape (n, 4): see `dihedral_potential`.
    k : float or array_like
        The height of the barrier, of all or of each quadruple, halved; energy.
    n : int or array_like
        The number of minima in a turn.
    phase : float or array_like
        The angle of a maximum, times n; radians.
    """

    @checked_arguments()
    def __init__(self, quadruples: ArrayLike, *, k: ArrayLike, n: ArrayLike, phase: ArrayLike = 0.0) -> None:
        number: Any = n
        if not np.issubdtype(np.asarray(number).dtype, np.number) or np.any(number != np.round(number)):
            raise _core.InputError(f"n of CosineDihedrals is {shown(n)}: allowed are whole numbers")
        super().__init__(DIHEDRAL, "k * (1 + cos(n * phi - phase))", quadruples, {"k": k, "n": n, "phase": phase})

"""Forces of potentials of a distance, an angle or a dihedral, among given particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from trellis.arguments import checked_arguments
from trellis.bonded.bonded_force import BondedForce
from trellis.bonded.coordinates import ANGLE, BOND, DIHEDRAL

Potential = str | Callable[..., Any]


@checked_arguments()
def bond_potential(potential: Potential, *, pairs: ArrayLike, **given: Any) -> BondedForce:
    """Return the force of a potential of the distance between the particles of given pairs.

    Both particles have half of the energy u(r). The force adds the acceleration, the derivative of u, the potential
    (energy per mass) and the virial. In a periodic box the nearest image counts.

    Parameters
    ----------
    potential : str or callable
        u: an expression of r and of parameters, with ``+ - * / **``, ``sqrt``, ``exp``, ``log``, ``sin``, ``cos``,
        ``abs``, ``min``, ``max`` and ``pi``; or a function of r, whose other arguments are parameters.
    pairs : array_like of int
        The ids of the particles, shape (n, 2). Ids are those of `ParticleSet.id`: 0, 1, 2, ... of a new set; they stay
        with the particles when rows are sorted, and when particles change ranks. Each rank gives the same list.
    **given : float or array_like
        Values of the parameters: numbers, or arrays with a number for each pair.

    Raises
    ------
    ValueError
        For a potential that cannot be traced, a wrong shape, and a particle that is twice in a pair. At a step, for an
        id that no particle has, and for energies or forces that are not finite, with the pair.

    Examples
    --------
    >>> import trellis as tr
    >>> chain = tr.ParticleSet.from_columns(position=[[0, 0, 0], [1.1, 0, 0], [2.0, 0, 0]], mass=[1, 1, 1])
    >>> springs = tr.bond_potential(lambda r: 30 * (r - 1) ** 2, pairs=[[0, 1], [1, 2]])
    >>> sim = tr.Simulation(chain, [springs], timestep=0.001)
    >>> sim.run(steps=10)
    >>> round(sim.energies().total, 6)
    0.6
    """
    return BondedForce(BOND, potential, pairs, given)


@checked_arguments()
def angle_potential(potential: Potential, *, triples: ArrayLike, **given: Any) -> BondedForce:
    """Return the force of a potential of the angle of given triples, as `bond_potential` does.

    Parameters
    ----------
    potential : str or callable
        The energy as an expression, or a function, of theta: the angle at the second particle between the first and
        the third, 0 to pi. Three in a line exert no force.
    triples : array_like of int
        The ids of the particles, shape (n, 3).
    **given : float or array_like
        Values of the parameters: numbers, or arrays with a number for each triple.
    """
    return BondedForce(ANGLE, potential, triples, given)


@checked_arguments()
def dihedral_potential(potential: Potential, *, quadruples: ArrayLike, **given: Any) -> BondedForce:
    """Return the force of a potential of the dihedral angle of given quadruples, as `bond_potential` does.

    Parameters
    ----------
    potential : str or callable
        The energy as an expression, or a function, of phi: the angle between the plane of the first three particles
        and that of the last three, -pi to pi, 0 of cis and pi of trans (IUPAC). The energy should be periodic. It is
        an error if three particles in sequence are in a line.
    quadruples : array_like of int
        The ids of the particles, shape (n, 4).
    **given : float or array_like
        Values of the parameters: numbers, or arrays with a number for each quadruple.
    """
    return BondedForce(DIHEDRAL, potential, quadruples, given)

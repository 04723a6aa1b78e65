"""The calls of GRAPE's libraries: gravity by direct summation on the device that ``TRELLIS_GRAPE_DEVICE`` names.

The names are those of C and Fortran (``gp5util.h``, ``grape3.h``), the arguments are arrays, and particles are counted
from 0. Potentials are positive, and the pair of a particle with itself counts: ``m / eps``. There is no gravitational
constant. Pairs are computed in single precision, from positions in double precision.

``TRELLIS_GRAPE_DEVICE`` is the name of a device, or several with commas between them: board ``devid`` is on the device
of that number, counted round; without the variable, all are on ``cpu``. It is read when a board is first used.

>>> import numpy as np
>>> import trellis as tr
>>> tr.grape.g5_set_eps_to_all(0.1)
>>> tr.grape.g5_set_xmj(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.array([1.0, 2.0]))
>>> tr.grape.g5_set_n(2)
>>> a, p = tr.grape.g5_calculate_force_on_x(np.array([[0.0, 0.0, 0.0]]))
>>> a.round(3).tolist(), p.round(3).tolist()
([[1.97, 0.0, 0.0]], [11.99])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core

__all__ = [
    "G3_GRAVITY",
    "G3_GRAVITY_AND_NEIGHBORS",
    "G3_NEIGHBORS",
    "g3docalculation",
    "g3docalculationpara",
    "g3frc",
    "g3getgravity",
    "g3getgravityasync",
    "g3getneighbor",
    "g3getneighborasync",
    "g3setdata",
    "g3seteps2",
    "g3seth2all",
    "g3setm",
    "g3setmass",
    "g3setn",
    "g3setscales",
    "g3setxj",
    "g5_calculate_force_on_x",
    "g5_close",
    "g5_get_force",
    "g5_get_jmemsize",
    "g5_get_number_of_pipelines",
    "g5_open",
    "g5_run",
    "g5_set_eps_to_all",
    "g5_set_n",
    "g5_set_range",
    "g5_set_xi",
    "g5_set_xmj",
]

_Array = NDArray[np.float64]

G3_GRAVITY = 1
G3_GRAVITY_AND_NEIGHBORS = 2
G3_NEIGHBORS = 3


def _numbers(values: ArrayLike) -> _Array:
    return np.ascontiguousarray(values, dtype=np.float64)


def g5_open() -> None:
    """Open the device, so that a wrong name is found here; other calls do so as well."""
    _core.grape5().open()


def g5_close() -> None:
    """Give all boards back."""
    _core.grape5().close()


def g5_get_number_of_pipelines() -> int:
    """Return a good number of i-particles for `g5_set_xi`."""
    return _core.Grape5.pipelines


def g5_get_jmemsize() -> int:
    """Return the number of j-particles that a board holds."""
    return _core.Grape5.j_memory


def g5_set_range(xmin: float, xmax: float, mmin: float) -> None:
    """Check the range of coordinates and the least mass, which nothing depends on."""
    _core.Grape5.check_range(xmin, xmax, mmin)


def g5_set_eps_to_all(eps: float) -> None:
    """Set the softening length of all particles on all boards."""
    _core.grape5().set_softening(eps)


def g5_set_n(n: int, devid: int = 0) -> None:
    """Let the j-particles 0 to ``n - 1`` act."""
    _core.grape5().set_count(devid, n)


def g5_set_xmj(xj: ArrayLike, mj: ArrayLike, adr: int = 0, devid: int = 0) -> None:
    """Store j-particles.

    Parameters
    ----------
    xj : array_like, shape (N, 3)
        Their positions.
    mj : array_like, shape (N,)
        Their masses.
    adr : int
        The number of the first of them.
    devid : int
        The board, 0 to 1023.
    """
    _core.grape5().set_sources(devid, adr, _numbers(xj), _numbers(mj))


def g5_set_xi(xi: ArrayLike, devid: int = 0) -> None:
    """Store the positions of i-particles, shape (N, 3)."""
    _core.grape5().set_targets(devid, _numbers(xi))


def g5_run(devid: int = 0) -> None:
    """Start the forces on the i-particles."""
    _core.grape5().run(devid)


def g5_get_force(devid: int = 0) -> tuple[_Array, _Array]:
    """Wait for the forces on the i-particles: accelerations, shape (N, 3), and potentials, shape (N,)."""
    return _core.grape5().get_forces(devid)


def g5_calculate_force_on_x(x: ArrayLike, devid: int = 0) -> tuple[_Array, _Array]:
    """Return the forces at positions: accelerations, shape (N, 3), and potentials, shape (N,)."""
    return _core.grape5().forces_on(devid, _numbers(x))


def g3setscales(length: float, mass: float) -> None:
    """Check the scales of lengths and masses, which nothing depends on."""
    _core.Grape3.check_scales(length, mass)


def g3seteps2(eps2: float) -> None:
    """Set the square of the softening length."""
    _core.grape3().set_softening2(eps2)


def g3setn(n: int) -> None:
    """Set the number of particles."""
    _core.grape3().set_count(n)


def g3setxj(j: int, x: ArrayLike) -> None:
    """Store the position of particle ``j``."""
    _core.grape3().write_position(j, *_numbers(x).tolist())


def g3setm(j: int, mass: float) -> None:
    """Store the mass of particle ``j``."""
    _core.grape3().write_mass(j, mass)


def g3frc(x: ArrayLike) -> tuple[_Array, _Array]:
    """Return the forces of all particles at positions: accelerations, shape (N, 3), and potentials, shape (N,)."""
    return _core.grape3().forces_on(_numbers(x))


def g3setmass(mass: ArrayLike) -> None:
    """Store the masses of all particles, shape (N,)."""
    _core.grape3().write_masses(_numbers(mass))


def g3setdata(x: ArrayLike) -> None:
    """Store the positions of all particles, shape (N, 3), and thereby their number."""
    _core.grape3().write_positions(_numbers(x))


def g3seth2all(h: ArrayLike) -> None:
    """Store the neighbour radii of all particles, shape (N,), not squared."""
    _core.grape3().write_radii(_numbers(h))


def g3docalculation(i0: int, i1: int, j0: int, j1: int, mode: int) -> None:
    """Compute the forces of the particles ``range(j0, j1)`` on ``range(i0, i1)``, and neighbours, as the mode says.

    Parameters
    ----------
    i0, i1, j0, j1 : int
        The i-particles and the j-particles; ``i1`` and ``j1`` are not among them.
    mode : int
        `G3_GRAVITY`, `G3_GRAVITY_AND_NEIGHBORS` or `G3_NEIGHBORS`: 1, 2 or 3.
    """
    _core.grape3().start((i0, i1), (j0, j1), mode, True)


def g3docalculationpara(i0: int, i1: int, j0: int, j1: int, mode: int) -> None:
    """Start what `g3docalculation` computes, and return."""
    _core.grape3().start((i0, i1), (j0, j1), mode, False)


def g3getgravity() -> tuple[_Array, _Array]:
    """Wait for the forces on the i-particles: accelerations, shape (N, 3), and potentials, shape (N,)."""
    return _core.grape3().forces()


def g3getneighbor() -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Wait for the neighbours of the i-particles: the j-particles at ``r_ij < h_i``, the particle itself among them.

    Returns
    -------
    list : ndarray
        The numbers of the neighbours, one list behind the other, each in ascending order.
    begin : ndarray, shape (N + 1,)
        Those of i-particle number ``k`` are ``list[begin[k] : begin[k + 1]]``.
    """
    return _core.grape3().neighbours()


g3getgravityasync = g3getgravity
g3getneighborasync = g3getneighbor


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)

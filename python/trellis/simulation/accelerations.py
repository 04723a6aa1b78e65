"""Accelerations and potentials of gravity for arrays of positions and masses, without a simulation."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.given_numbers import real_numbers
from trellis.simulation.engine import Engine

Floats = NDArray[np.float64]


@overload
def accelerations(
    position: ArrayLike,
    mass: ArrayLike,
    *,
    softening: float = 0.0,
    at: ArrayLike | None = None,
    box: ArrayLike | None = None,
    return_potential: Literal[False] = False,
    **gravity: Any,
) -> Floats: ...


@overload
def accelerations(
    position: ArrayLike,
    mass: ArrayLike,
    *,
    softening: float = 0.0,
    at: ArrayLike | None = None,
    box: ArrayLike | None = None,
    return_potential: Literal[True],
    **gravity: Any,
) -> tuple[Floats, Floats]: ...


@checked_arguments()
def accelerations(
    position: ArrayLike,
    mass: ArrayLike,
    *,
    softening: float = 0.0,
    at: ArrayLike | None = None,
    box: ArrayLike | None = None,
    return_potential: bool = False,
    **gravity: Any,
) -> Floats | tuple[Floats, Floats]:
    """Return the gravity of particles, on themselves or at given points.

    Parameters
    ----------
    position : array_like, shape (N, 3)
        Positions of the particles.
    mass : array_like, shape (N,), or one number
        Their masses.
    softening : float
        Plummer's softening length: the potential of a mass m at distance r is -G m / sqrt(r^2 + softening^2).
    at : array_like, shape (M, 3) or (3,), optional
        Points at which the gravity of all particles is wanted. If not given, it is that on each particle by all others.
    box : array_like, optional
        A periodic box, as that of a `ParticleSet`; open space if not given.
    return_potential : bool
        Return the potentials, too.
    **gravity
        Other parameters of `Gravity`, such as ``G`` (1 if not given) and ``accuracy`` (1e-3), the wanted root mean
        square of the relative errors.

    Returns
    -------
    acceleration : ndarray, shape (N, 3), or that of `at`
        The accelerations, in the order of the particles or points.
    potential : ndarray, shape (N,) or (M,), or one number
        The potentials, if `return_potential`.

    Raises
    ------
    ValueError
        If a shape does not fit, a value is not finite, or on several ranks, whose particles a `Simulation` shares.

    Examples
    --------
    >>> import trellis as tr
    >>> tr.accelerations([[0, 0, 0], [2, 0, 0]], [1, 4]).tolist()
    [[1.0, 0.0, 0.0], [-0.25, 0.0, 0.0]]
    >>> field, potential = tr.accelerations([[0, 0, 0]], 2, at=[0, 0, 1], return_potential=True)
    >>> field.tolist(), float(potential)
    ([0.0, 0.0, -2.0], -2.0)
    """
    if world.ranks() > 1:
        raise _core.InputError("accelerations of arrays are wanted on several ranks, where a Simulation has them")
    particles = ParticleSet.from_columns(position=position, mass=mass)
    particles.check_finite("mass")
    count = len(particles)
    given = np.zeros((0, 3)) if at is None else np.asarray(real_numbers("at", at), dtype=np.float64)
    if given.ndim > 2 or given.shape[-1:] != (3,):
        raise _core.InputError(f"at has the shape {given.shape}, but must have the shape (M, 3), or (3,) of one point")
    points = np.atleast_2d(given)
    both = ParticleSet.from_columns(
        position=np.concatenate([particles.position, points]),
        mass=np.concatenate([particles.mass, np.zeros(len(points))]),  # points feel, but do not act
    )
    if box is not None:
        both.box = box
    both.check_finite("position")
    force = _core.Gravity(softening=softening, **gravity)
    engine = Engine(
        [force], _core.DeviceOptions(), resident=False, keep_order=True, thermostat=None, barostat=None, timestep=1.0
    )
    engine.start(both, 0.0).compute_forces()
    rows = slice(0, count) if at is None else slice(count, None) if given.ndim == 2 else count
    acceleration, potential = np.array(both.acceleration[rows]), np.array(both.potential[rows])
    return (acceleration, potential) if return_potential else acceleration

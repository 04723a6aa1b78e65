"""Gresho's vortex, which stays as it is: the pressure holds it together.

Gresho and Chan (1990), International Journal for Numerical Methods in Fluids 11, 621.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from trellis.arguments import checked_arguments
from trellis.exact.profile import Profile, check_gamma, distances


@checked_arguments()
def gresho(radius: ArrayLike, gamma: float = 5.0 / 3.0) -> Profile:
    """Density (1), velocity around the axis and pressure (5 on the axis).

    Parameters
    ----------
    radius : array_like
        Distances from the axis.
    gamma : float
        Adiabatic index.
    """
    check_gamma(gamma)
    r = distances(radius)
    middle = np.maximum(r, 0.2)  # the logarithm is not wanted further in
    where = [r < 0.2, r < 0.4]
    velocity = np.select(where, [5.0 * r, 2.0 - 5.0 * r], 0.0)
    pressure = np.select(
        where,
        [5.0 + 12.5 * r**2, 9.0 + 12.5 * r**2 - 20.0 * r + 4.0 * np.log(5.0 * middle)],
        3.0 + 4.0 * np.log(2.0),
    )
    return Profile(np.ones_like(r), velocity, pressure, gamma)

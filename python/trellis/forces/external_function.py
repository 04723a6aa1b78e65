"""An external field that is a function of Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.forces.returned import kind_of, real_array
from trellis.forces.user_function import HoldsFunction, check_function

FieldFunction = Callable[[NDArray[np.float64], float], tuple[ArrayLike, ArrayLike]]


class External(HoldsFunction, _core.ExternalFunction):
    """A field of your own, in which particles move beside the forces between them.

    It adds to their ``acceleration`` and ``external_potential``, and counts in full in their energy
    (`Energies.external`). If the acceleration is not minus the gradient of the potential, or either depends on the
    time, energy is not conserved; momentum is not in any case.

    Parameters
    ----------
    function : callable
        ``function(position, time)`` for n particles at once: their positions, shape (n, 3), in a periodic box those of
        the images within it, and the time. It returns their accelerations, shape (n, 3), and the potential of a unit of
        mass at each, shape (n,). It is called once a step on each rank, with the particles that are there, and by
        `Simulation.force_error` for each particle that is compared; what it raises ends the step. Another may be
        assigned, ``field.function = ...``, before a call of `Simulation.forces_changed`.

    Raises
    ------
    ValueError
        If `function` cannot be called; at a step, if what it returns is not as above, or not finite.

    Examples
    --------
    >>> import trellis as tr
    >>> tide = tr.External(lambda position, time: (0.1 * position, -0.05 * (position**2).sum(axis=1)))
    >>> sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity(softening=0.1), tide], timestep=0.01)
    >>> sim.run(steps=3)
    """

    @checked_arguments()
    def __init__(self, function: FieldFunction) -> None:
        check_function(function, "position and time")
        super().__init__(lambda position, time: self._checked(self.function(position, time), len(position)))
        self.function = function

    def __repr__(self) -> str:
        return f"External({self.settings['function']})"

    def _checked(self, given: object, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            what = kind_of(given)
            raise _core.InputError(f"{self!r} has returned {what}, but must return acceleration and potential")
        acceleration, potential = given
        accelerations = real_array(repr(self), "acceleration", acceleration, (count, 3))
        return accelerations, real_array(repr(self), "potential", potential, (count,))

"""A limit of time steps that is a function of Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments, is_number
from trellis.forces.returned import real_array
from trellis.forces.user_function import HoldsFunction, check_function

Columns = Callable[[str], NDArray[Any]]
StepFunction = Callable[[Columns, int, float], NDArray[np.float64]]


class ActiveParticles:
    """The particles that begin a step, for the function of a `StepLimit`.

    Each column is an array of its own, (n,) or (n, 3), as ``particles.column("charge")`` or ``particles.charge``;
    ``len(particles)`` is n.

    Attributes
    ----------
    time : float
        The time at which the step begins.
    """

    def __init__(self, column: Columns, count: int, time: float) -> None:
        self._column, self._count, self.time = column, count, time

    def column(self, name: str) -> NDArray[Any]:
        """Return a column; ValueError for an unknown name."""
        return self._column(name)

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.column(name)

    def __len__(self) -> int:
        return self._count


class StepLimit(HoldsFunction, _core.StepLimitFunction):
    """A limit of your own of time steps, to be given among the forces: it adds nothing to accelerations.

    It limits the steps of `Simulation` that are chosen, for all particles or, with `IndividualSteps`, for each.

    Parameters
    ----------
    function : callable
        ``function(particles)`` for the n particles that begin a step, `ActiveParticles`: it returns the longest step of
        each, shape (n,), or one for all of them; above 0, and infinite where it has no limit. Columns such as
        ``particles.position``, ``particles.acceleration``, ``particles.mass`` and any of your own are those of the
        beginning of the step; so is ``particles.velocity``, up to the kicks by slower particles with `IndividualSteps`,
        which act at the beginning and the end of their steps. It is called on each rank that has such particles; what
        it raises ends the step.

    Raises
    ------
    ValueError
        If `function` cannot be called; at a step, if what it returns is not as above.

    Examples
    --------
    >>> import trellis as tr
    >>> inner = tr.StepLimit(lambda particles: 0.001 + 0.02 * (particles.position**2).sum(axis=1))
    >>> own = tr.IndividualSteps(longest=1 / 16)
    >>> sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity(softening=0.1), inner], own)
    >>> sim.run(steps=1)
    """

    @checked_arguments()
    def __init__(self, function: Callable[[ActiveParticles], ArrayLike]) -> None:
        check_function(function, "particles")
        self.function = function
        super().__init__(_checked(vars(self), repr(self)), repr(self))

    def __repr__(self) -> str:
        return f"StepLimit({self.settings['function']})"


def _checked(attributes: Mapping[str, Any], name: str) -> StepFunction:
    """Return the function of columns, number and time that calls that of a limit, and checks its values.

    It keeps the limit's attributes instead of the limit, which keeps it.
    """

    def steps(column: Columns, count: int, time: float) -> NDArray[np.float64]:
        given = attributes["function"](ActiveParticles(column, count, time))
        return real_array(name, "steps", np.full(count, given) if is_number(given) else given, (count,))

    return steps

"""A force that a function of Python computes for all particles at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import checked_arguments, shown
from trellis.errors import did_you_mean
from trellis.forces.returned import kind_of, real_array
from trellis.forces.user_function import HoldsFunction, check_function

Array = NDArray[np.float64]
# The results that a function may give, and the columns to which they are added.
GIVES = {
    "acceleration": "acceleration",
    "force": "acceleration",
    "potential": "potential",
    "energy": "potential",
    "virial": "virial",
}


class PythonForce(HoldsFunction, _core.FunctionForce):
    """A force of your own among all particles: a machine-learned potential, a calculator, a function of arrays.

    The function is called once a step with whole columns, NumPy arrays without a copy. PyTorch, JAX and CuPy read
    them as they are (``torch.from_dlpack``, ``jax.numpy.asarray``). Rows are in the order in which the simulation keeps
    them at that step, which is another one later: with ``id`` among `needs` the function knows which particle is which.

    Parameters
    ----------
    function : callable
        ``function(*needs)``, which returns an array for each of `gives`, in this order; of one alone, the array. What
        it raises ends the step.
    needs : sequence of str
        The columns that it reads, such as ``position``, ``id``, ``type`` or fields of your own; they cannot be written
        to. Also ``time``, a number, and ``box``, the low and the high faces of space, shape (2, 3). In a step
        velocities are predicted to the time of the positions, by the last accelerations; fixed particles have theirs.
        In a periodic box positions may lie outside of it by what a particle moves in a few steps.
    gives : sequence of str
        Of n particles: ``force``, shape (n, 3), or ``acceleration``, which is a force per mass; ``energy``, of each
        particle, shape (n,), or one number for all together, or ``potential``, shape (n,), which is twice the energy
        of a particle per mass, as that of pairs; ``virial``, shape (n,).
    of_each : bool
        True if the results of a particle depend on that particle alone. Then several ranks may share the particles,
        and each calls the function with its own rows; a function of all particles is refused there.

    Raises
    ------
    ValueError
        For a function that cannot be called, and unknown names. At a step, for a column that is missing, and for
        results of another shape or that are not finite, with the id of the particle.

    Examples
    --------
    >>> import trellis as tr
    >>> def springs_to_the_middle(position):
    ...     d = position - position.mean(axis=0)
    ...     return 0.5 * (d**2).sum(), -d
    >>> force = tr.PythonForce(springs_to_the_middle, needs=["position"], gives=["energy", "force"])
    >>> sim = tr.Simulation(tr.ic.plummer(100), [force], timestep=0.01)
    >>> sim.run(steps=3)
    """

    @checked_arguments()
    def __init__(
        self, function: Callable[..., Any], *, needs: Sequence[str], gives: Sequence[str], of_each: bool = False
    ) -> None:
        check_function(function, "columns")
        self.function, self.needs, self.gives = function, _names("needs", needs), _names("gives", gives)
        self.of_each = of_each
        for name in self.gives:
            if name not in GIVES:
                raise _core.InputError(f"gives has {name!r}: {did_you_mean(name, GIVES)}")
        results = [GIVES[name] for name in self.gives]
        if len(set(results)) < len(results) or not results:
            raise _core.InputError(
                f"gives is {shown(gives)}: allowed are one of force and acceleration, one of energy and potential, and"
                " virial"
            )
        by_mass = ["mass"] if "force" in self.gives or "energy" in self.gives else []
        self._columns = [name for name in dict.fromkeys([*self.needs, *by_mass]) if name not in ("time", "box")]
        super().__init__(self._called, repr(self), self._columns, results, of_each)

    @property
    def settings(self) -> dict[str, object]:
        """The function, by its name, what it needs and what it gives."""
        return {**super().settings, "needs": self.needs, "gives": self.gives, "of_each": self.of_each}

    def __repr__(self) -> str:
        return f"PythonForce({self.settings['function']})"

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.function, self.needs, self.gives, self.of_each)

    def _called(
        self, columns: list[NDArray[Any]], time: float, box: Array, ids: NDArray[np.uint64]
    ) -> list[NDArray[np.float64]]:
        """Call the function, and return what is added to each column."""
        known: dict[str, Any] = dict(zip(self._columns, columns, strict=True)) | {"time": time, "box": box}
        given = self.function(*(known[name] for name in self.needs))
        if len(self.gives) == 1 and not isinstance(given, (tuple, list)):
            given = (given,)
        if not isinstance(given, (tuple, list)) or len(given) != len(self.gives):
            raise _core.InputError(f"{self!r} has returned {kind_of(given)}, but must return {', '.join(self.gives)}")
        mass = known.get("mass")
        return [self._result(name, value, mass, ids) for name, value in zip(self.gives, given, strict=True)]

    def _result(self, name: str, value: Any, mass: Any, ids: NDArray[np.uint64]) -> Array:
        count = len(ids)
        if name == "energy" and np.ndim(value) == 0 and value is not None:
            total = real_array(repr(self), name, value, ())
            value = np.full(count, total / max(count, 1))
        values = real_array(repr(self), name, value, (count, 3) if GIVES[name] == "acceleration" else (count,))
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == "force":
                values = values / mass[:, None]
            elif name == "energy":
                values = 2 * values / mass
        self._check_finite(name, values, ids)
        return values

    def _check_finite(self, name: str, values: Array, ids: NDArray[np.uint64]) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(values.sum()):  # the sum of all is finite in almost every case, and the quicker test
                return
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            found = values[tuple(wrong[0])]
            raise _core.InputError(
                f"{self!r} has returned as {name} {found:g} for the particle of id {ids[wrong[0][0]]}, but must return"
                " finite numbers, for masses above 0"
            )


def _names(what: str, given: Sequence[str]) -> list[str]:
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise _core.InputError(f"{what} is {shown(given)}: allowed is a list of names")
    return list(given)


def _made(function: Callable[..., Any], needs: list[str], gives: list[str], of_each: bool) -> PythonForce:
    return PythonForce(function, needs=needs, gives=gives, of_each=of_each)

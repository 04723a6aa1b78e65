"""The decorator that makes an interaction of a function of one pair."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

from trellis import _core
from trellis.arguments import shown
from trellis.interactions.graphs.trace import Declared
from trellis.interactions.interaction import SEARCHES, Interaction, PairFunction, Search


@overload
def interaction(function: PairFunction, /) -> Interaction: ...
@overload
def interaction(
    *, vectors: Sequence[str] = (), results: Sequence[str] = (), evolves: Mapping[str, str] | None = None,
    radius: str = "", search: str = "gather", strength: str | None = None, check: bool = False,
) -> Callable[[PairFunction], Interaction]: ...  # fmt: skip
def interaction(
    function: PairFunction | None = None,
    /,
    *,
    vectors: Sequence[str] = (),
    results: Sequence[str] = (),
    evolves: Mapping[str, str] | None = None,
    radius: str = "",
    search: str = "gather",
    strength: str | None = None,
    check: bool = False,
) -> Any:
    """Make an interaction of a function of one pair: a decorator.

    The function is called once, with symbols, and adds the effect of particle j on particle i to results. Fields are
    read as ``i.position``, ``j.mass``, ``i.charge``, results written as ``out.acceleration += ...``, ``out.potential -=
    ...`` and, with a cutoff, ``out.overlap.raise_to(...)`` or ``lower_to(...)``. Keyword arguments are parameters.
    Allowed are arithmetic, powers, comparisons, and `trellis.sqrt`, `rsqrt`, `exp`, `log`, `where`, `minimum`,
    `maximum`, `dot` and `cross`, and functions that `trellis.table` returns.

    Parameters
    ----------
    function : callable
        ``function(i, j, out, *, parameter=default, ...)``.
    vectors : sequence of str
        Fields and results of your own that are vectors; others are numbers.
    results : sequence of str
        Results of your own, beside acceleration, potential (energy per mass) and virial.
    evolves : dict of str to str
        Fields, and the results by which they are kicked as velocities are by accelerations. With a cutoff alone.
    radius : str
        A field that is the search radius of each particle, instead of a cutoff of all.
    search : str
        With a radius: pairs nearer than that of i (gather), of j (scatter), or of either (symmetric).
    strength : str
        Without a cutoff: the field of j by which the centre of a cell is weighted; if not given, the first number read.
    check : bool
        Compare accelerations of some pairs with differences of the potential, whenever a force is made.

    Returns
    -------
    Interaction
        A call of it with parameters and settings makes a force.

    Raises
    ------
    ValueError
        For a function that cannot be traced: in one sentence with the line. When a force is made that is to be checked:
        for an acceleration that is not minus the gradient of the potential, with a pair.

    Examples
    --------
    >>> import trellis as tr
    >>> @tr.interaction
    ... def gravity(i, j, out, *, epsilon2=1e-4):
    ...     d = j.position - i.position
    ...     r = tr.sqrt(tr.dot(d, d) + epsilon2)
    ...     out.potential -= j.mass / r
    ...     out.acceleration += j.mass / r**3 * d
    >>> sim = tr.Simulation(tr.ic.plummer(100), [gravity(epsilon2=0.01, theta=0.6)], timestep=0.01)
    >>> sim.run(steps=3)
    """
    if search not in SEARCHES:
        raise _core.InputError(f"search is {shown(search)}: allowed are {', '.join(SEARCHES)}")
    pairs = tuple((evolves or {}).items())
    declared = Declared(tuple(vectors), tuple(results), pairs)

    def made(function: PairFunction) -> Interaction:
        if not inspect.isfunction(function):
            raise _core.InputError(
                f"an interaction is made of {shown(function)}: allowed is a function of i, j and out"
            )
        return Interaction(function, declared, replace(Search(), radius=radius, mode=search), strength, check)

    return made if function is None else made(function)

"""Forces from pair potentials: the acceleration is the derivative of an expression."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trellis import _core
from trellis.arguments import is_number, shown
from trellis.interactions.code.expansion_text import squared_distance
from trellis.interactions.code.program import CentralPotential
from trellis.interactions.finite_potential import check_finite
from trellis.interactions.forces import NeighbourInteraction, TreeInteraction
from trellis.interactions.graphs.by_parameter import PotentialByParameter, check_parameter, weight_of
from trellis.interactions.graphs.calculus import derivative, substituted
from trellis.interactions.graphs.expression import names_in, value_of
from trellis.interactions.graphs.functions import dot, maximum, sqrt
from trellis.interactions.graphs.graph import Node
from trellis.interactions.graphs.kinds import Matrices, looked_up, taken_matrices
from trellis.interactions.graphs.symbols import Number, Trace
from trellis.interactions.graphs.tables import TableByKinds
from trellis.interactions.graphs.taylor import is_smooth
from trellis.interactions.graphs.trace import Declared, Output, Record
from trellis.interactions.interaction import Interaction, Kinds, Search

TRUNCATIONS = ("plain", "energy-shifted", "force-shifted", "switched")
MIXING: dict[str, tuple[str, ...]] = {
    "lorentz-berthelot": ("geometric", "arithmetic"),
    "geometric": ("geometric",),
    "arithmetic": ("arithmetic",),
}
_SWITCH_RATIO = 0.9  # the switching distance over the cutoff, as for LennardJones


class Potential(Interaction):
    """The interaction of a pair potential."""

    def __init__(self, potential: str | Callable[..., Any], choices: Mapping[str, Any], names: Sequence[str]) -> None:
        self.potential, self.choices = potential, dict(choices)
        source = str(choices["source"])
        function = _function(potential, names, **choices)
        super().__init__(function, Declared(), Search(), source or None)

    def _outputs(self, short: bool) -> tuple[Output, ...]:
        """Return the results: the virial of a far field is not known."""
        return tuple(output for output in self._traced.outputs if short or output.field[0] != "virial")

    def _potential(self) -> CentralPotential | None:
        """Return the potential by the square of the distance, if it has derivatives everywhere."""
        trace = Trace(self._traced.trace.place)
        graph = trace.graph
        values = {name: Number(trace, graph.parameter(name)) for name in self.parameters}
        u = trace.node(value_of(self.potential, sqrt(Number(trace, squared_distance(graph))), values))
        response = trace.node(_response(Record(trace, "i", self._declared), str(self.choices["source"])))
        return CentralPotential(graph, u, response) if is_smooth(u) else None

    @property
    def differs(self) -> bool:
        """Whether it differs from pair to pair at the same distance."""
        by_choice = (self.choices[name] for name in ("fields", "source", "matrices"))
        return isinstance(self.potential, TableByKinds) or any(map(bool, by_choice))

    def energy(self, r: float, given: Mapping[str, Any]) -> float:
        """Return u(r) without truncation, of a potential that does not differ from pair to pair."""
        number: Any = r
        return float(value_of(self.potential, number, {name: given[name] for name in _parameters_in(self.potential)}))

    def settings_of_call(self, given: Mapping[str, Any]) -> dict[str, object]:
        """Return what a force shows of the call that made it, beside the settings of its kind."""
        truncation = {"truncation": self.choices["truncation"]} if "cutoff" in given else {}
        return {**super().settings_of_call(given), **truncation}

    def _call_text(self, given: Mapping[str, Any]) -> str:
        name = getattr(self.potential, "__name__", None)
        chosen = {key: value for key, value in self.choices.items() if value and key != "matrices"}
        chosen |= {name: matrix.tolist() for name, matrix in self.choices["matrices"].items()}
        typed = ", ".join(f"{key}={value!r}" for key, value in {**chosen, **given}.items())
        return f"pair_potential({name or repr(self.potential)}, {typed})"

    def _reduced(self) -> Any:
        return type(self), (self.potential, self.choices, tuple(self.parameters))

    def _by_parameter(self, parameter: str, kinds: Kinds) -> Interaction:
        """Return the interaction of the derivative, which is cut off as the potential is."""
        matrices, weight = dict(self.choices["matrices"]), ""
        check_parameter(self.__name__, parameter, self.parameters, matrices, kinds)
        if parameter in matrices:
            assert kinds is not None
            weight, matrix = weight_of(parameter, matrices[parameter], kinds)
            matrices[weight] = matrix
        slope = PotentialByParameter(self.potential, parameter, weight)
        return Potential(slope, {**self.choices, "matrices": matrices}, tuple(self.parameters))


def pair_potential(
    potential: str | Callable[..., Any],
    *,
    fields: Sequence[str] = (),
    mix: str = "",
    source: str = "",
    truncation: str = "plain",
    switch_distance: float | None = None,
    **given: Any,
) -> TreeInteraction | NeighbourInteraction:
    """Return the force of a potential of the distance: accelerations follow by differentiation.

    Particles i and j at distance r have the energy u(r), or u(r) times the sources of both. The force adds the
    acceleration, the potential (energy per mass) and the virial.

    Parameters
    ----------
    potential : str or callable
        u: an expression of r, of fields and of parameters, the ``cutoff`` among them, with ``+ - * / **``, ``sqrt``,
        ``exp``, ``log``, ``sin``, ``cos``, ``abs``, ``min``, ``max`` and ``pi``; or a function of r, such as a `table`,
        whose other arguments are fields and parameters. A table by kinds is looked up by the fields ``kind`` of both
        particles.
    fields : sequence of str
        The names in it that are fields of the particles, of which a pair has a mean.
    mix : str
        The means of two particles: ``lorentz-berthelot``, the geometric one of the first field and the arithmetic one
        of the second; ``geometric`` or ``arithmetic`` of all.
    source : str
        The field by whose values for i and j the energy is multiplied, such as ``charge``. Needed without a cutoff: all
        images act in a periodic box, if u falls off faster than 1/r^3.
    truncation : str
        How u ends at the cutoff c: ``plain``, ``energy-shifted``, u - u(c), ``force-shifted``, also without a jump of
        the force, or ``switched``, as `trellis.LennardJones` has them.
    switch_distance : float, optional
        Switched: the distance from which u is switched off, below the cutoff; if not given, 0.9 of the cutoff.
    **given : float or array_like
        Values of the parameters, ``cutoff``, and settings of the force: see `Interaction`. With a cutoff, a parameter
        may be a symmetric matrix: its entry for the kinds of both particles, which are numbers in the field ``kind``,
        from 0 on.

    Raises
    ------
    ValueError
        For text that is no expression, a potential that is not finite at its cutoff, an unknown choice, or a field
        without a rule for its mean.

    Examples
    --------
    >>> import trellis as tr
    >>> dust = tr.pair_potential("exp(-r / length) / sqrt(r**2 + 1e-4)", source="mass", length=0.5, theta=0.5)
    >>> sim = tr.Simulation(tr.ic.plummer(100), [dust], timestep=0.01)
    >>> sim.run(steps=3)
    """
    _check_choices(fields, mix, truncation, "cutoff" in given, source)
    names = [name for name in _parameters_in(potential) if name not in fields]
    matrices = taken_matrices("pair_potential", names, given)
    names = [name for name in names if name not in matrices]
    if matrices and "cutoff" not in given:
        raise _core.InputError(f"{next(iter(matrices))} of pair_potential is a matrix: allowed with a cutoff alone")
    choices = {"fields": tuple(fields), "mix": mix, "source": source, "truncation": truncation, "matrices": matrices}
    if truncation == "switched":
        names.append("switch_distance")
        given["switch_distance"] = _switching_from(switch_distance, given["cutoff"])
    elif switch_distance is not None:
        raise _core.InputError("switch_distance is given: allowed with truncation switched")
    made = Potential(potential, choices, names)
    if not isinstance(potential, TableByKinds):
        check_finite(potential, given)
    return made(**given)


def _check_choices(fields: Sequence[str], mix: str, truncation: str, short: bool, source: str) -> None:
    if not isinstance(source, str):
        raise _core.InputError(f"source is {shown(source)}: allowed is the name of a field, such as 'charge'")
    if truncation not in TRUNCATIONS:
        raise _core.InputError(f"truncation is {shown(truncation)}: allowed are {', '.join(TRUNCATIONS)}")
    if isinstance(fields, str) or not isinstance(fields, Sequence):
        raise _core.InputError(f"fields is {shown(fields)}: allowed are names of fields, such as ['eps', 'sigma']")
    if fields and mix not in list(MIXING):
        raise _core.InputError(f"mix is {shown(mix)}: with fields, allowed are {', '.join(MIXING)}")
    if not fields and mix != "":
        raise _core.InputError(f"mix is {shown(mix)}, but there are no fields, of which it would be the rule")
    if mix == "lorentz-berthelot" and len(fields) != 2:
        raise _core.InputError(f"mix is 'lorentz-berthelot', but there are {len(fields)} fields: allowed are two")
    if not short and (fields or not source or truncation != "plain"):
        raise _core.InputError(
            "a pair potential without a cutoff acts by whole cells: allowed is one with a source, and without fields"
            " and truncation"
        )


def _switching_from(switch_distance: Any, cutoff: Any) -> Any:
    """Return where a potential begins to be switched off; what is no number is refused with the other parameters."""
    if not is_number(cutoff):
        return switch_distance or 0.0
    if switch_distance is None:
        return _SWITCH_RATIO * cutoff
    if is_number(switch_distance) and not 0 <= switch_distance < cutoff:
        raise _core.InputError(
            f"switch_distance is {switch_distance:g}: allowed is at least 0 and below the cutoff, {cutoff:g}"
        )
    return switch_distance


def _parameters_in(potential: str | Callable[..., Any]) -> list[str]:
    """Return the names of parameters and fields in a potential: a table by kinds has none."""
    return [] if isinstance(potential, TableByKinds) else [name for name in names_in(potential) if name != "r"]


def _function(
    potential: str | Callable[..., Any], names: Sequence[str], *, fields: Sequence[str], mix: str, source: str,
    truncation: str, matrices: Matrices,
) -> Callable[..., None]:  # fmt: skip
    """Return the function of a pair that Interaction traces."""

    def pair_potential(i: Any, j: Any, out: Any, **parameters: Number) -> None:
        d = j.position - i.position
        r2 = dot(d, d)
        own = {name: value for name, value in parameters.items() if name in of_potential}
        own |= {**_means(i, j, fields, mix), **_by_kinds(potential, matrices, i, j)}
        u = Number(r2.trace, r2.trace.node(value_of(potential, sqrt(r2), own)))
        u = _truncated(u, r2, truncation, parameters)
        slope = Number(u.trace, derivative(u.trace.graph, u.node, r2.node))  # by r^2
        of_i, of_j = (getattr(i, source), getattr(j, source)) if source else (1, 1)
        response = _response(i, source)
        out.potential += response * of_j * u
        out.virial -= 2 * of_i * of_j * r2 * slope
        out.acceleration += 2 * response * of_j * slope * d

    of_potential = _parameters_in(potential)
    known = [*names, *(["cutoff"] if truncation != "plain" else [])]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("i", "j", "out")]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in dict.fromkeys(known)]
    pair_potential.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    if hasattr(potential, "__code__"):
        pair_potential.__wrapped__ = potential  # type: ignore[attr-defined]  # whose lines are named in errors
    return pair_potential


def _response(i: Any, source: str) -> Any:
    """Return the strength of i over its mass, which is 1 for masses, also of particles without any."""
    return 1 if source == "mass" else (getattr(i, source) if source else 1) / i.mass


def _by_kinds(potential: str | Callable[..., Any], matrices: Matrices, i: Any, j: Any) -> dict[str, Number]:
    if isinstance(potential, TableByKinds):
        return {"i": i.kind, "j": j.kind}
    return looked_up(matrices, i.kind, j.kind) if matrices else {}


def _means(i: Any, j: Any, fields: Sequence[str], mix: str) -> dict[str, Number]:
    rules = MIXING.get(mix, ())
    means = {}
    for k, name in enumerate(fields):
        a, b = getattr(i, name), getattr(j, name)
        means[name] = sqrt(a * b) if rules[min(k, len(rules) - 1)] == "geometric" else 0.5 * (a + b)
    return means


def switched_off(r: Any, start: Any, cutoff: Any) -> Any:
    """Return the switching function of a distance: 1 before `start`, 0 at the cutoff."""
    x = maximum((r - start) / (cutoff - start), 0)
    return 1 - x**3 * (10 - x * (15 - 6 * x))


def _truncated(u: Number, r2: Number, truncation: str, parameters: Mapping[str, Number]) -> Number:
    if truncation == "plain":
        return u
    cutoff, graph = parameters["cutoff"], u.trace.graph
    r = sqrt(r2)
    if truncation == "switched":
        return u * switched_off(r, parameters["switch_distance"], cutoff)  # type: ignore[no-any-return]

    def at_cutoff(node: Node) -> Number:
        return Number(u.trace, substituted(graph, node, r2.node, (cutoff**2).node))

    shifted: Number = u - at_cutoff(u.node)
    if truncation == "energy-shifted":
        return shifted
    slope = 2 * cutoff * at_cutoff(derivative(graph, u.node, r2.node))
    return shifted - (r - cutoff) * slope  # type: ignore[no-any-return]

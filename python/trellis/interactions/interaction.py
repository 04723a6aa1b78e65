"""Interactions between pairs of particles, written as functions of Python."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trellis import _core
from trellis.arguments import is_number, shown
from trellis.errors import did_you_mean
from trellis.interactions.code.compiled import assembly, functions, machine
from trellis.interactions.code.functions import module_of, names_of
from trellis.interactions.code.graph_bytes import device_graph
from trellis.interactions.code.kind_rows import rows_in_memory
from trellis.interactions.code.layout import Layout, components_of
from trellis.interactions.code.memory import in_memory
from trellis.interactions.code.program import CentralPotential, Program
from trellis.interactions.code.tile_loops import SUMMED
from trellis.interactions.forces import NeighbourInteraction, TreeInteraction, settings_of
from trellis.interactions.gradient_check import check_gradient
from trellis.interactions.graphs.by_parameter import check_parameter, interaction_by_parameter
from trellis.interactions.graphs.finish import Finish, finished_by_pairs, finished_once, is_linear, with_finish
from trellis.interactions.graphs.graph import Node, needed
from trellis.interactions.graphs.linear import are_linear_in_j, is_zero
from trellis.interactions.graphs.show import text_of
from trellis.interactions.graphs.softened import softened_roots
from trellis.interactions.graphs.trace import Declared, Output, Traced, parameters_of, traced
from trellis.interactions.graphs.virial_rows import virial_rows

PairFunction = Callable[..., None]
Kinds = tuple[int, int] | None
SEARCHES = ("gather", "scatter", "symmetric")


@dataclass(frozen=True)
class Search:
    """Which pairs interact, where each particle has a search radius.

    Attributes
    ----------
    radius : str
        The field that is the radius; "" without one.
    mode : str
        One of `SEARCHES`.
    """

    radius: str = ""
    mode: str = "gather"


def table_end(program: Program) -> float:
    """Return the distance at which the first of its tables ends; infinity without a table of the distance."""
    distance = program.graph.sqrt(program.squared_distance())
    ends = (table.last for table, argument in program.graph.tables.values() if argument is distance)
    return min(ends, default=math.inf)


def check_reach(name: str, end: float, cutoff: float) -> None:
    """Raise a ValueError if a table of the distance ends within the cutoff."""
    if end < cutoff:
        raise _core.InputError(
            f"cutoff of {name} is {cutoff:g}, but its table ends at {end:g}: allowed is that at most"
        )


class Interaction:
    """A pair interaction, which `interaction` makes of a function.

    A call makes a force for `trellis.Simulation`. Its keyword arguments are the parameters of the function, a `cutoff`
    for a force of short range, and settings: of long range those of a tree (`theta`, `group_size`, `precision`, ...),
    of short range those of neighbour lists (`lists`, `skin`, ...), by the names that `trellis.Gravity` and
    `trellis.LennardJones` give them. The text of an interaction is what a pair takes: ``print(gravity)``.

    Attributes
    ----------
    parameters : dict of str to object
        The names of the parameters and their defaults.
    """

    def __init__(
        self, function: PairFunction, declared: Declared, search: Search, strength: str | None, check: bool = False
    ) -> None:
        self.__name__, self.__qualname__, self.__module__ = (
            function.__name__,
            function.__qualname__,
            function.__module__,
        )
        self.__doc__ = function.__doc__ or type(self).__doc__
        self.function = function
        self.parameters = parameters_of(function, self.__name__)
        self._search, self._strength, self._check = search, strength, check
        for name in self.parameters:
            if name in settings_of(_core.TreePairs) or (name in settings_of(_core.NeighbourPairs) and name != "cutoff"):
                raise _core.InputError(f"{self.__name__} calls a parameter {name}, as a setting of forces is called")
        self._declared = declared
        self._traced: Traced = traced(function, self.__name__, list(self.parameters), declared)
        self._functions: dict[tuple[bool, bool, frozenset[int]], tuple[Program, dict[str, Any]]] = {}
        self._derived: tuple[Interaction, str, Kinds] | None = None  # of which it is a derivative, and by what

    def __call__(self, **given: Any) -> TreeInteraction | NeighbourInteraction:
        """Return a force; a ValueError for a value, a TypeError for a name that is not allowed."""
        short = "cutoff" in given or self._is_short
        kind = NeighbourInteraction if short else TreeInteraction
        settings = settings_of(kind)
        self._check_names(given, settings, short)
        values = self._values(given)
        if "cutoff" in values:
            given = {**given, "cutoff": values["cutoff"]}
        if "accuracy" in given and self._potential() is None:
            raise _core.InputError(
                f"accuracy is given, but {self.__name__} is no smooth potential with a source: allowed is theta"
            )
        arguments = self._arguments(short, values)
        if self._check:
            check_gradient(
                self.__name__, self._program(short, values)[0], arguments["functions"], arguments["parameters"]
            )
        return kind(self, given, _core.PairFunctions(**arguments))

    def arguments_for_systems(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of PairFunctions for a force of the given ones among the particles of small systems."""
        return self._arguments("cutoff" in given or self._is_short, self._values(given), systems=True)

    def for_object_file(self, given: Mapping[str, Any]) -> tuple[Program, dict[str, Any]]:
        """Return what is compiled for a force of any values of the parameters, and the arguments of PairFunctions."""
        short = "cutoff" in given or self._is_short
        return self._program(short)[0], self._arguments(short, self._values(given), of_any_values=True)

    def finish(self, function: Finish) -> Interaction:
        """Name what is made of the results of a particle after all pairs: a decorator.

        Parameters
        ----------
        function : callable
            ``function(i, out, *, parameter, ...)``, with parameters of the interaction. It is called once, with
            symbols: what it reads of ``out`` is what pairs have left there (of no pair 0), and what it writes is
            written in its place. Without a cutoff it must be linear in the results.

        Returns
        -------
        Interaction
            This interaction.

        Raises
        ------
        ValueError
            For a function that cannot be traced, in one sentence with the line, and for a second one.

        Examples
        --------
        >>> import trellis as tr
        >>> @tr.interaction(results=["density", "pressure"])
        ... def gas(i, j, out, *, cutoff):
        ...     d = j.position - i.position
        ...     out.density += j.mass * (1 - tr.dot(d, d) / cutoff**2) ** 2
        >>> @gas.finish
        ... def with_itself(i, out):
        ...     out.density += i.mass
        ...     out.pressure = out.density ** (5 / 3)
        >>> sim = tr.Simulation(tr.ic.plummer(100), [gas(cutoff=0.5)], timestep=0.01)
        >>> sim.run(steps=1)
        >>> bool(sim.particles.density.min() >= 0.01)
        True
        """
        if self._traced.finish:
            raise _core.InputError(f"{self.__name__} has a finish already: allowed is one")
        self._traced = with_finish(self._traced, function, self.__name__, self.parameters, self._declared)
        self._functions.clear()
        return self

    def __str__(self) -> str:
        shown_parameters = ", ".join(self.parameters)
        return text_of(self._traced, self._declared, f"{self.__name__}({shown_parameters}):")

    def __repr__(self) -> str:
        return f"<interaction {self.__name__}{inspect.signature(self.function)}>"

    def shown_call(self, given: Mapping[str, Any]) -> str:
        """Return the call that makes a force, as text."""
        if self._derived is None:
            return self._call_text(given)
        of, parameter, kinds = self._derived
        more = "" if kinds is None else f", kinds={kinds!r}"
        return f"{of.shown_call(given)}.derivative({parameter!r}{more})"

    def _call_text(self, given: Mapping[str, Any]) -> str:
        return f"{self.__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def settings_of_call(self, given: Mapping[str, Any]) -> dict[str, object]:
        """Return what a force shows of the call that made it, beside the settings of its kind."""
        return {name: given.get(name, default) for name, default in self.parameters.items()}

    def __reduce__(self) -> Any:
        return self._reduced() if self._derived is None else (Interaction.differentiated, self._derived)

    def _reduced(self) -> Any:
        return self.__qualname__

    def differentiated(self, parameter: str, kinds: Kinds = None) -> Interaction:
        """Return the interaction whose potential is the derivative of that of this one by a parameter."""
        made = self._by_parameter(parameter, kinds)
        made._derived = self, parameter, kinds
        return made

    def _by_parameter(self, parameter: str, kinds: Kinds) -> Interaction:
        check_parameter(self.__name__, parameter, self.parameters, {}, kinds)
        if self._traced.finish:
            raise _core.InputError(f"{self.__name__} has a finish: allowed is a derivative of one without")
        made = Interaction(self.function, self._declared, self._search, self._strength, self._check)
        made._traced = interaction_by_parameter(self._traced, self.__name__, parameter)
        return made

    def virial_tensor(self) -> Interaction | None:
        """Return the interaction whose results are `ROWS` of its virial tensor; None if it is no sum over pairs."""
        if (rows := virial_rows(self._traced)) is None:
            return None
        made = Interaction(self.function, self._declared, self._search, self._strength)
        made._traced, made._declared = replace(self._traced, outputs=rows), Declared(self._declared.vectors)
        return made

    def assembly(self, cutoff: bool = False) -> str:
        """Return the functions as the processor runs them, of long range or, with a cutoff, of short range."""
        program, _ = self._shown_program(cutoff)
        return assembly(module_of(program), program.machine)

    def device_text(self, cutoff: bool = False) -> str:
        """Return the kernel of a GPU in single precision, of long range or, with a cutoff, of short range."""
        _, arguments = self._shown_program(cutoff)
        return _core.text_of_graph(arguments["graph"], "single")

    def _shown_program(self, cutoff: bool) -> tuple[Program, dict[str, Any]]:
        """Return what is compiled for the defaults of the parameters, if all have one."""
        defaults = self.parameters.values()
        values = (
            {name: self._number(name, value) for name, value in self.parameters.items()}
            if all(map(is_number, defaults))
            else None
        )
        return self._program(cutoff or self._is_short, values)

    @property
    def _is_short(self) -> bool:
        return "cutoff" in self.parameters or bool(self._search.radius)

    def _check_names(self, given: Mapping[str, Any], settings: Sequence[str], short: bool) -> None:
        known = list(dict.fromkeys([*self.parameters, *settings]))
        for name in given:
            if name not in known:
                range_ = "short" if short else "long"
                raise TypeError(
                    f"{self.__name__}, a force of {range_} range, has no {name!r}: {did_you_mean(name, known)}"
                )
        if self._search.radius and "cutoff" in given:
            raise _core.InputError(
                f"cutoff is given, but the search radius of {self.__name__} is {self._search.radius}"
            )

    def _values(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Return the values of all parameters, and of the cutoff if there is one."""
        chosen = {name: given.get(name, default) for name, default in self.parameters.items()}
        if "cutoff" in given:
            chosen["cutoff"] = given["cutoff"]
        return {name: self._number(name, value) for name, value in chosen.items()}

    def _number(self, name: str, value: object) -> float:
        if value is inspect.Parameter.empty:
            raise TypeError(f"{self.__name__} is not given {name}, which has no default")
        if not is_number(value) or not math.isfinite(value):  # type: ignore[arg-type]
            raise _core.InputError(f"{name} of {self.__name__} is {shown(value)}: allowed is a finite number")
        return float(value)  # type: ignore[arg-type]

    def _arguments(
        self, short: bool, values: Mapping[str, float], systems: bool = False, of_any_values: bool = False
    ) -> dict[str, Any]:
        """Return the arguments of PairFunctions; of_any_values: functions serve other values, too."""
        program, arguments = self._program(short, None if of_any_values else values, systems)
        if "functions" not in arguments:
            arguments["functions"] = functions(module_of(program), names_of(program), program.machine)
        tables = program.graph.tables
        parameters, end = in_memory(program.parameters, values, tables), table_end(program)
        if "cutoff" in values:
            check_reach(self.__name__, end, values["cutoff"])
        return {
            **arguments,
            "parameters": parameters,
            "parameter_names": [name for name in program.parameters if name not in tables],
            "tabled": len(parameters) - len(program.parameters) if tables else 0,
            "table_end": end,
        }

    def _program(
        self, short: bool, values: Mapping[str, float] | None = None, systems: bool = False
    ) -> tuple[Program, dict[str, Any]]:
        """Return what is compiled, and arguments of PairFunctions; values: of all parameters, if they are known."""
        softened = softened_roots(self._traced.nodes(), values) if values is not None else frozenset[int]()
        key = short, systems, softened
        if key not in self._functions:
            self._functions[key] = self._made_program(short, softened, systems)
        return self._functions[key]

    def _made_program(self, short: bool, softened: frozenset[int], systems: bool) -> tuple[Program, dict[str, Any]]:
        graph, outputs = self._traced.trace.graph, self._outputs(short)
        if systems:
            self._check_for_systems()
            outputs = tuple(output for output in outputs if output.field[0] in SUMMED)
        kinds = [output.kind for output in outputs for _ in output.nodes]
        if not short and set(kinds) != {"sum"}:
            raise _core.InputError(
                f"{self.__name__} keeps the largest or smallest value of some pairs: allowed with a cutoff alone"
            )
        if not short and self._declared.evolves:
            raise _core.InputError(f"{self.__name__} makes a field evolve: allowed with a cutoff alone")
        reach = self._reach() if short else None
        of_pairs = [node for output in outputs for node in output.nodes]
        nodes = needed([*of_pairs, *([] if reach is None else [reach])])
        strength = "" if short or systems else self._strength_field(nodes)
        layout = Layout.of(nodes, outputs, self._declared, strength)
        if not short and graph.tables:
            raise _core.InputError(f"{self.__name__} has a table, which ends somewhere: allowed with a cutoff alone")
        cutoff = ["cutoff"] if short and not self._search.radius else []
        parameters = tuple(dict.fromkeys([*self.parameters, *cutoff, *graph.tables]))
        potential = None if short or systems else self._potential()
        program = Program(graph, layout, parameters, reach, machine(), potential, softened, systems)
        return program, {
            "name": self.__name__,
            "fields": layout.fields,
            "source_components": components_of(layout.source),
            "target_components": layout.target_components,
            "paired": layout.paired,
            "finishing": layout.finishing,
            "outcome": [output.field for output in outputs],
            "summed": kinds.count("sum"),
            "sums_over_pairs": not short or is_linear(self._traced),
            "raised": kinds.count("maximum"),
            "evolves": [tuple(map(self._declared.field, pair)) for pair in self._declared.evolves],
            **rows_in_memory(program),
            "strength": layout.first_in_source(strength) if strength else 0,
            "search": self._search.mode,
            "radius": self._search.radius,
            **device_graph(program, self.__name__),
        }

    def _check_for_systems(self) -> None:
        """Raise a ValueError for an interaction that small systems do not know."""
        written = [output.field[0] for output in self._traced.outputs]
        problems = [f"writes no {name}" for name in SUMMED if name not in written]
        problems += [f"writes {name}" for name in written if name not in (*SUMMED, "virial")]
        if self._traced.finish:
            problems.append("has a finish")
        if self._search.radius:
            problems.append(f"has the search radius {self._search.radius}")
        if problems:
            raise _core.InputError(
                f"{self.__name__} {problems[0]}: among the particles of an ensemble, allowed are interactions with"
                " acceleration and potential, and a cutoff or none"
            )

    def _outputs(self, short: bool) -> tuple[Output, ...]:
        """Return the results that a force of short or long range has."""
        if not self._traced.finish:
            return self._traced.outputs
        if short:
            return finished_once(self._traced, self._declared)
        return finished_by_pairs(self._traced, self.__name__, self._declared)

    def results_of_pairs_alone(self) -> list[str]:
        """Return the results in which pairs are not linear in what they read of j."""
        outputs = [output for output in self._outputs(short=False) if not is_zero(output.factor)]
        return [output.field[0] for output in outputs if not are_linear_in_j(output.nodes)]

    def _potential(self) -> CentralPotential | None:
        """Return the potential of which the interaction is known to be the gradient."""
        return None

    def _reach(self) -> Node:
        graph, radius, mode = self._traced.trace.graph, self._search.radius, self._search.mode
        if not radius:
            return graph.parameter("cutoff")
        of_i, of_j = (graph.field(side, radius, 0) for side in "ij")
        return {"gather": of_i, "scatter": of_j, "symmetric": graph.apply("maximum", of_i, of_j)}[mode]

    def _strength_field(self, nodes: Sequence[Node]) -> str:
        """Return the field of j that weights the centre of a cell: the first that is a number, unless one is named."""
        if self._strength is not None:
            return self._strength
        for node in nodes:
            if node.op == "field" and node.place[0] == "j":
                name = node.place[1]
                if self._declared.field(name)[1] == 1:
                    return name
        raise _core.InputError(
            f"{self.__name__} reads no number of j, by which a tree would find the centre of a cell: give a cutoff, or"
            " name a field in tr.interaction(strength=...)"
        )

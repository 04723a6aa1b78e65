"""Forces by interactions in Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trellis import _core
from trellis.arguments import AsMade
from trellis.interactions.code.object_file import write_object

_ALL_PAIRS = 1e-5
"""Largest theta that is given to have all pairs computed."""


def settings_of(kind: type[_core.Force]) -> list[str]:
    """Return the names of the settings of a kind of force."""
    return [each.name for each in kind._parameters if each.name != "functions"]  # type: ignore[attr-defined]


def name_of(force: object) -> str:
    """Return the name of the interaction that has made a force, else that of its class."""
    return str(force.interaction.__name__) if isinstance(force, _Made) else type(force).__name__


class _Made(AsMade):
    """What a force by an interaction shows: the call that made it, and its settings."""

    _assigned = ("interaction", "given")
    interaction: Any
    given: dict[str, Any]

    def __init__(self, interaction: Any, given: dict[str, Any], functions: Any) -> None:
        known = settings_of(type(self))  # type: ignore[arg-type]
        settings = {name: value for name, value in given.items() if name in known}
        super().__init__(functions=functions, **settings)  # type: ignore[call-arg]
        self.interaction, self.given = interaction, given

    def __repr__(self) -> str:
        return str(self.interaction.shown_call(self.given))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(self.interaction, **self.given), ()

    def derivative(
        self, parameter: str, kinds: tuple[int, int] | None = None
    ) -> TreeInteraction | NeighbourInteraction:
        """Return the force whose potential energy is the derivative of that of this one by a parameter.

        It has the settings of this one. `trellis.Simulation.energy_of` returns its energy, the derivative, for the
        particles as they are; its accelerations and virials are derivatives, too.

        Parameters
        ----------
        parameter : str
            A parameter of the potential, but for the cutoff.
        kinds : tuple of int, optional
            Of a parameter that is a matrix: the two kinds by whose entry, on both sides of the diagonal, is
            differentiated.

        Returns
        -------
        Force
            It has a derivative, too, the second one.

        Raises
        ------
        ValueError
            For another name, kinds that there are not, or an interaction without a potential.

        Examples
        --------
        >>> import trellis as tr
        >>> lj = tr.pair_potential("4*eps*((sigma/r)**12 - (sigma/r)**6)", cutoff=2.5, eps=1.0, sigma=1.0)
        >>> sim = tr.Simulation(tr.ic.lennard_jones(500), [lj], timestep=0.002)
        >>> round(sim.energy_of(lj.derivative("eps")) / sim.energies().potential, 6)
        1.0
        """
        made: TreeInteraction | NeighbourInteraction = self.interaction.differentiated(parameter, kinds)(**self.given)
        return made

    def write_object(self, path: str | os.PathLike[str]) -> None:
        """Write the force into an object file, with which a program in C or Fortran is linked.

        The file defines a function with its name, which ``trellis_interaction_force`` takes: see docs/c_and_fortran.md.
        It has the machine code for each instruction set of x86-64, the graph for GPUs, and the values and settings of
        this force; the program may give other values of the parameters.

        Parameters
        ----------
        path : str or path
            A file whose name is that of a function in C, such as ``yukawa.o``.

        Raises
        ------
        ValueError
            For another name, a folder that there is not, excluded pairs, and on another processor.

        Examples
        --------
        >>> import trellis as tr
        >>> argon = tr.pair_potential("4*eps*((sigma/r)**12 - (sigma/r)**6)", cutoff=2.5, eps=1.0, sigma=1.0)
        >>> argon.write_object("argon.o")
        """
        program, arguments = self.interaction.for_object_file(self.given)
        made: Any = type(self)
        description = made(self.interaction, self.given, _core.PairFunctions(**arguments)).description()
        write_object(Path(path), program, description)

    @property
    def settings(self) -> dict[str, object]:
        """The parameters of the interaction and the settings in use, by name."""
        own: dict[str, object] = self.interaction.settings_of_call(self.given)
        base: dict[str, object] = super().settings  # type: ignore[misc]
        return {**own, **{name: value for name, value in base.items() if name != "functions"}}


class TreeInteraction(_Made, _core.TreePairs):
    """A force of long range, by a tree, that an `Interaction` has made."""

    def results_of_pairs_alone(self) -> list[str]:
        """Return the results to which a far cell, with the sums of its particles' fields, adds what they do not.

        The list is empty if theta lets no cell act as a whole.
        """
        if self.given.get("theta", 1) <= _ALL_PAIRS:
            return []
        return list(self.interaction.results_of_pairs_alone())


class NeighbourInteraction(_Made, _core.NeighbourPairs):
    """A force between particles within a search radius, that an `Interaction` has made."""


def for_systems(forces: Sequence[Sequence[_core.Force]]) -> list[list[_core.Force]]:
    """Return the forces of each system as an ensemble takes them: with functions for small systems, where of Python.

    Equal functions become one, so that systems whose forces are equal have one Hamiltonian. ValueError for an
    interaction that small systems do not know.
    """
    made: dict[object, _core.PairFunctions] = {}

    def of_systems(force: _core.Force) -> _core.Force:
        if not isinstance(force, (TreeInteraction, NeighbourInteraction)):
            return force
        arguments = force.interaction.arguments_for_systems(force.given)
        given = {name: value for name, value in force.given.items() if name in ("cutoff", "exclude")}
        key = tuple(repr(arguments[name]) for name in ("fields", "functions", "parameters"))
        if key not in made:
            made[key] = _core.PairFunctions(**arguments)
        return type(force)(force.interaction, given, made[key])

    return [[of_systems(force) for force in together] for together in forces]

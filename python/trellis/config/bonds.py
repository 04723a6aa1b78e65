"""The tables ``[[bonds]]``, each of which is a force over given tuples of particles."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationInfo, field_validator, model_validator

from trellis._core import Force
from trellis.bonded import (
    FENE,
    CosineAngles,
    CosineDihedrals,
    HarmonicBonds,
    angle_potential,
    bond_potential,
    dihedral_potential,
)
from trellis.config.context import FilePath
from trellis.config.number_files import check_noted, read_tuples
from trellis.config.parameters import Parameters, parameter
from trellis.errors import InputError, did_you_mean
from trellis.interactions.graphs.expression import names_in

Tuples = NDArray[np.int64]


@dataclass(frozen=True)
class _Kind:
    """A potential: what its tuples are, of how many members, and the function that makes a force of them."""

    tuples: str
    members: int
    make: Callable[..., Force]


_READY_MADE = {
    "harmonic": _Kind("pairs", 2, HarmonicBonds),
    "fene": _Kind("pairs", 2, FENE),
    "cosine-angle": _Kind("triples", 3, CosineAngles),
    "cosine-dihedral": _Kind("quadruples", 4, CosineDihedrals),
}
_OWN = {
    "r": _Kind("pairs", 2, bond_potential),
    "theta": _Kind("triples", 3, angle_potential),
    "phi": _Kind("quadruples", 4, dihedral_potential),
}
"""By the variable of an expression."""


def _kind_of(potential: str) -> _Kind:
    """Return the kind of a potential; a ValueError has the rest of a sentence."""
    if potential in _READY_MADE:
        return _READY_MADE[potential]
    try:
        names = names_in(potential)
    except InputError:
        names = []
    variables = [name for name in _OWN if name in names]
    if len(variables) != 1:
        raise ValueError(
            f"is {potential!r}, but must be {', '.join(_READY_MADE)} or an expression of one of {', '.join(_OWN)}"
        )
    return _OWN[variables[0]]


class BondsParameters(Parameters):
    """A potential of a distance, an angle or a dihedral, and the particles among which it acts."""

    potential: str = parameter(
        ...,
        "energy of a tuple: `harmonic` (k and length), `fene` (k = 30 and length = 1.5), `cosine-angle` (k),"
        " `cosine-dihedral` (k, n and phase = 0), or an expression of r, of pairs, of theta, of triples, or of phi, of"
        " quadruples, with `+ - * / **`, `sqrt`, `exp`, `log`, `sin`, `cos`, `tanh`, `erf`, `erfc`, `abs`, `min`, `max`"
        " and `pi`",
    )
    parameters: dict[str, float] = parameter({}, "values of its other names", allowed="numbers by name (`{ k = 30 }`)")
    file: FilePath = parameter(
        None,
        "text file with the ids of a pair, triple or quadruple on each line, where # begins a comment, or .npy with an"
        " array of them; a relative path starts at the folder of this file",
    )
    chains_of: int | None = parameter(
        None,
        "instead of a file: number of particles in a chain; all particles are in chains, in the order of their ids, and"
        " the tuples are all that follow each other in one",
        ge=2,
    )
    exclude: bool = parameter(
        False,
        "two particles of a tuple do not act on each other by [lennard_jones], [coulomb], and [pair] within a cutoff",
    )
    checksum: str | None = parameter(
        None, "of the numbers in `file`; a run notes it, so that none goes on with others", validate_default=True
    )

    @property
    def kind(self) -> _Kind:
        """What the tuples are."""
        return _kind_of(self.potential)

    def tuples(self, first: int, count: int) -> Tuples:
        """Return the ids of the particles in each tuple. first, count: the lowest id, and the number of all."""
        members = self.kind.members
        if self.file is not None:
            return read_tuples(self.file, members)
        assert self.chains_of is not None
        chains = np.arange(first, first + count).reshape(-1, self.chains_of)
        return np.lib.stride_tricks.sliding_window_view(chains, members, axis=1).reshape(-1, members)

    def force(self, tuples: Tuples) -> Force:
        """Make the force among these tuples."""
        made: dict[str, Any] = {self.kind.tuples: tuples, **self.parameters}
        return self.kind.make(**made) if self.potential in _READY_MADE else self.kind.make(self.potential, **made)

    @field_validator("potential")
    @classmethod
    def _is_known(cls, potential: str) -> str:
        _kind_of(potential)
        return potential

    @field_validator("file")
    @classmethod
    def _has_tuples(cls, file: Path | None, info: ValidationInfo) -> Path | None:
        if file is not None and "potential" in info.data:
            try:
                read_tuples(file, _kind_of(info.data["potential"]).members)
            except InputError as error:
                raise ValueError(f"is wrong: {error}") from None
        return file

    @field_validator("checksum")
    @classmethod
    def _of_tuples(cls, noted: str | None, info: ValidationInfo) -> str | None:
        """Return the checksum of the tuples in the file, which must be the one that a run has noted."""
        file, potential = (info.data.get(name) for name in ("file", "potential"))
        if file is None or potential is None:
            return None
        return check_noted(noted, read_tuples(file, _kind_of(potential).members), file)

    @model_validator(mode="after")
    def _can_be_made(self) -> BondsParameters:
        kind = self.kind
        if (self.file is None) == (self.chains_of is None):
            raise ValueError("must have one of file and chains_of")
        if self.chains_of is not None and self.chains_of < kind.members:
            raise ValueError(f"has chains_of = {self.chains_of}, but {kind.tuples} need chains of {kind.members}")
        if self.potential in _READY_MADE:
            _check_names(self.potential, kind, self.parameters)
        try:
            self.force(np.empty((0, kind.members), dtype=np.int64) if self.file is None else self.tuples(0, 0))
        except (InputError, TypeError) as error:
            raise ValueError(f"is wrong: {error}") from None
        return self


def _check_names(potential: str, kind: _Kind, given: Mapping[str, float]) -> None:
    """Raise a ValueError if a potential with a name has other parameters than these."""
    known = inspect.signature(kind.make).parameters
    names = {name: each.default for name, each in known.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}
    for name in given:
        if name not in names:
            raise ValueError(f"has parameters.{name}, which {potential} has not: {did_you_mean(name, names)}")
    for name, default in names.items():
        if default is inspect.Parameter.empty and name not in given:
            raise ValueError(f"has no parameters.{name}, which {potential} needs")

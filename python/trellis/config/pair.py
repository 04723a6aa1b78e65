"""The section of a pair potential of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray
from pydantic import ValidationInfo, field_validator, model_validator

from trellis._core import Force, NeighbourPairs, TreePairs
from trellis.config.context import FilePath
from trellis.config.device import DEVICE
from trellis.config.number_files import check_noted, read_table
from trellis.config.parameters import Parameters, parameter, parameters_of
from trellis.errors import InputError
from trellis.interactions import pair_potential, table

_OWN = ("potential", "table", "checksum", "parameters", "source", "truncation", "switch_distance")
_CUTOFF: dict[str, Any] = {"meaning": "distance beyond which particles do not act on each other; if not given, all do"}


@parameters_of(TreePairs, laid_down=(), left_out=("functions",), optional=True, device=DEVICE)
@parameters_of(
    NeighbourPairs, laid_down=("cutoff",), left_out=("functions", "exclude"), optional=True, cutoff=_CUTOFF,
    device=DEVICE,
)  # fmt: skip
class PairParameters(Parameters):
    """A potential of the distance r of two particles, as an expression or a table."""

    potential: str | None = parameter(
        None,
        "energy of a pair: an expression of r and of parameters, with `+ - * / **`, `sqrt`, `exp`, `log`, `sin`, `cos`,"
        " `tanh`, `erf`, `erfc`, `abs`, `min`, `max` and `pi`",
        min_length=1,
    )
    table: FilePath = parameter(
        None,
        "instead of a potential: text file with a distance r and the energy on each line, where # begins a comment, or"
        " .npy with an array of them, between which there is a cubic spline; r uniform, or its square; a relative path"
        " starts at the folder of this file",
    )
    checksum: str | None = parameter(
        None, "of the numbers in `table`; a run notes it, so that none goes on with others", validate_default=True
    )
    parameters: dict[str, float] = parameter({}, "values of its other names", allowed="numbers by name (`{ a = 0.5 }`)")
    source: Literal["", "mass", "charge"] = parameter(
        "", "the field by whose values for both particles the energy is multiplied; needed without a cutoff"
    )
    truncation: Literal["plain", "energy-shifted", "force-shifted", "switched"] = parameter(
        "plain", "how the potential ends at the cutoff, as for [lennard_jones]"
    )
    switch_distance: float | None = parameter(
        None, "switched: distance from which it is switched off; if not given, 0.9 of the cutoff", unit="length", gt=0
    )

    if TYPE_CHECKING:  # what is read by name, for mypy
        cutoff: float | None
        device: str | list[str] | None

    def force(self, exclude: NDArray[Any] | None = None) -> Force:
        """Make the force. exclude: pairs that it leaves out, if it has a cutoff."""
        given = self.model_dump(exclude_none=True)
        settings = {name: value for name, value in given.items() if name not in _OWN}
        settings |= {} if exclude is None or self.cutoff is None else {"exclude": exclude}
        return pair_potential(
            self.potential if self.table is None else table(*read_table(self.table).T),  # type: ignore[arg-type]
            source=self.source,
            truncation=self.truncation,
            switch_distance=self.switch_distance,
            **{**self.parameters, **settings},
        )

    @field_validator("table")
    @classmethod
    def _has_numbers(cls, path: Path | None) -> Path | None:
        if path is not None:
            try:
                table(*read_table(path).T)
            except InputError as error:
                raise ValueError(f"is wrong: {error}") from None
        return path

    @field_validator("checksum")
    @classmethod
    def _of_table(cls, noted: str | None, info: ValidationInfo) -> str | None:
        """Return the checksum of the numbers in the file, which must be the one that a run has noted."""
        path = info.data.get("table")
        return None if path is None else check_noted(noted, read_table(path), path)

    @model_validator(mode="after")
    def _can_be_made(self) -> PairParameters:
        if (self.potential is None) == (self.table is None):
            raise ValueError("must have one of potential and table")
        if keys := [name for name in self.parameters if name in type(self).model_fields]:
            raise ValueError(f"has {keys[0]} among its parameters: give it as 'pair.{keys[0]}'")
        try:
            self.model_copy(update={"device": None}).force()
        except (InputError, TypeError) as error:
            raise ValueError(f"is wrong: {error}") from None
        return self

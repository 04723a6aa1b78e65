"""The section of a pair potential of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray
from pydantic import model_validator

from trellis._core import Force, NeighbourPairs, TreePairs
from trellis.config.device import DEVICE
from trellis.config.parameters import Parameters, parameter, parameters_of
from trellis.errors import InputError
from trellis.interactions import pair_potential

_OWN = ("potential", "parameters", "source", "truncation", "switch_distance")
_CUTOFF: dict[str, Any] = {"meaning": "distance beyond which particles do not act on each other; if not given, all do"}


@parameters_of(TreePairs, laid_down=(), left_out=("functions",), optional=True, device=DEVICE)
@parameters_of(
    NeighbourPairs, laid_down=("cutoff",), left_out=("functions", "exclude"), optional=True, cutoff=_CUTOFF,
    device=DEVICE,
)  # fmt: skip
class PairParameters(Parameters):
    """A potential of the distance r of two particles, as an expression."""

    potential: str = parameter(
        ...,
        "energy of a pair: an expression of r and of parameters, with `+ - * / **`, `sqrt`, `exp`, `log`, `sin`, `cos`,"
        " `abs`, `min` and `max`",
        min_length=1,
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
            self.potential,
            source=self.source,
            truncation=self.truncation,
            switch_distance=self.switch_distance,
            **{**self.parameters, **settings},
        )

    @model_validator(mode="after")
    def _can_be_made(self) -> PairParameters:
        try:
            self.model_copy(update={"device": None}).force()
        except (InputError, TypeError) as error:
            raise ValueError(f"is wrong: {error}") from None
        return self

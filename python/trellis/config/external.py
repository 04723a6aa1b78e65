"""The tables ``[[external]]``: an external field each, with the parameters of its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import field_validator

from trellis._core import ExternalField
from trellis.config.parameters import Parameters, parameter, parameters_of
from trellis.forces import external


class ExternalParameters(Parameters):
    """What every external field has."""

    model: str = parameter(..., "the field")

    @field_validator("acceleration", "centre", "frequency", check_fields=False)
    @classmethod
    def _three_numbers(cls, vector: Sequence[float]) -> Sequence[float]:
        if len(vector) != 3:
            raise ValueError(f"is {vector!r}, but must be a list of three numbers")
        return vector


FIELDS: dict[str, type[ExternalField]] = {
    "point-mass": external.PointMass,
    "uniform": external.UniformField,
    "harmonic": external.HarmonicTrap,
    "plummer": external.Plummer,
    "nfw": external.NFW,
    "logarithmic": external.LogarithmicHalo,
    "miyamoto-nagai": external.MiyamotoNagai,
    "rotating-bar": external.RotatingBar,
}

G: dict[str, Any] = {
    "type": float | None,
    "default": None,
    "meaning": "gravitational constant; if not given, that of [gravity] or else of the units of the file of initial"
    " conditions, or 1 for [ic]",
}


EXTERNAL: dict[str, type[ExternalParameters]] = {
    model: parameters_of(kind, laid_down=("G",), G=G)(ExternalParameters) for model, kind in FIELDS.items()
}

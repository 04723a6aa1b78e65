"""The tables ``[[external]]``, each of which is an external field with the parameters of its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import create_model, field_validator

from trellis._core import ExternalField
from trellis.config.parameters import Parameters, one_of, parameter, parameters_of
from trellis.forces import external


class ExternalParameters(Parameters):
    """An external field."""

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


def _table_of(model: str, kind: type[ExternalField]) -> type[ExternalParameters]:
    named: Any = Literal[model]
    table = create_model(
        f"{kind.__name__}Parameters",
        __base__=ExternalParameters,
        __module__=__name__,
        __doc__=ExternalParameters.__doc__,
        model=(named, parameter(..., "the field")),
    )
    return parameters_of(kind, laid_down=("G",), G=G)(table)


EXTERNAL: dict[str, type[ExternalParameters]] = {model: _table_of(model, kind) for model, kind in FIELDS.items()}
globals().update({kind.__name__: kind for kind in EXTERNAL.values()})  # pickle finds classes by their names

if TYPE_CHECKING:
    AnyExternal: TypeAlias = ExternalParameters
else:
    AnyExternal = one_of(EXTERNAL, "model")

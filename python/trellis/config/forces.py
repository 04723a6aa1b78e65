"""The sections of forces, thermostats and barostats: parameters of their classes, but for what differs in a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
    model_validator,
)

from trellis._core import (
    Andersen,
    Barostat,
    Coulomb,
    Csvr,
    Gravity,
    Langevin,
    LennardJones,
    NoseHoover,
    Sph,
    parameters,
)
from trellis.config.device import DEVICE
from trellis.config.parameters import Parameters, one_of, parameter, parameters_of
from trellis.errors import InputError


def _softening(given: object) -> object:
    """Return what `Gravity` takes; a ValueError has the rest of a sentence."""
    if given == "particles":
        return given
    lengths = given if isinstance(given, dict) else {"": given}
    for kind, length in lengths.items():
        what = f"has {kind} = {length!r}" if kind else f"is {length!r}"
        if isinstance(length, bool) or not isinstance(length, int | float):
            raise ValueError(f"{what}, but must be a number" + ("" if kind else ", numbers by type or 'particles'"))
        if not abs(length) <= sys.float_info.max:
            raise ValueError(f"{what}, but must be a finite number")
        if length < 0:
            raise ValueError(f"{what}, but must be at least 0")
    if not isinstance(given, dict):
        return given
    try:
        Gravity(softening=given)
    except InputError as error:
        raise ValueError(str(error).removeprefix("softening ")) from None
    return {kind: float(length) for kind, length in given.items()}


def _by_redshift(name: str) -> Any:
    """Return the type of a parameter of `Gravity` that is a number, or pairs of a redshift and a number."""

    def checked(given: object, number: ValidatorFunctionWrapHandler) -> object:
        if not isinstance(given, list):
            return number(given)
        for pair in given:
            if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(_is_finite, pair)):
                raise ValueError(f"has {pair!r}, but must have pairs of a redshift and a number")
        pairs = [[float(redshift), float(value)] for redshift, value in given]
        try:
            Gravity(theta=pairs) if name == "theta" else Gravity(accuracy=pairs)
        except InputError as error:
            raise ValueError(str(error).removeprefix(f"{name} ")) from None
        return pairs

    limits: dict[str, Any] = next(each.limits for each in parameters(Gravity) if each.name == name)
    return Annotated[
        Annotated[float, Field(**limits)] | None, WrapValidator(checked), PlainSerializer(lambda value: value)
    ]


def _is_finite(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) <= sys.float_info.max


EXCLUDE = {
    "type": list[list[int | float]] | None,
    "allowed": "lists of two ids, and perhaps a factor (`[[0, 1], [1, 2, 0.5]]`)",
}
NUMBER_BY_REDSHIFT = "number {}, or pairs of a redshift and the number from there on (`[[49, {}], [10, {}]]`)"


@parameters_of(
    Gravity,
    laid_down=("G",),
    accuracy={
        "type": _by_redshift("accuracy"),
        "limits": {},
        "allowed": NUMBER_BY_REDSHIFT.format("at least 1e-15 and below 1", 1e-3, 5e-3),
    },
    theta={
        "type": _by_redshift("theta"),
        "limits": {},
        "allowed": NUMBER_BY_REDSHIFT.format("above 0", 0.3, 0.5),
    },
    softening={
        "type": Annotated[
            float | dict[str, float] | Literal["particles"],
            PlainValidator(_softening),
            PlainSerializer(lambda value: value),
        ],
        "limits": {},
        "allowed": "number at least 0, such numbers by type (`{ gas = 0.1, halo = 0.5 }`), or `particles`",
    },
    G={
        "type": float | None,
        "default": None,
        "meaning": "gravitational constant; if not given, that of the units of the file of initial conditions, or 1 for"
        " [ic]",
    },
    device=DEVICE,
)
class GravityParameters(Parameters):
    """Gravity and how its sum is approximated."""

    if TYPE_CHECKING:  # what is read by name, for mypy
        G: float | None
        softening: float | dict[str, float] | Literal["particles"]
        softening_max_physical: float | None
        accuracy: float | list[list[float]]
        theta: float | list[list[float]] | None
        device: str | list[str] | None

    def changes_with_redshift(self) -> str | None:
        """Return the name of the first parameter by which gravity changes as space expands, if any does."""
        if self.softening_max_physical is not None:
            return "softening_max_physical"
        return next((name for name in ("theta", "accuracy") if isinstance(getattr(self, name), list)), None)

    @model_validator(mode="after")
    def _accuracy_or_theta(self) -> GravityParameters:
        if self.theta is not None and "accuracy" in self.model_fields_set:
            raise ValueError("has both an accuracy and a theta, but only one of them may be given")
        return self

    @model_serializer(mode="wrap")
    def _without_default_accuracy(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        if self.theta is not None:
            values.pop("accuracy", None)  # not in force, and a file with both is refused
        return values


@parameters_of(
    LennardJones,
    laid_down=("epsilon", "sigma", "kinds", "mixing", "pairs", "exclude"),
    kinds={
        "type": dict[str, list[float]] | None,
        "allowed": "epsilon and sigma by names of kinds (`{ A = [1.0, 1.0], B = [0.5, 0.88] }`)",
    },
    pairs={
        "type": list[list[str | float]] | None,
        "allowed": 'lists of two kinds, epsilon and sigma (`[["A", "B", 1.5, 0.8]]`)',
    },
    exclude=EXCLUDE,
    device=DEVICE,
)
class LennardJonesParameters(Parameters):
    """The Lennard-Jones force between atoms of one kind or several."""

    if TYPE_CHECKING:
        cutoff: float
        skin: float | None
        kinds: dict[str, list[float]] | None
        device: str | list[str] | None

    @model_validator(mode="after")
    def _can_be_made(self) -> LennardJonesParameters:
        if self.kinds is None and self.skin is not None and self.skin > self.cutoff:
            raise ValueError(f"has skin = {self.skin}, but must have at most cutoff = {self.cutoff}")
        try:
            LennardJones(**{**self.model_dump(), "device": None})
        except InputError as error:
            raise ValueError(f"is wrong: {error}") from None
        return self


@parameters_of(
    Sph,
    laid_down=("dimensions", "gamma", "sound_speed", "types"),
    adaptive_softening={
        "type": bool,
        "default": False,
        "meaning": "below the smoothing length, [gravity] is that of masses spread as the smoothing kernel, in three"
        " dimensions (Price & Monaghan 2007)",
    },
    device=DEVICE,
)
class SphParameters(Parameters):
    """An ideal or isothermal gas, by smoothed particle hydrodynamics."""

    if TYPE_CHECKING:
        gamma: float
        sound_speed: float | None
        adaptive_softening: bool


@parameters_of(Coulomb, exclude=EXCLUDE)
class CoulombParameters(Parameters):
    """Coulomb's force between charges in a periodic box."""


class ThermostatParameters(Parameters):
    """A thermostat."""

    method: str = parameter(..., "the method")


@parameters_of(Langevin)
class LangevinParameters(ThermostatParameters):
    """Langevin's thermostat."""

    method: Literal["langevin"] = parameter("langevin", "friction, and random kicks that make up for it")


@parameters_of(NoseHoover)
class NoseHooverParameters(ThermostatParameters):
    """Nose-Hoover chain."""

    method: Literal["nose-hoover"] = parameter("nose-hoover", "chain of Nose-Hoover thermostats")


@parameters_of(Csvr)
class CsvrParameters(ThermostatParameters):
    """CSVR."""

    method: Literal["csvr"] = parameter("csvr", "random factors of all velocities, so that their energy is canonical")


@parameters_of(Andersen)
class AndersenParameters(ThermostatParameters):
    """Andersen's thermostat."""

    method: Literal["andersen"] = parameter("andersen", "collisions with a bath, which give particles other velocities")


@parameters_of(Barostat)
class BarostatParameters(Parameters):
    """Constant pressure, by Monte Carlo moves of the volume."""

    if TYPE_CHECKING:
        pressure: float


THERMOSTATS: dict[str, type[ThermostatParameters]] = {
    kind.model_fields["method"].default: kind
    for kind in (LangevinParameters, NoseHooverParameters, CsvrParameters, AndersenParameters)
}

if TYPE_CHECKING:
    AnyThermostat: TypeAlias = ThermostatParameters
else:
    AnyThermostat = one_of(THERMOSTATS, "method")

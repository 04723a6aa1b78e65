"""The sections of forces and thermostats: the parameters of their classes, but for what a file has otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from trellis._core import Gravity, Langevin, LennardJones, NoseHoover, Sph
from trellis.config.parameters import Parameters, parameter, parameters_of


@parameters_of(
    Gravity,
    G={
        "type": float | None,
        "default": None,
        "meaning": "gravitational constant; if not given, that of the units of the file of initial conditions, or 1 for"
        " [ic]",
    },
)
class GravityParameters(Parameters):
    """Gravity and how its sum is approximated."""

    if TYPE_CHECKING:  # what is read by name, for mypy
        G: float | None
        softening: float
        theta: float | None
        device: str | None

    @model_validator(mode="after")
    def _one_wish(self) -> GravityParameters:
        if self.theta is not None and "accuracy" in self.model_fields_set:
            raise ValueError("has both an accuracy and a theta, but only one of them can be wished for")
        return self


@parameters_of(LennardJones)
class LennardJonesParameters(Parameters):
    """The Lennard-Jones force between atoms of one kind."""

    if TYPE_CHECKING:
        cutoff: float
        skin: float | None

    @model_validator(mode="after")
    def _skin_within_cutoff(self) -> LennardJonesParameters:
        if self.skin is not None and self.skin > self.cutoff:
            raise ValueError(f"has skin = {self.skin}, but must have at most cutoff = {self.cutoff}")
        return self


@parameters_of(
    Sph,
    adaptive_softening={
        "type": bool,
        "default": False,
        "meaning": "below the smoothing length, [gravity] is that of masses spread as the smoothing kernel, in three"
        " dimensions (Price & Monaghan 2007)",
    },
)
class SphParameters(Parameters):
    """An ideal gas, by smoothed particle hydrodynamics."""

    if TYPE_CHECKING:
        gamma: float
        adaptive_softening: bool


class ThermostatParameters(Parameters):
    """What every thermostat has."""

    method: str = parameter(..., "the method")


@parameters_of(Langevin)
class LangevinParameters(ThermostatParameters):
    """Langevin's thermostat."""

    method: Literal["langevin"] = parameter("langevin", "friction, and random kicks that make up for it")


@parameters_of(NoseHoover)
class NoseHooverParameters(ThermostatParameters):
    """Nose-Hoover chain."""

    method: Literal["nose-hoover"] = parameter("nose-hoover", "chain of Nose-Hoover thermostats")


THERMOSTATS: dict[str, type[ThermostatParameters]] = {
    "langevin": LangevinParameters,
    "nose-hoover": NoseHooverParameters,
}

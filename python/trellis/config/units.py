"""The section [units], and the units of the particles of a run file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

from pydantic import field_validator

from trellis.config.context import path_in
from trellis.config.parameters import Parameters, checked, parameter
from trellis.io.gadget_files import units_of
from trellis.particles.quantities import OtherKindError, number_in
from trellis.units import G_CGS, GADGET, NBODY, Units

CGS = Units(1.0, 1.0, 1.0)
IN_CGS = {"length": ("cm", "1 kpc"), "mass": ("g", "1e10 Msun"), "velocity": ("cm / s", "1 km/s")}


class UnitsParameters(Parameters):
    """The units of a model."""

    length: str = parameter(..., "unit of length, with a unit of astropy: `1 kpc`")
    mass: str = parameter(..., "unit of mass: `1e10 Msun`")
    velocity: str | None = parameter(
        None, "unit of velocity: `1 km/s`; if not given, that with which the gravitational constant is 1"
    )

    @field_validator("length", "mass", "velocity")
    @classmethod
    def _is_unit(cls, text: str | None, info: Any) -> str | None:
        if text is not None:
            unit, example = IN_CGS[info.field_name]
            problem = f"is {text!r}, but must be a {info.field_name} with its unit, such as {example!r}"
            try:
                size = number_in(unit, text, CGS)
            except (ValueError, OtherKindError):
                raise ValueError(problem) from None
            if not 0 < size < float("inf"):
                raise ValueError(problem)
        return text

    def units(self) -> Units:
        """Return the units."""
        length, mass = number_in("cm", self.length, CGS), number_in("g", self.mass, CGS)
        if self.velocity is None:
            return Units(length, mass, sqrt(G_CGS * mass / length), constant=1.0)
        return Units(length, mass, number_in("cm / s", self.velocity, CGS))


def units_of_model(model: str, given: UnitsParameters | None) -> Units:
    """Return the units of a model: those given; else those of N-body, but of matter in expanding space Gadget's."""
    if given is not None:
        return given.units()
    return GADGET if model == "cosmology" else NBODY


def units_given(content: Mapping[str, Any], source: str, folder: Path) -> Callable[[], Units]:
    """Return what finds the units of the particles of a file: those of the file to start from, or of a model.

    Parameters
    ----------
    content : mapping
        Of the file.
    source : str
        The name of the file.
    folder : Path
        Where relative paths start.

    Raises
    ------
    ValueError
        If there is something wrong in its section [units].
    """
    start, model, section = (content.get(name) for name in ("initial_conditions", "ic", "units"))
    of_model = checked(UnitsParameters, section, source=source, section="units") if isinstance(section, dict) else None

    @cache
    def units() -> Units:
        if isinstance(start, str):
            return units_of(path_in(folder, start))
        return units_of_model(str(model.get("model")) if isinstance(model, dict) else "", of_model)

    return units

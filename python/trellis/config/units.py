"""Numbers given as text with a unit, such as "2 Gyr", and the units that they become numbers of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import field_validator
from pydantic.fields import FieldInfo

from trellis.config.parameters import Parameters, Section, checked, parameter
from trellis.errors import InputError
from trellis.io.gadget_files import units_of
from trellis.particles.quantities import NoScaleError, OtherKindError, number_in
from trellis.units import G_CGS, GADGET, NBODY, Units

CGS = Units(1.0, 1.0, 1.0)
IN_CGS = {"length": ("cm", "1 kpc"), "mass": ("g", "1e10 Msun"), "velocity": ("cm / s", "1 km/s")}

UnitsOfRun = Callable[[], Units]
"""What the particles are in; asked for only where a text has a unit, since it may have to be read from a file."""


class UnitsParameters(Parameters):
    """What the units of a model are."""

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


def units_of_run(start: Path | None, model: str, of_model: UnitsParameters | None) -> UnitsOfRun:
    """Return what says what the particles are in: those of a file to start from, or of a model."""

    @cache
    def units() -> Units:
        if start is not None:
            return units_of(start)
        return units_of_model(model, of_model)

    return units


def checked_with_units(
    kind: type[Section], values: Mapping[str, Any], source: str, section: str, units: UnitsOfRun
) -> Section:
    """Make a section, as `checked` does, from values among which texts with a unit may stand for numbers."""
    known = kind.model_fields
    try:
        numbers = {
            name: _without_unit(known[name], value, f"{section}.{name}", units) if name in known else value
            for name, value in values.items()
        }
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    return checked(kind, numbers, source=source, section=section)


def texts_of_numbers(given: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts from which numbers of sections were made, by full names."""
    return {
        f"{section}.{name}": value
        for section, values in made.items()
        if isinstance(values, dict)
        for name, value in given.get(section, {}).items()
        if isinstance(value, str) and isinstance(values.get(name), (int, float))
    }


def _without_unit(field: FieldInfo, value: Any, key: str, units: UnitsOfRun) -> Any:
    """Return the number that is meant, if the value of a parameter, or one within it, is a text with a unit."""
    extra = field.json_schema_extra
    unit = str(extra.get("unit", "")) if isinstance(extra, dict) else ""
    if unit in ("", "steps"):
        return value
    kinds = list(_kinds(field.annotation))
    if isinstance(value, list):
        return [_without_unit(field, each, key, units) for each in value]
    if isinstance(value, dict):
        return {name: _without_unit(field, each, f"{key}.{name}", units) for name, each in value.items()}
    if not isinstance(value, str) or str in kinds or value in kinds:
        return value
    number = _number(unit, value, key, units)
    return int(number) if int in kinds and number.is_integer() else number


def _kinds(annotation: object) -> Iterator[object]:
    """Yield the types of which a value may be, and the texts that it may be."""
    parts = get_args(annotation)
    if get_origin(annotation) is dict:
        yield from _kinds(parts[1])
    elif parts:
        for part in parts:
            yield from _kinds(part)
    else:
        yield annotation


def _number(unit: str, text: str, key: str, units: UnitsOfRun) -> float:
    of_run = any(word in unit for word in ("length", "mass", "time", "energy", "sigma", "epsilon"))
    try:
        return number_in(unit, text, units() if of_run else None)
    except NoScaleError:
        raise InputError(
            f"'{key}' is {text!r}, but the run is in units without a size, such as N-body units: give a number, or for"
            ' a model of [ic] a section [units], such as length = "1 kpc" and mass = "1e10 Msun"'
        ) from None
    except OtherKindError:
        raise InputError(f"'{key}' is {text!r}, but must have a unit of {unit}") from None
    except ValueError:
        raise InputError(
            f"'{key}' is {text!r}, but must be a number, or one with a unit of astropy, as in '2.5 Gyr'"
        ) from None

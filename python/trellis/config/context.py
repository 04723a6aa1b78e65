"""The context in which the sections of a run file are validated: its folder, and the units of its particles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, PlainSerializer, PlainValidator, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from trellis.particles.quantities import NoScaleError, OtherKindError, number_in
from trellis.paths import from_home
from trellis.units import Units

OWN_UNITS = ("length", "mass", "time", "energy", "sigma", "epsilon")
"""Words in the unit of a parameter that stand for the units of the particles."""


@dataclass(frozen=True)
class FileContext:
    """The context of a run file.

    Attributes
    ----------
    folder : Path
        Where relative paths start.
    units : callable
        Returns the units of the particles; called only for a text with a unit, since it may read the file of initial
        conditions.
    expanding : bool
        Whether the file has a section [cosmology], in which times are scale factors.
    """

    folder: Path
    units: Callable[[], Units]
    expanding: bool


def path_in(folder: Path, given: str | Path) -> Path:
    """Return the path of a file that a run file names; a relative one starts in `folder`."""
    return (folder / from_home(given)).absolute()


def _file_path(given: object, info: ValidationInfo) -> Path | None:
    if given is None or isinstance(given, Path):
        return given
    if not isinstance(given, str):
        raise ValueError(f"is {given!r}, but must be text in quotes")
    if not given:
        raise ValueError(f"is {given!r}, but must be text of at least one letter")
    return path_in(info.context.folder if isinstance(info.context, FileContext) else Path(), given)


FilePath = Annotated[Path | None, PlainValidator(_file_path), PlainSerializer(lambda path: path and str(path))]
"""The type of a parameter that names a file."""


def with_numbers(section: type[BaseModel], values: Any, info: ValidationInfo) -> Any:
    """Return the values of a section of a file with numbers in place of texts with a unit, such as "2 Gyr".

    Lists and dictionaries in it may have such texts too.
    """
    context = info.context
    if not isinstance(context, FileContext) or not isinstance(values, dict):
        return values
    fields = section.model_fields
    return {
        name: _number(context, fields[name], value, name) if name in fields else value for name, value in values.items()
    }


def _number(context: FileContext, field: FieldInfo, value: Any, key: str) -> Any:
    extra = field.json_schema_extra
    unit = str(extra.get("unit", "")) if isinstance(extra, dict) else ""
    if unit in ("", "steps"):
        return value
    if isinstance(value, list):
        return [_number(context, field, each, key) for each in value]
    if isinstance(value, dict):
        return {name: _number(context, field, each, f"{key}.{name}") for name, each in value.items()}
    kinds = list(_kinds(field.annotation))
    if not isinstance(value, str) or str in kinds or value in kinds:
        return value
    try:
        number = number_in(unit, value, context.units() if any(word in unit for word in OWN_UNITS) else None)
    except NoScaleError:
        problem = (
            "but the run is in units without a size, such as N-body units: give a number, or for a model of [ic] a"
            ' section [units], such as length = "1 kpc" and mass = "1e10 Msun"'
        )
        raise wrong_value(key, f"is {value!r}, {problem}") from None
    except OtherKindError:
        raise wrong_value(key, f"is {value!r}, but must have a unit of {unit}") from None
    except ValueError:
        problem = "but must be a number, or one with a unit of astropy, as in '2.5 Gyr'"
        raise wrong_value(key, f"is {value!r}, {problem}") from None
    return int(number) if int in kinds and number.is_integer() else number


def wrong_value(key: str, problem: str) -> PydanticCustomError:
    """Return an error of a check of a whole section: the key of the wrong value, and the rest of the sentence."""
    return PydanticCustomError("wrong_value", "{problem}", {"key": key, "problem": problem})


def _kinds(annotation: object) -> Iterator[object]:
    """Yield the types that a value may have, and the texts that are allowed as they are."""
    parts = get_args(annotation)
    if get_origin(annotation) is dict:
        yield from _kinds(parts[1])
    elif parts:
        for part in parts:
            yield from _kinds(part)
    else:
        yield annotation

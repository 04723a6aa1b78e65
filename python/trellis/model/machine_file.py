"""Files that describe machines, and machines by their names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from trellis.config import Parameters, checked, read_toml
from trellis.config.parameters import parameter
from trellis.errors import InputError, did_you_mean
from trellis.paths import from_home

Machine = TypeVar("Machine")


def cited(default: float, meaning: str, source: str, unit: str = "", **limits: Any) -> Any:
    """Declare a number of a machine by the place that it is from; above 0 if there are no other limits."""
    return parameter(default, f"{meaning} ({source})", unit=unit, **(limits or {"gt": 0}))


def find_machine(name: str, built_in: Mapping[str, Machine], load: Callable[[Path], Machine]) -> Machine:
    """Return the built-in machine of that name, or the one that the file of that name describes.

    Raises
    ------
    ValueError
        With one sentence: there is neither, or what is wrong with the file.
    """
    if name in built_in:
        return built_in[name]
    path = from_home(name)
    if path.suffix != ".toml" and not path.exists():
        raise InputError(f"'{name}' is no system and no file: {did_you_mean(name, built_in)}")
    return load(path)


def sections_of(path: Path, kinds: Mapping[str, type[Parameters]]) -> dict[str, Parameters]:
    """Return the checked sections of a TOML file, which may have those of `kinds` and no others."""
    sections = {}
    for name, value in read_toml(path).items():
        if name not in kinds:
            raise InputError(f"{path}: unknown section '{name}': {did_you_mean(name, kinds)}")
        if not isinstance(value, dict):
            raise InputError(f"{path}: '{name}' is {value!r}, but must be a section, [{name}]")
        sections[name] = checked(kinds[name], value, source=str(path), section=name)
    return sections


def text_of(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a file with the values of these sections, numbers with four digits."""
    return "\n".join(_section(name, values) for name, values in sections.items())


def _section(name: str, values: Mapping[str, Any]) -> str:
    return "\n".join([f"[{name}]", *(f"{key} = {json.dumps(_rounded(value))}" for key, value in values.items()), ""])


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value

"""Machines of the models, by name or from files of one form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from trellis.config import Parameters, checked, read_toml
from trellis.config.parameters import parameter
from trellis.errors import InputError, did_you_mean
from trellis.paths import from_home

Machine = TypeVar("Machine")


def cited(default: float, meaning: str, source: str, unit: str = "", **limits: Any) -> Any:
    """Declare a number of a machine with its source; it must be above 0 unless other limits are given."""
    return parameter(default, f"{meaning} ({source})", unit=unit, **(limits or {"gt": 0}))


@dataclass(frozen=True)
class Machines(Generic[Machine]):
    """The machines of a model: built in by name, or described by a TOML file.

    Attributes
    ----------
    make : callable
        Makes a machine of its name and the sections of its file, as keyword arguments; a section that a file lacks is
        not among them.
    sections : mapping
        Parameters of each section that a file may have.
    built_in : mapping
        Machines by name.
    """

    make: Callable[..., Machine]
    sections: Mapping[str, type[Parameters]]
    built_in: Mapping[str, Machine]

    def find(self, name: str) -> Machine:
        """Return the built-in machine of a name, or the one that the file of that name describes.

        Raises
        ------
        ValueError
            With one sentence: there is neither, or what is wrong with the file.
        """
        if name in self.built_in:
            return self.built_in[name]
        path = from_home(name)
        if path.suffix != ".toml" and not path.exists():
            raise InputError(f"'{name}' is no system and no file: {did_you_mean(name, self.built_in)}")
        return self.load(path)

    def load(self, path: Path) -> Machine:
        """Return the machine that a file describes, under the file's name without its ending."""
        found = {}
        for name, value in read_toml(path).items():
            if name not in self.sections:
                raise InputError(f"{path}: unknown section '{name}': {did_you_mean(name, self.sections)}")
            if not isinstance(value, dict):
                raise InputError(f"{path}: '{name}' is {value!r}, but must be a section, [{name}]")
            found[name] = checked(self.sections[name], value, source=str(path), section=name)
        try:
            return self.make(path.stem, **found)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def symbols(self) -> str:
        """Return all numbers of a file as a table in Markdown: key, default, unit, meaning and source."""
        return table_of(self.sections)


def table_of(sections: Mapping[str, type[Parameters]]) -> str:
    """Return the keys of sections as a table in Markdown: key, default, unit and meaning."""
    lines = ["| section | key | default | unit | meaning |", "|---|---|---|---|---|"]
    for section, kind in sections.items():
        for name, field in kind.model_fields.items():
            extra = field.json_schema_extra
            unit = extra.get("unit", "") if isinstance(extra, dict) else ""
            default = "(must be given)" if field.is_required() else _default(field.default)
            lines.append(f"| {section} | `{name}` | {default} | {unit} | {field.description} |")
    return "\n".join(lines) + "\n"


def _default(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else f"{value:g}"


def text_of(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a file with the values of these sections, numbers with four digits."""
    return "\n".join(_section(name, values) for name, values in sections.items())


def _section(name: str, values: Mapping[str, Any]) -> str:
    return "\n".join([f"[{name}]", *(f"{key} = {json.dumps(_rounded(value))}" for key, value in values.items()), ""])


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value

"""From a parameter file and ``--set`` to checked parameters, and back to text."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from trellis.config.parameters import checked
from trellis.config.sections import MODELS, GravityParameters, ModelParameters, RunParameters, Source
from trellis.errors import InputError, did_you_mean, reading

toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

SECTIONS = ("ic", "gravity", "run")


@dataclass(frozen=True)
class RunFile:
    """The parameters of a run: either a file to start from or a model, and the sections."""

    initial_conditions: Path | None
    ic: ModelParameters | None
    gravity: GravityParameters
    run: RunParameters

    def to_dict(self) -> dict[str, Any]:
        """All parameters that have a value, defaults included, as the content of a parameter file."""
        content: dict[str, Any] = {}
        if self.initial_conditions is not None:
            content["initial_conditions"] = str(self.initial_conditions)
        if self.ic is not None:
            content["ic"] = self.ic.model_dump()
        content["gravity"] = self.gravity.model_dump(exclude_none=True)
        if self.gravity.theta is not None:
            del content["gravity"]["accuracy"]  # not in force, and a file with both is refused
        content["run"] = self.run.model_dump()
        return content

    def to_toml(self) -> str:
        """Return the same as the text of a parameter file."""
        lines: list[str] = []
        for name, value in self.to_dict().items():
            if isinstance(value, dict):
                lines += [f"\n[{name}]", *(_line(key, inner) for key, inner in value.items())]
            else:
                lines.append(_line(name, value))
        return "\n".join(lines).lstrip("\n") + "\n"


def _line(key: str, value: object) -> str:
    # numbers and strings are written alike in JSON and TOML
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def load(path: Path, changes: Sequence[str] = ()) -> RunFile:
    """Read a parameter file.

    Parameters
    ----------
    path : Path
        The TOML file.
    changes : sequence of str
        Parameters that differ from the file, each as ``section.key=value``.

    Raises
    ------
    ValueError
        With one sentence naming the file, the key, its value and what is allowed.
    """
    content = read_toml(path)
    for change in changes:
        _apply(content, change)
    source = str(path)
    for name, value in content.items():
        if name in SECTIONS and not isinstance(value, dict):
            raise InputError(f"{source}: '{name}' is {value!r}, but must be a section, [{name}]")
    top = {name: value for name, value in content.items() if name not in SECTIONS}
    unknown = next((name for name in top if name not in Source.model_fields), None)
    if unknown is not None:
        known = [*Source.model_fields, *SECTIONS]
        raise InputError(f"{source}: unknown key '{unknown}': {did_you_mean(unknown, known)}")
    start = checked(Source, top, source=source).initial_conditions
    if (start is None) == ("ic" not in content):
        both = "neither" if start is None else "both"
        raise InputError(f"{source}: {both} of 'initial_conditions' and [ic] given, but a run starts from one of them")
    return RunFile(
        initial_conditions=None if start is None else (path.parent / start).absolute(),
        ic=None if start is not None else _model(content["ic"], source),
        gravity=checked(GravityParameters, content.get("gravity", {}), source=source, section="gravity"),
        run=checked(RunParameters, content.get("run", {}), source=source, section="run"),
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; a ValueError names the file and what is wrong with it."""
    with reading(path):
        try:
            content: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
        except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"'{path}' is not a TOML file: {error}") from None
    return content


def _apply(content: dict[str, Any], change: str) -> None:
    key, equals, text = (part.strip() for part in change.partition("="))
    section, dot, name = key.rpartition(".")
    if not equals or not key:
        raise InputError(f"--set {change}: must be section.key=value, such as ic.particles=1000")
    try:
        value: Any = toml.loads(f"value = {text}")["value"]
    except toml.TOMLDecodeError:
        value = text  # text needs no quotes here
    if key == "initial_conditions" and isinstance(value, str):
        value = str(Path(value).absolute())  # a path that was typed starts where it was typed
    home = content.setdefault(section, {}) if dot else content
    if not isinstance(home, dict):
        raise InputError(f"--set {change}: '{section}' is not a section")
    home[name] = value


def _model(section: dict[str, Any], source: str) -> ModelParameters:
    name = section.get("model")
    if name is None:
        raise InputError(f"{source}: 'ic.model' is missing: known are {', '.join(MODELS)}")
    if name not in MODELS:
        raise InputError(f"{source}: 'ic.model' is {name!r}: {did_you_mean(str(name), MODELS)}")
    return checked(MODELS[name], section, source=source, section="ic")

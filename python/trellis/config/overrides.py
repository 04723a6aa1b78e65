"""Parameters that are given on the command line: ``--set`` and ``--change``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from trellis.config.toml_file import parse_toml, toml
from trellis.errors import InputError
from trellis.paths import from_home

PATHS = r"initial_conditions|run\.snapshot_times|bonds\.\d+\.file|pair\.table"
"""Full names whose texts are paths that start in the folder of the file, but on the command line where it runs."""

KEY = r'(?:"[^"]*"|[^."]+)'


def value_of(change: str, option: str, example: str) -> tuple[list[str], Any]:
    """Return the keys and the value of ``section.key=value``; a value that is nothing else is text."""
    key, equals, text = (part.strip() for part in change.partition("="))
    if not equals or not key:
        raise InputError(f"{option} {change}: must be section.key=value, such as {example}")
    if "\n" in text:
        raise InputError(f"{option} {key}: must be one line")
    try:
        return keys_of(key), parse_toml(f"value = {text}")["value"]
    except toml.TOMLDecodeError:
        return keys_of(key), text  # text needs no quotes here
    except RecursionError:
        raise InputError(f"{option} {key}: has values within values, too deep to be read") from None


def keys_of(name: str) -> list[str]:
    """Return the keys of a full name, section.key; one with a dot in it is in quotes, as in TOML."""
    if re.fullmatch(rf"{KEY}(?:\.{KEY})*", name) is None:
        return name.split(".")
    return [key.strip('"') for key in re.findall(KEY, name)]


def override(content: dict[str, Any], change: str) -> None:
    """Change the content of a file by what ``--set`` gives."""
    keys, value = value_of(change, "--set", "ic.particles=1000")
    if re.fullmatch(PATHS, ".".join(keys)) and isinstance(value, str):
        value = str(from_home(value).absolute())
    try:
        section_of(content, keys)[keys[-1]] = value
    except InputError as error:
        raise InputError(f"--set {change}: {error}") from None


def section_of(content: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Return the section with the last of these keys; one that is missing is added.

    Raises
    ------
    ValueError
        If there is something else in its place, or not that many tables.
    """
    home: Any = content
    for number, key in enumerate(keys[:-1], 1):
        name = ".".join(keys[:number])
        if isinstance(home, list):
            if not key.isdecimal() or int(key) >= len(home):
                tables = ".".join(keys[: number - 1])
                raise InputError(f"there is no {name}: the tables [[{tables}]] of the file count from 0")
            home = home[int(key)]
        else:
            home = home.setdefault(key, [] if keys[number].isdecimal() else {})  # tables are counted
        if not isinstance(home, dict | list):
            raise InputError(f"'{name}' is not a section")
    if not isinstance(home, dict):
        raise InputError(f"'{'.'.join(keys[:-1])}' is not a section")
    return home

"""Files in TOML, read and written."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import tomlkit

from trellis.errors import InputError, reading

toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; a ValueError names the file and what is wrong with it."""
    with reading(path):
        content = path.read_bytes()
    try:
        return parse_toml(content.decode("utf-8-sig"))  # with a byte-order mark or without
    except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"'{path}' is not a TOML file: {error}") from None
    except RecursionError:
        raise InputError(f"'{path}' has values within values, too deep to be read") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of a text; RecursionError if its values are nested too deep."""
    content: dict[str, Any] = toml.loads(text)
    repr(content)  # RecursionError if no sentence could show its values
    return content


def toml_text(content: Mapping[str, Any], comments: Mapping[str, str]) -> str:
    """Return the text of a file.

    Parameters
    ----------
    content : mapping
        Its values and sections.
    comments : mapping
        Texts that become comments behind values of sections, by full names, section.key.
    """
    document = tomlkit.document()
    for name, value in content.items():
        item = tomlkit.item(value)
        if isinstance(value, dict):
            for key in value:
                if f"{name}.{key}" in comments:
                    item[key].comment(tomlkit.string(comments[f"{name}.{key}"]).as_string())
                    item[key].trivia.comment_ws = "  "
        document.append(name, item)
    return document.as_string()

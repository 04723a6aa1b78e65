"""Paths as they are typed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from trellis.errors import InputError


def from_home(path: str | Path) -> Path:
    """Return a path with ``~`` or ``~user`` at its start replaced by that home folder, as a shell does.

    Raises
    ------
    ValueError
        If it has the character that ends all names of files, or letters that they cannot have in this locale.
    """
    if "\0" in str(path):
        raise InputError("has a null character, which no name of a file may have")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise InputError(
            f"has letters that names of files cannot have here, in {sys.getfilesystemencoding()}"
        ) from None
    try:
        return Path(path).expanduser()
    except RuntimeError:  # there is no such user: the name stands for itself
        return Path(path)

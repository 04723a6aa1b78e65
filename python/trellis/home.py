"""Paths as they are typed."""

from __future__ import annotations

from pathlib import Path


def from_home(path: str | Path) -> Path:
    """Return a path with ``~`` or ``~user`` at its start replaced by that home folder, as a shell does."""
    try:
        return Path(path).expanduser()
    except RuntimeError:  # there is no such user: the name stands for itself
        return Path(path)

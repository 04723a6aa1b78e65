"""Compiled functions of interactions, kept in the user's cache folder.

What is loaded is code that runs: nothing is read from a folder or file that another user owns or may write, nor by way
of a folder that another user could exchange.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

_DIGEST = 32  # bytes of SHA-256 in front of the content


def folder() -> Path:
    """Return the folder: ``trellis/interactions`` in ``XDG_CACHE_HOME`` or ``~/.cache``."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if given else Path.home() / ".cache") / "trellis" / "interactions"


def read(key: str) -> bytes | None:
    """Return what was written under a key; None if nothing was, if it is damaged, or if others may have written it."""
    place = folder()
    if not _is_private(place):
        return None
    try:
        file = os.open(place / key, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(file, "rb") as opened:
        about = os.fstat(opened.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o022:
            return None
        content = opened.read()
    digest, content = content[:_DIGEST], content[_DIGEST:]
    return content if hashlib.sha256(content).digest() == digest else None


def write(key: str, content: bytes) -> None:
    """Keep content under a key; nothing is kept where that is not possible or not safe."""
    place = folder()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(place):
            return
        handle, name = tempfile.mkstemp(dir=place)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(name).replace(place / key)
        except BaseException:
            Path(name).unlink()
            raise
    except OSError:
        return


def _is_private(place: Path) -> bool:
    """Return whether a folder is this user's alone, below folders in which no other could exchange it."""
    try:
        about = os.lstat(place)
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
            return False
        return all(_is_safe(above) for above in place.resolve(strict=True).parents)
    except OSError:
        return False


def _is_safe(above: Path) -> bool:
    about = os.lstat(above)
    ours = about.st_uid in (0, os.geteuid())
    return ours and (not about.st_mode & 0o022 or bool(about.st_mode & stat.S_ISVTX))

"""Comparison of the files that ranks find under one name: on other machines, or in other folders, they may differ."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Sequence
from pathlib import Path

from trellis.errors import InputError, reading
from trellis.parallel import world
from trellis.parallel.sites import place_of

BLOCK = 1 << 22  # bytes that are read at once
DIGITS = 12
"""Hexadecimal digits of a checksum that a sentence shows."""


def check_same_files(paths: Sequence[Path]) -> None:
    """Raise the same ValueError on all ranks, which call this, if the files of these names are not the same for all.

    Sizes are compared first, then SHA-256 checksums, of one rank for each file of each machine. Nothing is read where
    all ranks have the same files.
    """
    if world.ranks() == 1:
        return
    own = [_identity(path) for path in paths]
    of_all = world.gather(own)
    if all(each == of_all[0] for each in of_all):
        return
    contents = world.gather([(path.name, size) for path, (*_, size) in zip(paths, own, strict=True)])
    _compare(contents, "bytes")
    firsts = [of_all.index(each) for each in of_all]
    digests = world.gather(
        [(path.name, _digest(path)) for path in paths] if firsts[world.rank()] == world.rank() else []
    )
    _compare([digests[first] for first in firsts], "with the SHA-256 checksum")


def _compare(contents: Sequence[Sequence[tuple[str, object]]], unit: str) -> None:
    """Raise a ValueError that names the first rank, or site, with other contents than the first one, and the file."""
    unlike = next((rank for rank, each in enumerate(contents) if each != contents[0]), None)
    if unlike is None:
        return
    first, other = contents[0], contents[unlike]
    pairs = ((_shown(a, unit), _shown(b, unit)) for a, b in zip(first, other, strict=False) if a != b)
    here, there = next(pairs, (f"{len(first)} files", f"{len(other)} files"))
    raise InputError(f"{place_of(unlike)} has {there}, but {place_of(0)} has {here}: all ranks need the same file")


def _shown(file: tuple[str, object], unit: str) -> str:
    name, value = file
    return f"'{name}' of {value:,} {unit}" if isinstance(value, int) else f"'{name}' {unit} {value}"


def _identity(path: Path) -> tuple[str, int, int, int, int]:
    """Return what two ranks have in common that see one file: the machine, and the file's number there."""
    with reading(path):
        status = path.stat()
    return socket.gethostname(), status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _digest(path: Path) -> str:
    checksum = hashlib.sha256()
    with reading(path), path.open("rb") as file:
        while block := file.read(BLOCK):
            checksum.update(block)
    return checksum.hexdigest()[:DIGITS]

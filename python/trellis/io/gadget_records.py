"""The records that Gadget's binary files consist of: bytes between two markers, of four bytes, that say how many."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Literal

from trellis.errors import InputError

ByteOrder = Literal["<", ">"]

MARKER = 4
WRAP = 2 ** (8 * MARKER)
"""Bytes: markers of a longer record hold its length modulo this."""


class Records:
    """The records of an open file, one after another; sentences about a record call it by a name.

    Parameters
    ----------
    path : Path
        The file.
    file : BinaryIO
        The same, open at its beginning.
    order : str
        Order of the bytes of a number.
    """

    def __init__(self, path: Path, file: BinaryIO, order: ByteOrder) -> None:
        self._path, self._file, self._order = path, file, order
        self._end = os.fstat(file.fileno()).st_size

    def left(self) -> bool:
        """Return whether there is another record."""
        return self._file.tell() < self._end

    def fits(self, name: str, lengths: Sequence[int]) -> bool:
        """Return whether the next record may have one of these lengths."""
        marker = self._marker(name)
        self._file.seek(-MARKER, os.SEEK_CUR)
        return any(length % WRAP == marker for length in lengths)

    def skip(self, name: str, lengths: Sequence[int] | None = None) -> tuple[int, int]:
        """Pass over a record, of one of these lengths, or of any; return where its bytes begin, and how many."""
        before = self._marker(name)
        length = before if lengths is None else next((n for n in lengths if n % WRAP == before), None)
        if length is None:
            allowed = " or ".join(map(str, lengths or ()))
            raise InputError(
                f"'{self._path}' is damaged: its block {name} has {before} bytes, but by the header must have {allowed}"
            )
        begin = self._file.tell()
        self._check_end(name, begin + length + MARKER)
        self._file.seek(begin + length)
        after = self._marker(name)
        if after != before:
            raise InputError(
                f"'{self._path}' is damaged: the markers of its block {name} disagree: {before} bytes before it,"
                f" {after} behind it"
            )
        return begin, length

    def read(self, name: str, length: int) -> bytes:
        """Read a record of this length."""
        begin, _ = self.skip(name, [length])
        behind = self._file.tell()
        self._file.seek(begin)
        content = self._file.read(length)
        self._file.seek(behind)
        return content

    def _marker(self, name: str) -> int:
        self._check_end(name, self._file.tell() + MARKER)
        (marker,) = struct.unpack(f"{self._order}I", self._file.read(MARKER))
        return int(marker)

    def _check_end(self, name: str, needed: int) -> None:
        if needed > self._end:
            raise InputError(
                f"'{self._path}' is truncated: its block {name} reaches to byte {needed}, but the file has {self._end}"
            )

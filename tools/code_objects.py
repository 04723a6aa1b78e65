"""Read what code objects of AMD's GPUs say of their kernels."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

METADATA = 32  # the type of the note


@dataclass(frozen=True)
class Kernel:
    """A kernel, with registers of a thread, and bytes of a thread's memory for what does not fit into them."""

    name: str  # as clang mangles it
    registers: int
    spilled: int  # registers
    scratch: int  # bytes
    arguments: tuple[str, ...]  # their kinds


class Unpacker:
    """Values in the form MessagePack."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _take(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _number(self, count: int) -> int:
        return int.from_bytes(self._take(count), "big")

    def value(self) -> Any:
        """Return the next value."""
        kind = self._number(1)
        if kind < 0x80:
            return kind
        if kind < 0x90 or kind == 0xDE:
            count = kind & 0xF if kind < 0x90 else self._number(2)
            return {self.value(): self.value() for _ in range(count)}
        if kind < 0xA0 or kind == 0xDC:
            count = kind & 0xF if kind < 0xA0 else self._number(2)
            return [self.value() for _ in range(count)]
        if kind < 0xC0 or kind in (0xD9, 0xDA):
            count = kind & 0x1F if kind < 0xC0 else self._number(kind - 0xD8)
            return self._take(count).decode()
        if kind in (0xC2, 0xC3):
            return kind == 0xC3
        return self._number({0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}[kind])


def notes(data: bytes) -> Iterator[bytes]:
    """Yield the notes of an ELF file that describe kernels."""
    program, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for k in range(count):
        kind, _, at, _, _, length = struct.unpack_from("<IIQQQQ", data, program + k * size)
        end = at + length
        while kind == 4 and at < end:
            name, description, note = struct.unpack_from("<III", data, at)
            at += 12 + (name + 3) // 4 * 4
            if note == METADATA:
                yield data[at : at + description]
            at += (description + 3) // 4 * 4


def code_objects(bundle: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the code objects of a bundle of clang, each with the GPU that it is for."""
    at = 32
    for _ in range(struct.unpack_from("<Q", bundle, 24)[0]):
        begin, size, length = struct.unpack_from("<QQQ", bundle, at)
        name = bundle[at + 24 : at + 24 + length].decode()
        at += 24 + length
        if "-amdgcn-" in name:
            yield name.rpartition("--")[2], bundle[begin : begin + size]


def kernels(code_object: bytes) -> Iterator[Kernel]:
    """Yield the kernels of a code object."""
    for note in notes(code_object):
        for kernel in Unpacker(note).value()["amdhsa.kernels"]:
            yield Kernel(
                kernel[".name"],
                kernel[".vgpr_count"],
                kernel[".vgpr_spill_count"] + kernel[".sgpr_spill_count"],
                kernel[".private_segment_fixed_size"],
                tuple(argument[".value_kind"] for argument in kernel.get(".args", [])),
            )

"""Gadget's binary files, formats 1 and 2, presented as an HDF5 file: groups of datasets, and the header's attributes.

The first record is the header; each other one is a block, a column of the particles of some types, type after type. In
format 2 the name of a block is a record before it; in format 1 blocks have an order (users' guide of Gadget-2). Whether
numbers have four or eight bytes follows from a block's length.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.io.gadget_layout import DATASETS, TYPES
from trellis.io.gadget_records import ByteOrder, Records

HEADER: list[Any] = [
    ("NumPart_ThisFile", "u4", TYPES),
    ("MassTable", "f8", TYPES),
    ("Time", "f8"),
    ("Redshift", "f8"),
    ("Flag_Sfr", "i4"),
    ("Flag_Feedback", "i4"),
    ("NumPart_Total", "u4", TYPES),
    ("Flag_Cooling", "i4"),
    ("NumFilesPerSnapshot", "i4"),
    ("BoxSize", "f8"),
    ("Omega0", "f8"),
    ("OmegaLambda", "f8"),
    ("HubbleParam", "f8"),
    ("Flag_StellarAge", "i4"),
    ("Flag_Metals", "i4"),
    ("NumPart_Total_HighWord", "u4", TYPES),
    ("Flag_Entropy_ICs", "i4"),
]
"""Fields at the beginning of the header, by the names of HDF5's attributes."""

LEFT = "LeftOut"
"""Group of a stand-in whose attribute ``names`` has what the file holds and the stand-in has not."""

HEADER_BYTES = 256
NAME_BYTES = 8  # the record with a block's name: four letters, and the bytes to the next one

GAS, STARS = (0,), (4,)


class Format(NamedTuple):
    """Layout by a file's first bytes: the order of bytes, and whether blocks have names, as in format 2."""

    order: ByteOrder
    named: bool


class Kind(NamedTuple):
    """A kind of block: its name in format 2, the field that it holds if it is read, and the types that have it."""

    name: str
    field: str = ""
    components: int = 1
    types: tuple[int, ...] = tuple(range(TYPES))
    flag: str = ""  # of the header, without which format 1 does not have it


NEEDED = (
    Kind("POS", "position", 3),
    Kind("VEL", "velocity", 3),
    Kind("ID", "id"),
    Kind("MASS", "mass"),  # of the types that have none in the header
)
KINDS = (
    *NEEDED,
    Kind("U", "internal_energy", types=GAS),
    Kind("RHO", "density", types=GAS),
    Kind("NE", types=GAS, flag="Flag_Cooling"),
    Kind("NH", types=GAS, flag="Flag_Cooling"),
    Kind("HSML", "smoothing_length", types=GAS),
    Kind("SFR", types=GAS, flag="Flag_Sfr"),
    Kind("AGE", types=STARS, flag="Flag_StellarAge"),
    Kind("Z", types=GAS + STARS, flag="Flag_Metals"),
    Kind("POT", "potential"),
    Kind("ACCE", "acceleration", 3),
)
"""In the order of format 1. Those that are not needed may be missing; any other block is passed over."""


@dataclass(frozen=True)
class Block:
    """One type's rows of a block: a stand-in for a dataset of an HDF5 file."""

    attrs: ClassVar[dict[str, Any]] = {}

    path: Path
    begin: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        width = prod(self.shape[1:])
        offset = self.begin + rows.start * width * self.dtype.itemsize
        numbers = np.fromfile(self.path, self.dtype, (rows.stop - rows.start) * width, offset=offset)
        return numbers.reshape(-1, *self.shape[1:])


class Group(dict[str, Any]):
    """A stand-in for a group of an HDF5 file."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.attrs = attrs or {}


@dataclass(frozen=True)
class _Found:
    """A block of the file: its kind, the offset of its bytes, their number, and the rows that it has of each type."""

    kind: Kind
    begin: int
    length: int
    rows: list[int]


def format_of(path: Path) -> Format | None:
    """Return the format of one of Gadget's binary files, by its first bytes; None of any other file."""
    with path.open("rb") as file:
        start = file.read(8)
    orders: tuple[ByteOrder, ...] = ("<", ">")
    for order in orders:
        if start[:4] == struct.pack(f"{order}I", HEADER_BYTES):
            return Format(order, named=False)
        if start == struct.pack(f"{order}I4s", NAME_BYTES, b"HEAD"):
            return Format(order, named=True)
    return None


def read_groups(path: Path, form: Format) -> dict[str, Group]:
    """Find the blocks of a file of this format.

    Raises
    ------
    ValueError
        With one sentence, if the file is truncated, if markers disagree, or if a block does not fit the header.
    """
    layout = np.dtype(HEADER).newbyteorder(form.order)
    with path.open("rb") as file:
        records = Records(path, file, form.order)
        if form.named:
            _read_name(records)
        header = np.frombuffer(records.read("HEAD", HEADER_BYTES), layout, count=1)[0]
        rows = {kind: _rows_of(kind, header) for kind in KINDS}
        left_out: list[str] = []
        found_blocks = _named_blocks if form.named else _ordered_blocks
        blocks = list(found_blocks(records, rows, header, left_out))
    found = {block.kind for block in blocks}
    missing = next((kind for kind in NEEDED if sum(rows[kind]) > 0 and kind not in found), None)
    if missing is not None:
        raise InputError(f"'{path}' is truncated: it has no block {missing.name}")
    left_out += [block.kind.name for block in blocks if not block.kind.field and block.length > 0]
    groups = {"Header": Group({name: header[name] for name in layout.names or ()}), LEFT: Group({"names": left_out})}
    for kind in np.flatnonzero(header["NumPart_ThisFile"]):
        groups[f"PartType{kind}"] = Group()
    for block in blocks:
        if block.kind.field and block.length > 0:
            _add_datasets(groups, path, form.order, block)
    return groups


def _rows_of(kind: Kind, header: Any) -> list[int]:
    """Return the number of particles of each type in such a block."""
    sizes = [size if number in kind.types else 0 for number, size in enumerate(header["NumPart_ThisFile"].tolist())]
    if kind.name == "MASS":
        sizes = [0 if mass > 0 else size for size, mass in zip(sizes, header["MassTable"].tolist(), strict=True)]
    return sizes


def _lengths(kind: Kind, rows: list[int]) -> list[int]:
    """Return the numbers of bytes that such a block may have."""
    return [sum(rows) * kind.components * width for width in (4, 8)]


def _named_blocks(records: Records, rows: dict[Kind, list[int]], header: Any, left_out: list[str]) -> Iterator[_Found]:
    """Yield the blocks of format 2, and name those that are left out."""
    kinds = {kind.name: kind for kind in KINDS if kind.field}
    sizes = header["NumPart_ThisFile"].tolist()
    while records.left():
        name = _read_name(records)
        if name in kinds:
            kind, has = kinds[name], rows[kinds[name]]
            if (
                name == "MASS"
                and records.fits(name, _lengths(kind, sizes))
                and not records.fits(name, _lengths(kind, has))
            ):
                has = sizes  # with the masses that the header has, too
            yield _Found(kind, *records.skip(name, _lengths(kind, has)), has)
        elif records.skip(name)[1] > 0:
            left_out.append(name)


def _read_name(records: Records) -> str:
    return records.read("with a name", NAME_BYTES)[:4].decode("latin-1").strip()


def _ordered_blocks(
    records: Records, rows: dict[Kind, list[int]], header: Any, left_out: list[str]
) -> Iterator[_Found]:
    """Yield the blocks of format 1: each is the first to come that is needed, or has its length; name the others."""
    to_come = [kind for kind in KINDS if not kind.flag or header[kind.flag] > 0]
    last = "HEAD"
    while records.left():
        for kind in to_come:
            lengths = _lengths(kind, rows[kind])
            if (kind in NEEDED and sum(rows[kind]) > 0) or records.fits(f"behind {last}", lengths):
                yield _Found(kind, *records.skip(kind.name, lengths), rows[kind])
                to_come = to_come[to_come.index(kind) + 1 :]
                last = kind.name
                break
        else:
            _, length = records.skip(f"behind {last}")
            left_out.append(f"a block of {length} bytes behind {last}")


def _add_datasets(groups: dict[str, Group], path: Path, order: ByteOrder, block: _Found) -> None:
    """Add a block's rows of each type to the groups."""
    kind, rows = block.kind, block.rows
    width = block.length // (sum(rows) * kind.components)
    numbers = np.dtype(f"{order}{'u' if kind.field == 'id' else 'f'}{width}")
    begin = block.begin
    for number, size in enumerate(rows):
        if size > 0:
            shape = (size,) if kind.components == 1 else (size, kind.components)
            groups[f"PartType{number}"][DATASETS[kind.field]] = Block(path, begin, numbers, shape)
        begin += size * kind.components * width

"""Reading Gadget's binary files: the same particles as from our HDF5, and a sentence for whatever is wrong."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st

import trellis as tr
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot
from trellis.units import GADGET

pytestmark = pytest.mark.filterwarnings("ignore:.*does not name its units")  # the format has none

FIELDS = {"POS": "position", "VEL": "velocity", "ID": "id", "MASS": "mass", "U": "internal_energy", "RHO": "density"}
FIELDS |= {"HSML": "smoothing_length", "POT": "potential", "ACCE": "acceleration"}
GAS_BLOCKS = ("U", "RHO", "NE", "NH", "HSML", "SFR")
INITIAL = ("POS", "VEL", "ID", "MASS", "U")
ALL = ("POS", "VEL", "ID", "MASS", "U", "RHO", "HSML", "POT", "ACCE")


@dataclass
class Writer:
    """A small writer of binary files, of all variants."""

    named: bool = False  # format 2
    order: str = "<"
    width: int = 4  # of a real number
    id_width: int = 4
    blocks: Sequence[str] = ALL
    table: Sequence[float] = (0, 0, 0, 0, 0, 0)
    header: dict[str, float] = field(default_factory=dict)
    wrap: int = 2**32  # of markers

    def record(self, name: str, content: bytes) -> bytes:
        marker = struct.pack(f"{self.order}I", len(content) % self.wrap)
        label = struct.pack(f"{self.order}I4sII", 8, f"{name:4}".encode(), len(content) + 8, 8) if self.named else b""
        return label + marker + content + marker

    def head(self, here: Sequence[int], total: Sequence[int], files: int) -> bytes:
        value = {"Time": 0.25, **self.header}.get
        whole = struct.pack(
            f"{self.order}6I6d2d2i6I2i4d2i6Ii60x",
            *here, *self.table, value("Time"), value("Redshift", 0), int(value("Flag_Sfr", 0)), 0,
            *total, int(value("Flag_Cooling", 0)), files, value("BoxSize", 0), value("Omega0", 0), 0,
            value("HubbleParam", 0), 0, 0, *(0,) * 6, 0,
        )  # fmt: skip
        return self.record("HEAD", whole)

    def column(self, name: str, particles: tr.ParticleSet) -> bytes:
        values = particles.column(FIELDS[name]) if name in FIELDS else particles.mass
        if name == "MASS":
            values = values[np.asarray(self.table)[particles.type.astype(int)] == 0]
        elif name in GAS_BLOCKS:
            values = values[particles.type == 0]
        kind = f"u{self.id_width}" if name == "ID" else f"f{self.width}"
        return values.astype(f"{self.order}{kind}").tobytes()

    def write(self, path: Path, particles: tr.ParticleSet, total: Sequence[int] | None = None, files: int = 1) -> Path:
        """Write particles whose types are in order."""
        here = np.bincount(particles.type.astype(int), minlength=6).tolist()
        columns = {name: self.column(name, particles) for name in self.blocks}
        records = [self.record(name, column) for name, column in columns.items() if column]
        path.write_bytes(self.head(here, total or here, files) + b"".join(records))
        return path


def some(sizes: Sequence[int] = (3, 4, 0, 0, 2, 0)) -> tr.ParticleSet:
    """Particles of several types, with numbers that have few digits, so that single precision has them."""
    kinds = np.repeat(np.arange(6), sizes)
    random = np.random.default_rng(1)
    particles = tr.ParticleSet(len(kinds))
    for name in ("type", "internal_energy", "density", "smoothing_length"):
        particles.add_field(name, 1, "", "")
    for name in FIELDS.values():
        column = particles.column(name)
        column[...] = random.integers(1, 1000, column.shape) / 8
        if name in ("internal_energy", "density", "smoothing_length"):
            column[kinds > 0] = 0
    particles.id = random.permutation(len(kinds)) + 100
    particles.type = kinds
    return particles


def assert_same(read: tr.ParticleSet, expected: tr.ParticleSet, names: Iterable[str]) -> None:
    for name in names:
        assert read.column(name).dtype == expected.column(name).dtype
        assert np.array_equal(read.column(name), expected.column(name)), name


@pytest.mark.parametrize(
    ("named", "order", "width", "id_width", "blocks"),
    list(product([False, True], "<>", [4, 8], [4, 8], [INITIAL, ALL])),
)
def test_every_variant_has_the_particles_of_our_hdf5(
    tmp_path: Path, named: bool, order: str, width: int, id_width: int, blocks: Sequence[str]
) -> None:
    particles = some()
    path = Writer(named, order, width, id_width, blocks).write(tmp_path / "snap", particles)
    write_snapshot(tmp_path / "snap.hdf5", particles, time=0.25, units=GADGET)
    snapshot, expected = read_snapshot(path), read_snapshot(tmp_path / "snap.hdf5")
    assert (snapshot.time, snapshot.units, snapshot.path) == (expected.time, expected.units, path)
    assert_same(snapshot.particles, expected.particles, ["type", *(FIELDS[name] for name in blocks)])
    assert ("density" in snapshot.particles.field_names) == ("RHO" in blocks)
    assert snapshot.particles.field_info("internal_energy")[0] == "length^2 / time^2"
    assert np.isinf(snapshot.particles.box).all()


@pytest.mark.parametrize("named", [False, True])
def test_masses_of_the_header(tmp_path: Path, named: bool) -> None:
    particles = some()
    writer = Writer(named, table=(0, 2.5, 0, 0, 0, 0))
    expected = particles.mass.copy()
    expected[particles.type == 1] = 2.5
    assert np.array_equal(read_snapshot(writer.write(tmp_path / "a", particles)).particles.mass, expected)
    writer.table = (7, 2.5, 0, 0, 3, 0)
    read = read_snapshot(writer.write(tmp_path / "a", particles)).particles
    assert read.mass.tolist() == [7] * 3 + [2.5] * 4 + [3] * 2
    assert np.array_equal(read.internal_energy, particles.internal_energy)


@pytest.mark.parametrize("width", [4, 8])
def test_masses_that_both_the_header_and_their_block_have(tmp_path: Path, width: int) -> None:
    """Of 3, 4 and 2 particles, one of which is in the header: in format 2, where the block has a name."""
    particles, writer = some(), Writer(named=True, width=width, blocks=("POS", "VEL", "ID"), table=(0, 2.5, 0, 0, 0, 0))
    particles.mass[particles.type == 1] = 2.5
    path = writer.write(tmp_path / "a", particles)
    path.write_bytes(path.read_bytes() + writer.record("MASS", particles.mass.astype(f"<f{width}").tobytes()))
    assert np.array_equal(read_snapshot(path).particles.mass, particles.mass)
    particles.mass[3] = 2.75
    path = writer.write(tmp_path / "a", particles)
    path.write_bytes(path.read_bytes() + writer.record("MASS", particles.mass.astype(f"<f{width}").tobytes()))
    with pytest.raises(InputError, match=r"PartType1/Masses has the mass 2\.75, but the header's MassTable has 2\.5"):
        read_snapshot(path)


def test_masses_in_double_precision_are_not_taken_for_those_of_twice_as_many(tmp_path: Path) -> None:
    particles = some((0, 4, 0, 0, 4, 0))
    particles.mass[:4] = 2.5
    path = Writer(named=True, width=8, table=(0, 2.5, 0, 0, 0, 0)).write(tmp_path / "a", particles)
    assert np.array_equal(read_snapshot(path).particles.mass, particles.mass)


def test_blocks_that_flags_bring_are_passed_over(tmp_path: Path) -> None:
    particles = some()
    blocks = ("POS", "VEL", "ID", "MASS", "U", "RHO", "NE", "NH", "HSML", "SFR", "POT")
    writer = Writer(blocks=blocks, header={"Flag_Cooling": 1, "Flag_Sfr": 1})
    read = read_snapshot(writer.write(tmp_path / "a", particles)).particles
    assert_same(read, particles, ["smoothing_length", "potential"])
    for writer in (Writer(), Writer(named=True)):
        path = writer.write(tmp_path / "a", particles)
        path.write_bytes(path.read_bytes() + writer.record("XYZ", b"12345"))
        assert_same(read_snapshot(path).particles, particles, FIELDS.values())


def test_the_box_is_that_of_the_header(tmp_path: Path) -> None:
    path = Writer(header={"BoxSize": 200}).write(tmp_path / "a", some())
    assert read_snapshot(path).particles.box.tolist() == [[0, 0, 0], [200, 200, 200]]


@pytest.mark.parametrize("given_path", ["snap.0", "snap.2", "snap"])
@pytest.mark.parametrize("writer", [Writer(), Writer(named=True, order=">", width=8)])
def test_several_files(tmp_path: Path, writer: Writer, given_path: str) -> None:
    sizes = [(2, 2, 0, 0, 1, 0), (0, 3, 2, 0, 0, 0), (1, 0, 0, 0, 0, 0)]
    parts = [some(each) for each in sizes]
    for k, part in enumerate(parts):
        part.id += np.uint64(1000 * k)
        writer.write(tmp_path / f"snap.{k}", part, np.sum(sizes, axis=0).tolist(), files=3)
    read = read_snapshot(tmp_path / given_path).particles
    assert read.type.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 4]
    for name in FIELDS.values():
        column = np.concatenate([part.column(name)[part.type == kind] for kind in range(6) for part in parts])
        assert np.array_equal(read.column(name), column), name
    (tmp_path / "snap.1").unlink()
    with pytest.raises(InputError, match=r"is one of 3 files, but there is no file '.*snap.1'"):
        read_snapshot(tmp_path / "snap.0")


def test_a_common_name_with_a_dot(tmp_path: Path) -> None:
    particles = some()
    for k in range(2):
        particles.id += np.uint64(1000 * k)
        Writer().write(tmp_path / f"snap_z0.5.{k}", particles, (6, 8, 0, 0, 4, 0), files=2)
    assert len(read_snapshot(tmp_path / "snap_z0.5").particles) == 2 * len(particles)


def test_the_content_counts_and_not_the_name(tmp_path: Path) -> None:
    particles = some()
    assert_same(read_snapshot(Writer().write(tmp_path / "a.hdf5", particles)).particles, particles, ["position"])
    write_snapshot(tmp_path / "a.hdf5", particles)
    (tmp_path / "a.hdf5").rename(tmp_path / "snap_000")
    assert_same(read_snapshot(tmp_path / "snap_000").particles, particles, ["position"])


def test_blocks_longer_than_a_marker_can_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trellis.io.gadget_records.WRAP", 512)  # for 2^32
    particles = some((30, 20, 0, 0, 0, 0))
    read = read_snapshot(Writer(wrap=512).write(tmp_path / "a", particles)).particles
    assert_same(read, particles, FIELDS.values())


@dataclass
class Place:
    """Where a block's content begins, and how long it is."""

    begin: int
    length: int


def places(path: Path, named: bool) -> list[Place]:
    content, found, begin = path.read_bytes(), [], 0
    while begin < len(content):
        begin += 16 if named else 0
        (length,) = struct.unpack("<I", content[begin : begin + 4])
        found.append(Place(begin + 4, length))
        begin += 8 + length
    return found


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("ends in the header", r"is truncated: its block HEAD reaches to byte \d+, but the file has \d+"),
        ("ends in a block", r"is truncated: its block VEL reaches to byte \d+, but the file has \d+"),
        ("ends before a block", "is truncated: it has no block ID"),
        ("ends before masses", "is truncated: it has no block MASS"),
        ("ends before a marker", r"is truncated: its block ID reaches to byte"),
        ("marker behind", r"is damaged: the markers of its block VEL disagree: 108 bytes before it, 107 behind it"),
        ("marker of header", r"is damaged: the markers of its block HEAD disagree: 256 bytes before it, 5 behind it"),
        ("marker before", r"is damaged: its block MASS has 35 bytes, but by the header must have 36 or 72"),
        ("count", r"is damaged: its block POS has 108 bytes, but by the header must have 120 or 240"),
        ("total", "has 9 particles in all its files, but its header says 10"),
        ("nan", r"column 'velocity' of the particle with id \d+ is nan, but every run reads it: give it a finite"),
        ("infinite", r"column 'mass' of the particle with id \d+ \(and of 1 more\) is inf, but every run"),
    ],
)
def test_broken_files_are_answered_with_a_sentence(tmp_path: Path, named: bool, how: str, sentence: str) -> None:
    particles = some()
    if how == "nan":
        particles.velocity[4, 1] = np.nan
    if how == "infinite":
        particles.mass[[3, 4]] = np.inf
    path = Writer(named).write(tmp_path / "a", particles)
    head, _, velocity, identity, mass, *_ = places(path, named)
    content = bytearray(path.read_bytes())
    ends = {"in the header": 100, "in a block": velocity.begin + 50, "before a block": velocity.begin + 112}
    ends |= {"before a marker": identity.begin + 36, "before masses": identity.begin + 40}
    if how.startswith("ends "):
        del content[ends[how[5:]] :]
    markers = {"marker behind": (velocity.begin + 108, 107), "marker of header": (head.begin + 256, 5)}
    markers |= {"marker before": (mass.begin - 4, 35), "count": (head.begin + 4, 5), "total": (head.begin + 96 + 4, 5)}
    if how in markers:
        begin, value = markers[how]
        content[begin : begin + 4] = struct.pack("<I", value)
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as error:
        read_snapshot(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x08\0\0\0", b"\x08\0\0\0POS \x08\0\0\0", b"\0" * 300])
def test_files_that_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(
        InputError, match=r"a' is no snapshot: neither an HDF5 file nor a binary one of Gadget's format"
    ):
        read_snapshot(tmp_path / "a")


@settings(max_examples=100, deadline=None)
@given(data=st.data(), named=st.booleans())
def test_damage_anywhere_is_a_sentence_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, named: bool
) -> None:
    path = Writer(named).write(tmp_path_factory.mktemp("damaged") / "a", some())
    content = bytearray(path.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    for k in range(start, min(start + 16, len(content))):
        content[k] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.just(len(content)) | st.integers(0, len(content)))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_snapshot(path)
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017


def test_a_run_starts_from_one_and_plots_draw_it(tmp_path: Path, trellis: Command) -> None:
    halo = tr.ic.plummer(200, seed=1)
    halo.add_field("type", 1, "", "")
    halo.type = 1
    Writer(blocks=INITIAL[:4], header={"Time": 0.5}).write(tmp_path / "ics", halo)
    (tmp_path / "run.toml").write_text(
        'initial_conditions = "ics"\n[gravity]\nG = 1.0\nsoftening = 0.1\n'
        f'[run]\nuntil = 0.51\ntimestep = 0.01\noutput = "{tmp_path / "out"}"\nsnapshot_every = 0.01\n'
    )
    done = trellis("run", tmp_path / "run.toml")
    assert done.returncode == 0, done.stderr
    first = read_snapshot(tmp_path / "out" / "snapshot_0000.hdf5")
    assert first.time == 0.5
    order = np.argsort(first.particles.id)
    assert np.array_equal(first.particles.position[order], halo.position.astype(np.float32))
    done = trellis("plot", tmp_path / "ics", "-o", tmp_path / "a.png")
    assert done.returncode == 0, done.stderr
    content = (tmp_path / "ics").read_bytes()
    (tmp_path / "ics").write_bytes(content[:1000])
    done = trellis("run", tmp_path / "run.toml", "--overwrite")
    assert done.returncode == 2
    assert "is truncated: its block POS reaches to byte 2672, but the file has 1000" in done.stderr


def test_each_rank_reads_its_share(tmp_path: Path, mpirun: Command) -> None:
    particles = some((4, 5, 0, 0, 2, 0))
    Writer(named=True, order=">").write(tmp_path / "snap", particles)
    (tmp_path / "program.py").write_text(
        "import sys, trellis as tr\n"
        "read = tr.io.read_snapshot(sys.argv[1]).particles\n"
        "ids = tr.world.gather((read.id.tolist(), read.internal_energy.tolist()))\n"
        "if tr.rank() == 0:\n    print(ids)\n"
    )
    done = mpirun(3, tmp_path / "program.py", tmp_path / "snap")
    assert done.returncode == 0, done.stderr
    read: list[tuple[list[int], list[float]]] = eval(done.stdout)
    assert [len(ids) for ids, _ in read] == [3, 4, 4]
    assert [each for ids, _ in read for each in ids] == particles.id.tolist()
    assert [each for _, energies in read for each in energies] == particles.internal_energy.tolist()

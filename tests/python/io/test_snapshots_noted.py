"""Snapshots that are damaged, refused or read with a note."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import FlipBit, FoundOn
from test_snapshots import foreign

import trellis as tr
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot


def test_a_bit_that_has_changed_is_found_in_its_column(tmp_path: Path, flip_bit: FlipBit) -> None:
    path = tmp_path / "a.hdf5"
    particles = tr.ic.sphere(40_000)
    write_snapshot(path, particles)
    assert np.array_equal(read_snapshot(path).particles.velocity, particles.velocity)
    flip_bit(path, "PartType1/Velocities")
    with pytest.raises(InputError, match=r"^'.*a.hdf5' is damaged: the checksum of 'PartType1/Velocities' is wrong$"):
        read_snapshot(path)


@pytest.mark.parametrize("name", ["Velocities", "ParticleIDs", "Masses", "Coordinates", "PartType1", "Time"])
def test_a_bit_that_has_changed_in_a_name_is_found(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.hdf5"
    write_snapshot(path, tr.ic.sphere(500))
    content = path.read_bytes()
    places = [k for k in range(len(content)) if content.startswith(name.encode(), k)]
    assert len(places) > 0
    for place in places:
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        if name == "Time" and content[place + 4 :].startswith(b"_GYR"):
            continue  # which is for others
        with pytest.raises(InputError, match=r"^'.*a.hdf5' is damaged: it has no (column|attribute) '"):
            read_snapshot(path)


def replaced(path: Path, name: str, values: object) -> Path:
    with h5py.File(path, "r+") as file:
        del file["PartType1"][name]
        file["PartType1"][name] = values
    return path


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("Coordinates", [["a", "b", "c"]] * 5, "PartType1/Coordinates is text, but must be numbers"),
        ("Masses", np.array([True] * 5), "PartType1/Masses is of the type bool, but must be numbers"),
        ("ParticleIDs", np.array([3, 4, -7, -1, 0]), "PartType1/ParticleIDs has the id -7: allowed is at least 0"),
        ("ParticleIDs", np.ones(5), "PartType1/ParticleIDs is of the type float64, but must be whole numbers"),
    ],
)
def test_columns_that_are_refused(tmp_path: Path, name: str, values: object, sentence: str) -> None:
    path = replaced(foreign(tmp_path / "a.hdf5"), name, values)
    with pytest.raises(InputError) as error:
        read_snapshot(path)
    assert str(error.value) == f"'{path}': {sentence}"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("Time", "now", "'Time' is 'now', but must be a finite number"),
        ("Time", np.nan, "'Time' is nan, but must be a finite number"),
        ("Omega0", "much", "'Omega0' is 'much', but must be a finite number"),
        ("NumFilesPerSnapshot", "all", "'NumFilesPerSnapshot' is 'all', but must be a finite number"),
        ("NumPart_Total", ["many"] * 6, "'NumPart_Total' is ['many', 'many', "),
    ],
)
def test_headers_that_are_refused(tmp_path: Path, name: str, value: object, sentence: str) -> None:
    path = foreign(tmp_path / "a.hdf5", header={name: value})
    with pytest.raises(InputError) as error:
        read_snapshot(path)
    assert str(error.value).startswith(f"'{path}': {sentence}")


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read '.*': file name too long"):
        read_snapshot(tmp_path / ("x" * 300))
    with pytest.raises(InputError, match=r"cannot write '.*': file name too long"):
        write_snapshot(tmp_path / ("x" * 300), tr.ic.sphere(3))


def test_ids_that_particles_share_are_refused(tmp_path: Path) -> None:
    path = replaced(foreign(tmp_path / "a.hdf5"), "ParticleIDs", np.array([9, 3, 8, 9, 8]))
    with pytest.raises(InputError, match=r"a.hdf5' has the id 8 twice, but each particle has an id of its own: "):
        read_snapshot(path)


SHARED = """
try:
    tr.io.read_snapshot({path!r})
    found = []
except ValueError as error:
    found = [str(error).partition(" has the ")[2].partition(",")[0]]
"""


@pytest.mark.parametrize(("ids", "refused"), [([0, 7, 2, 3, 4, 5, 6, 1, 8, 7], ["id 7 twice"]), (range(10), [])])
def test_ids_that_particles_of_several_ranks_share(
    tmp_path: Path, found_on: FoundOn, ids: Sequence[int], refused: list[str]
) -> None:
    particles = tr.ic.sphere(10)
    particles.column("id")[...] = ids
    write_snapshot(tmp_path / "a.hdf5", particles)
    assert found_on(3, SHARED.format(path=str(tmp_path / "a.hdf5"))) == refused


def test_columns_that_are_left_out_are_noted(tmp_path: Path) -> None:
    path = foreign(tmp_path / "a.hdf5", (2, 3, 0, 0, 0, 0))
    with h5py.File(path, "r+") as file:
        file["PartType0/Metallicity"], file["PartType1/Age"] = np.ones(2), np.ones(3)
    with pytest.warns(UserWarning, match=r"a.hdf5' has columns that .* leaves out: Age, Metallicity$"):
        read_snapshot(path)

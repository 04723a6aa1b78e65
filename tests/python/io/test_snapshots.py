"""Reading and writing Gadget-style HDF5 files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import trellis as tr
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot
from trellis.units import GADGET, NBODY

pytestmark = pytest.mark.filterwarnings("ignore:.*does not name its units")


def foreign(
    path: Path,
    sizes: Sequence[int] = (0, 5, 0, 0, 0, 0),
    header: dict[str, object] | None = None,
    without: Sequence[str] = (),
    parameters: dict[str, object] | None = None,
    first_id: int = 0,
) -> Path:
    """Write a file as another code might: float32, 32-bit ids, what the header has is up to it."""
    with h5py.File(path, "w") as file:
        file.create_group("Header").attrs.update(
            {"NumPart_ThisFile": np.array(sizes, np.int32), "Time": 0.25, **(header or {})}
        )
        if parameters is not None:
            file.create_group("Parameters").attrs.update(parameters)
        for kind, size in enumerate(sizes):
            if size == 0:
                continue
            rows = np.arange(size, dtype=np.float32)
            columns = {
                "Coordinates": np.stack([rows + 10 * kind, rows, rows], axis=1),
                "Velocities": np.stack([rows, -rows, rows + kind], axis=1),
                "Masses": np.full(size, 1.5 + kind, np.float32),
                "ParticleIDs": np.arange(100 * kind, 100 * kind + size, dtype=np.uint32) + np.uint32(first_id),
                "SmoothingLength": rows,
            }
            for name, values in columns.items():
                if name not in without:
                    file[f"PartType{kind}/{name}"] = values
    return path


def test_a_halo_made_by_others(halo: Path) -> None:
    snapshot = read_snapshot(halo)
    particles = snapshot.particles
    assert len(particles) == 32768
    assert particles.position.dtype == np.float64
    assert snapshot.time == 0.0
    assert snapshot.units == GADGET
    assert pytest.approx(43007.1, rel=1e-5) == snapshot.units.G
    with h5py.File(halo) as file:
        assert np.array_equal(particles.position, file["PartType1/Coordinates"][:].astype(float))
        assert np.array_equal(particles.velocity, file["PartType1/Velocities"][:].astype(float))
        assert np.array_equal(particles.mass, file["PartType1/Masses"][:].astype(float))
        assert np.array_equal(particles.id, file["PartType1/ParticleIDs"][:])
    assert set(particles.type) == {1.0}


def test_single_precision_and_other_codes_columns(tmp_path: Path) -> None:
    particles = read_snapshot(foreign(tmp_path / "a.hdf5")).particles
    assert particles.position[3].tolist() == [13.0, 3.0, 3.0]
    assert particles.id.tolist() == [100, 101, 102, 103, 104]
    assert "SmoothingLength" not in particles.field_names


def test_several_types_masses_from_table_or_dataset(tmp_path: Path) -> None:
    header = {"MassTable": [0.0, 0.0, 7.0, 0.0, 0.0, 0.0]}
    path = foreign(tmp_path / "a.hdf5", (2, 3, 4, 0, 0, 0), header)
    with h5py.File(path, "r+") as file:
        del file["PartType2/Masses"]
    particles = read_snapshot(path).particles
    assert particles.type.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 2]
    assert particles.mass.tolist() == [1.5, 1.5, 2.5, 2.5, 2.5, 7, 7, 7, 7]


def test_missing_velocities_ids_and_header(tmp_path: Path) -> None:
    path = foreign(tmp_path / "a.hdf5", without=("Velocities", "ParticleIDs"))
    with h5py.File(path, "r+") as file:
        del file["Header"]
    snapshot = read_snapshot(path)
    assert not snapshot.particles.velocity.any()
    assert snapshot.particles.id.tolist() == [0, 1, 2, 3, 4]
    assert snapshot.time == 0.0


@pytest.mark.parametrize("given_path", ["snap.0.hdf5", "snap.2.hdf5", "snap.hdf5"])
def test_several_files(tmp_path: Path, given_path: str) -> None:
    header = {"NumFilesPerSnapshot": 3, "NumPart_Total": np.array([0, 9, 2, 0, 0, 0], np.uint32)}
    for k, sizes in enumerate([(0, 2, 0, 0, 0, 0), (0, 3, 2, 0, 0, 0), (0, 4, 0, 0, 0, 0)]):
        foreign(tmp_path / f"snap.{k}.hdf5", sizes, header, first_id=1000 * k)
    particles = read_snapshot(tmp_path / given_path).particles
    assert particles.position[:, 1].tolist() == [0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1]
    assert particles.type.tolist() == [1] * 9 + [2] * 2


@pytest.mark.parametrize(
    ("attribute", "value", "shown"),
    [("Time", 0.5, "0.5"), ("BoxSize", [3.0, 2.0, 2.0], "[3.0, 2.0, 2.0]"), ("HubbleParam", 0.6, "0.6")],
)
def test_files_of_different_snapshots_are_refused(tmp_path: Path, attribute: str, value: object, shown: str) -> None:
    header = {"NumFilesPerSnapshot": 2, "BoxSize": [2.0, 2.0, 2.0], "HubbleParam": 0.7}
    foreign(tmp_path / "snap.0.hdf5", header=header)
    foreign(tmp_path / "snap.1.hdf5", header=header, first_id=1000)
    assert len(read_snapshot(tmp_path / "snap.hdf5").particles) == 10
    foreign(tmp_path / "snap.1.hdf5", header=header | {attribute: value}, first_id=1000)
    sentence = rf"snap.1.hdf5' is of another snapshot than '.*snap.0.hdf5': '{attribute}' is {re.escape(shown)} in it"
    with pytest.raises(InputError, match=sentence):
        read_snapshot(tmp_path / "snap.hdf5")


@pytest.mark.parametrize(
    ("group", "units"),
    [
        ("Parameters", {"UnitLength_in_cm": 3.0, "UnitMass_in_g": 2.0, "UnitVelocity_in_cm_per_s": 5.0}),
        ("Header", {"UnitLength_in_cm": 3.0, "UnitMass_in_g": 2.0, "UnitVelocity_in_cm_per_s": 5.0}),
        ("Units", {"UnitLength_in_cm": 3.0, "UnitMass_in_g": 2.0, "UnitVelocity_in_cm_per_s": 5.0}),
        (
            "Units",
            {
                "Unit length in cgs (U_L)": [3.0],
                "Unit mass in cgs (U_M)": [2.0],
                "Unit time in cgs (U_t)": [0.6],
            },
        ),
    ],
)
def test_units_of_four_codes(tmp_path: Path, group: str, units: dict[str, object]) -> None:
    path = foreign(tmp_path / "a.hdf5")
    with h5py.File(path, "r+") as file:
        file.require_group(group).attrs.update(units)
    assert pytest.approx(6.672e-8 * 2.0 / (3.0 * 5.0**2)) == read_snapshot(path).units.G


def test_a_constant_that_is_laid_down(tmp_path: Path) -> None:
    units = {"UnitLength_in_cm": 3.0, "UnitMass_in_g": 2.0, "UnitVelocity_in_cm_per_s": 5.0}
    path = foreign(tmp_path / "a.hdf5", parameters={**units, "GravityConstantInternal": 39.5})
    assert read_snapshot(path).units.G == 39.5


def test_a_cosmological_file_is_noted(tmp_path: Path) -> None:
    path = foreign(tmp_path / "a.hdf5", header={"Omega0": 0.3, "HubbleParam": 0.7, "Redshift": 3.0})
    with pytest.warns(UserWarning, match=r"a.hdf5' is cosmological .* as they are"):
        read_snapshot(path, expanding=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*does not name its units")
        read_snapshot(foreign(tmp_path / "b.hdf5", header={"Omega0": 0.0, "HubbleParam": 0.0}))
        read_snapshot(foreign(tmp_path / "c.hdf5", header={"Omega0": 0.3, "HubbleParam": 0.7, "Redshift": 0.0}))


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ({"Omega0": 0.3, "Redshift": 3.0}, "has the redshift 3, but no HubbleParam: space will not expand"),
        ({"Omega0": 0.3, "HubbleParam": 0.7}, "has Omega0 = 0.3, but no redshift beside its time 0.25: space will not"),
    ],
)
def test_half_a_cosmology_is_noted(tmp_path: Path, header: dict[str, object], sentence: str) -> None:
    with pytest.warns(UserWarning, match=rf"a.hdf5' {sentence}"):
        assert read_snapshot(foreign(tmp_path / "a.hdf5", header=header)).cosmology is None


@pytest.mark.parametrize(
    ("size", "box"),
    [
        (50.0, [[0, 0, 0], [50, 50, 50]]),
        (np.array([50.0]), [[0, 0, 0], [50, 50, 50]]),
        ([50.0, 25.0, 10.0], [[0, 0, 0], [50, 25, 10]]),
        (0.0, [[-np.inf] * 3, [np.inf] * 3]),
        ([50.0, 25.0, 0.0], [[-np.inf] * 3, [np.inf] * 3]),
    ],
)
def test_a_box_of_others(tmp_path: Path, size: object, box: list[list[float]]) -> None:
    assert read_snapshot(foreign(tmp_path / "a.hdf5", header={"BoxSize": size})).particles.box.tolist() == box


def test_a_box_that_bounds_nothing(tmp_path: Path) -> None:
    path = foreign(tmp_path / "a.hdf5", header={"BoxSize": np.inf})
    with pytest.raises(InputError, match=r"a.hdf5': along x the region goes from 0 to inf"):
        read_snapshot(path)
    with pytest.raises(InputError, match=r"b.hdf5': box has the shape \(4,\), but must be a side, three sides, or low"):
        read_snapshot(foreign(tmp_path / "b.hdf5", header={"Box": np.ones(4)}))


@pytest.mark.parametrize(
    ("box", "size"),
    [
        ([[0, 0, 0], [2, 2, 2]], 2.0),
        ([[0, 0, 0], [2, 2, 1]], 0.0),
        ([[-1, -1, -1], [1, 1, 1]], 0.0),
        ([[0, 0, -np.inf], [2, 2, np.inf]], 0.0),
        ([[-np.inf] * 3, [np.inf] * 3], 0.0),
    ],
)
def test_a_box_comes_back_with_all_particles_in_it(tmp_path: Path, box: list[list[float]], size: float) -> None:
    particles = tr.ic.plummer(50)
    particles.box = box
    before = particles.position.copy()
    write_snapshot(tmp_path / "a.hdf5", particles)
    assert np.array_equal(particles.position, before)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["Header"].attrs["BoxSize"] == size
    read = read_snapshot(tmp_path / "a.hdf5").particles
    assert read.box.tolist() == box
    assert np.array_equal(read.position, particles.wrapped_position())
    low, high = read.box
    assert ((low <= read.position) & (read.position < high)).all()


@settings(max_examples=25, deadline=None)
@given(data=st.data(), size=st.integers(1, 20))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, size: int) -> None:
    finite = st.floats(allow_nan=False, allow_infinity=False)
    particles = tr.ParticleSet(size)
    particles.add_field("charge", 1, "e", "electric charge")
    particles.add_field("spin", 3, "", "spin")
    for name in particles.field_names:
        elements = st.integers(0, 2**64 - 1) if name == "id" else finite
        column = particles.column(name)
        column[...] = data.draw(hnp.arrays(column.dtype, column.shape, elements=elements, unique=name == "id"))
    path = tmp_path_factory.mktemp("snapshots") / "a.hdf5"
    write_snapshot(path, particles, time=1.25, units=GADGET)
    read = read_snapshot(path)
    assert (read.time, read.units) == (1.25, GADGET)
    for name in particles.field_names:
        assert np.array_equal(read.particles.column(name), particles.column(name)), name
        assert read.particles.field_info(name) == particles.field_info(name)


def test_types_survive(tmp_path: Path) -> None:
    path = foreign(tmp_path / "a.hdf5", (2, 3, 0, 0, 1, 0))
    particles = read_snapshot(path).particles
    write_snapshot(tmp_path / "b.hdf5", particles)
    with h5py.File(tmp_path / "b.hdf5") as file:
        assert file["Header"].attrs["NumPart_ThisFile"].tolist() == [2, 3, 0, 0, 1, 0]
        assert set(file) == {"Header", "Parameters", "PartType0", "PartType1", "PartType4"}
    again = read_snapshot(tmp_path / "b.hdf5").particles
    assert np.array_equal(again.type, particles.type)
    assert np.array_equal(again.id, particles.id)
    particles.type[2] = 6
    with pytest.raises(InputError, match="column 'type' is 6 at index 2, but must be one of 0, 1"):
        write_snapshot(tmp_path / "c.hdf5", particles)


def test_gas_is_read_as_gadget_has_it(tmp_path: Path) -> None:
    path = foreign(tmp_path / "a.hdf5", (3, 2, 0, 0, 0, 0))
    with h5py.File(path, "r+") as file:
        file["PartType0/InternalEnergy"] = np.array([1.0, 2.0, 3.0], np.float32)
    particles = read_snapshot(path).particles
    assert particles.internal_energy.tolist() == [1, 2, 3, 0, 0]
    assert particles.smoothing_length.tolist() == [0, 1, 2, 0, 1]
    assert "density" not in particles.field_names


def test_gas_is_written_as_gadget_has_it(tmp_path: Path) -> None:
    gas = tr.ic.evrard(10)
    gas.add_field("density", 1, "kg / l", "weighed")
    write_snapshot(tmp_path / "a.hdf5", gas)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert {"InternalEnergy", "SmoothingLength", "Density"} < set(file["PartType0"])
    again = read_snapshot(tmp_path / "a.hdf5").particles
    for name in ("internal_energy", "smoothing_length", "density"):
        assert np.array_equal(again.column(name), gas.column(name))
        assert again.field_info(name) == gas.field_info(name)


def test_nbody_units_are_known_again(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.sphere(10))
    assert read_snapshot(tmp_path / "a.hdf5").units == NBODY
    assert NBODY.G == 1.0


def test_the_layout_that_other_programs_expect(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(10), time=2.0, columns=["velocity"])
    with h5py.File(tmp_path / "a.hdf5") as file:
        header = dict(file["Header"].attrs)
        assert header["NumPart_Total"].tolist() == [0, 10, 0, 0, 0, 0]
        assert header["NumPart_Total_HighWord"].tolist() == [0] * 6
        assert header["NumFilesPerSnapshot"] == 1
        assert header["Time"] == 2.0
        assert set(file["PartType1"]) == {"Coordinates", "Velocities", "Masses", "ParticleIDs"}
        assert file["PartType1/Coordinates"].attrs["unit"] == "length"


def broken(path: Path, how: str) -> None:
    if how == "truncated":
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        return
    with h5py.File(path, "r+") as file:
        group = file["PartType1"]
        if how == "no coordinates":
            del group["Coordinates"]
        elif how == "short":
            del group["Masses"]
            group["Masses"] = np.ones(4)
        elif how == "flat":
            del group["Velocities"]
            group["Velocities"] = np.ones(15)
        elif how == "no masses":
            del group["Masses"]
        elif how == "nan":
            group["Velocities"][3, 1] = np.nan
        elif how == "group":
            group.create_group("Charge").attrs["meaning"] = "none"
        elif how == "count":
            file["Header"].attrs["NumPart_ThisFile"] = [0, 6, 0, 0, 0, 0]
        elif how == "total":
            file["Header"].attrs["NumPart_Total"] = [0, 6, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("truncated", "is truncated: its end is missing"),
        ("no coordinates", "has coordinates of 0 particles of type 1, but its header says 5"),
        ("short", r"PartType1/Masses has the shape \(4,\), but must have \(5,\)"),
        ("flat", r"PartType1/Velocities has the shape \(15,\), but must have \(5, 3\)"),
        ("no masses", "has neither PartType1/Masses nor a mass of type 1 in MassTable"),
        ("nan", "column 'velocity' of the particle with id 103 is nan, but every run reads it"),
        ("group", "is damaged: 'Group' object has no attribute 'shape'"),
        ("count", "has coordinates of 5 particles of type 1, but its header says 6"),
        ("total", "has 5 particles in all its files, but its header says 6"),
    ],
)
def test_broken_files_are_answered_with_a_sentence(tmp_path: Path, how: str, sentence: str) -> None:
    path = foreign(tmp_path / "a.hdf5")
    broken(path, how)
    with pytest.raises(InputError, match=sentence) as error:
        read_snapshot(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file '.*nowhere.hdf5'"):
        read_snapshot(tmp_path / "nowhere.hdf5")
    with pytest.raises(InputError, match="is a folder, but must be an HDF5 file"):
        read_snapshot(tmp_path)
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(InputError, match="is no snapshot: neither an HDF5 file nor a binary one"):
        read_snapshot(tmp_path / "a.txt")
    h5py.File(tmp_path / "empty.hdf5", "w").close()
    with pytest.raises(InputError, match="has no particles"):
        read_snapshot(tmp_path / "empty.hdf5")
    foreign(tmp_path / "snap.0.hdf5", header={"NumFilesPerSnapshot": 2})
    with pytest.raises(InputError, match=r"is one of 2 files, but there is no file '.*snap.1.hdf5'"):
        read_snapshot(tmp_path / "snap.0.hdf5")
    foreign(tmp_path / "snap.hdf5", header={"NumFilesPerSnapshot": 2})
    with pytest.raises(InputError, match="is one of 2 files, but is not named like one"):
        read_snapshot(tmp_path / "snap.hdf5")


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damage_anywhere_is_a_sentence_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = foreign(tmp_path_factory.mktemp("damaged") / "a.hdf5")
    content = bytearray(path.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    for k in range(start, min(start + 16, len(content))):
        content[k] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_snapshot(path)
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017


def test_a_snapshot_of_no_particles_is_read_again(tmp_path: Path) -> None:
    none = tr.ParticleSet(0)
    none.box = [[0.0, 0, 0], [2.0, 2, 2]]
    tr.io.write_snapshot(tmp_path / "none.hdf5", none, time=0.5)
    snapshot = tr.io.read_snapshot(tmp_path / "none.hdf5")
    assert (len(snapshot.particles), snapshot.time) == (0, 0.5)
    np.testing.assert_array_equal(snapshot.particles.box, none.box)

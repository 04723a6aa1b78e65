"""Snapshots between codes: values that no run reads, which files are cosmological, and what others know of ours."""

from __future__ import annotations

import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command

import trellis as tr
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot
from trellis.io.gadget_layout import CONSTANT, LENGTH, MASS, VELOCITY
from trellis.units import GADGET

NAN = np.float32(np.nan)
UNITS = {f"Parameters/{name}": 1.0 for name in (LENGTH, MASS, VELOCITY, CONSTANT)}


def gas(path: Path, columns: dict[str, object] | None = None, attributes: dict[str, object] | None = None) -> Path:
    """Write four particles of gas like another code, in single precision, and attributes of Header and Parameters."""
    rows = np.arange(4, dtype=np.float32)
    usual = {
        "Coordinates": np.stack([rows, rows % 2, -rows], axis=1),
        "Velocities": np.zeros((4, 3), np.float32),
        "Masses": np.ones(4, np.float32),
        "ParticleIDs": np.arange(11, 15, dtype=np.uint32),
    }
    with h5py.File(path, "w") as file:
        for name, value in {"Header/Time": 1.0, **UNITS, **(attributes or {})}.items():
            group, _, attribute = name.partition("/")
            file.require_group(group).attrs[attribute] = value
        for name, column in {**usual, **(columns or {})}.items():
            file[f"PartType0/{name}"] = column
    return path


def start_file(folder: Path, forces: str) -> Path:
    path = folder / "run.toml"
    path.write_text(
        f'initial_conditions = "a.hdf5"\n{forces}\n[run]\nuntil = 1.02\ntimestep = 0.01\n'
        f'output = "{folder / "out"}"\nsnapshot_every = 0.01\n'
    )
    return path


def test_values_that_no_run_reads_are_kept_and_stop_no_run(tmp_path: Path, trellis: Command) -> None:
    background = np.array([1, NAN, 2, NAN], np.float32)
    path = gas(tmp_path / "a.hdf5", {"Density": background, "Masses": np.array([1, 0, 1, 0], np.float32)})
    assert np.array_equal(read_snapshot(path).particles.density, background, equal_nan=True)
    done = trellis("run", start_file(tmp_path, "[gravity]\nsoftening = 0.2"))
    assert (done.returncode, done.stderr.count("note:")) == (0, 0), done.stderr
    last = read_snapshot(tmp_path / "out" / "snapshot_0002.hdf5").particles
    assert np.array_equal(last[[11, 12, 13, 14]].density, background, equal_nan=True)
    assert np.isfinite(last.position).all()


@pytest.mark.parametrize("forces", ["[gravity]\nsoftening = 0.1", "[sph]\nneighbours = 30"])
def test_smoothing_lengths_are_searched_for_where_a_file_has_none(
    tmp_path: Path, trellis: Command, forces: str
) -> None:
    cloud = tr.ic.evrard(200)
    columns = {"Coordinates": cloud.position, "Velocities": cloud.velocity, "Masses": cloud.mass}
    columns |= {"InternalEnergy": cloud.internal_energy, "ParticleIDs": np.arange(11, 11 + len(cloud))}
    columns |= {"SmoothingLength": np.full(len(cloud), NAN), "Density": np.full(len(cloud), NAN)}
    gas(tmp_path / "a.hdf5", columns)
    done = trellis("run", start_file(tmp_path, forces))
    assert done.returncode == 0, done.stderr
    sentence = f"column 'smoothing_length' of the particle with id 11 (and of {len(cloud) - 1} more) is not finite"
    assert done.stderr.count(sentence) == done.stderr.count("note:") == 1
    last = read_snapshot(tmp_path / "out" / "snapshot_0002.hdf5").particles
    assert (last.smoothing_length > 0).all() == np.isfinite(last.density).all() == ("sph" in forces)


@pytest.mark.parametrize("name", ["Coordinates", "Velocities", "Masses", "InternalEnergy"])
def test_values_that_every_run_reads_are_refused(tmp_path: Path, name: str) -> None:
    values = np.ones((4, 3) if name in ("Coordinates", "Velocities") else 4, np.float32)
    values[2] = NAN
    path = gas(tmp_path / "a.hdf5", {name: values})
    sentence = (
        r"a.hdf5': column '\w+' of the particle with id 13 is nan, but every run reads it: give it a finite value"
    )
    with pytest.raises(InputError, match=sentence):
        read_snapshot(path)
    with h5py.File(path, "r+") as file:
        del file["PartType0/ParticleIDs"]
    with pytest.raises(InputError, match="of the particle with id 2 is nan"):
        read_snapshot(path)


def test_of_several_files_the_one_with_the_value_is_named(tmp_path: Path) -> None:
    for k in range(3):
        velocities = np.zeros((4, 3), np.float32)
        velocities[3, 1] = np.inf if k == 1 else 0
        own = {"Velocities": velocities, "ParticleIDs": np.arange(11, 15) + (10, 0, 20)[k]}
        gas(tmp_path / f"a.{k}.hdf5", own, {"Header/NumFilesPerSnapshot": 3})
    with pytest.raises(InputError, match=r"a.1.hdf5': column 'velocity' of the particle with id 14 is inf"):
        read_snapshot(tmp_path / "a.hdf5")


def test_a_note_of_any_rank_is_that_of_all(tmp_path: Path, mpirun: Command) -> None:
    gas(tmp_path / "a.hdf5", {"SmoothingLength": np.array([1, 1, 1, NAN], np.float32)})
    done = mpirun(2, "-m", "trellis", "run", start_file(tmp_path, "[gravity]\nsoftening = 0.1"))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("column 'smoothing_length' of the particle with id 14 is not finite") == 1


EXPANDING = {"Header/Omega0": 0.3, "Header/HubbleParam": 0.7, "Header/Time": 0.02, "Header/Redshift": 49.0}


@pytest.mark.parametrize(
    ("attributes", "cosmological"),
    [
        ({}, False),
        (EXPANDING, True),
        ({**EXPANDING, "Header/Time": np.float32(0.02)}, True),
        ({**EXPANDING, "Header/Time": [0.02], "Header/Redshift": [49.0]}, True),
        ({**EXPANDING, "Header/Time": 0.25}, False),
        ({**EXPANDING, "Header/Omega0": 0.0}, False),
        ({**EXPANDING, "Header/HubbleParam": 0.0}, False),
        ({**EXPANDING, "Parameters/ComovingIntegrationOn": 0, "Header/Omega0": 1.0}, False),
        ({**EXPANDING, "Header/ComovingIntegrationOn": 0}, False),
        ({"Parameters/ComovingIntegrationOn": 1, "Parameters/Omega0": 0.3, "Parameters/HubbleParam": 0.7}, True),
    ],
)
def test_which_files_are_cosmological(tmp_path: Path, attributes: dict[str, object], cosmological: bool) -> None:
    path = gas(tmp_path / "a.hdf5", attributes=attributes)
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        assert (read_snapshot(path).cosmology is not None) == cosmological
        read_snapshot(path, expanding=False)
    lacks = {
        ("Header/Time", 0.25): "its time 0.25 is not the scale factor",
        ("Header/HubbleParam", 0.0): "no HubbleParam",
    }
    lack = [text for (name, value), text in lacks.items() if attributes.get(name) == value]
    sentences = [f"'{path}' has the redshift 49, but {text}: space will not expand" for text in lack]
    assert [str(each.message) for each in noted] == 2 * sentences + cosmological * [
        f"'{path}' is cosmological (Omega0 = 0.3, HubbleParam = 0.7): comoving values are taken as they are, and space"
        " will not expand"
    ]


def test_what_pynbody_and_yt_know_of_our_units(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(10), time=2.0, units=GADGET)
    with h5py.File(tmp_path / "a.hdf5") as file:
        header, parameters = dict(file["Header"].attrs), dict(file["Parameters"].attrs)
        assert "Units" not in file
    assert (header["Omega0"], header["OmegaLambda"], header["Redshift"]) == (0, 0, 0)
    assert "HubbleParam" not in parameters
    assert parameters["ComovingIntegrationOn"] == 0
    assert parameters["UnitLength_in_cm"] == GADGET.length_in_cm
    assert parameters["UnitMass_in_g"] == GADGET.mass_in_g
    assert parameters["UnitVelocity_in_cm_per_s"] == GADGET.velocity_in_cm_per_s
    assert parameters["UnitEnergy_in_cgs"] / parameters["UnitMass_in_g"] == 1e10
    assert parameters["Time_GYR"] == pytest.approx(2 * 0.9778, rel=1e-3)


@pytest.mark.parametrize(("high", "side"), [([50, 50, 50], 50.0), ([50, 50, 25], None), ([50, 50, np.inf], None)])
def test_where_pynbody_looks_for_our_box(tmp_path: Path, high: list[float], side: float | None) -> None:
    particles = tr.ic.plummer(10)
    particles.box = [[0, 0, 0 if np.isfinite(high[2]) else -np.inf], high]
    write_snapshot(tmp_path / "a.hdf5", particles, units=GADGET)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["Parameters"].attrs.get("BoxSize") == side
    assert np.array_equal(read_snapshot(tmp_path / "a.hdf5").particles.box, particles.box)

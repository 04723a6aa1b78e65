"""Contents of snapshots: columns, types, a fraction; digits and bytes."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import h5py
import numpy as np
import pytest
from conftest import Command, FlipBit

import trellis as tr
from trellis.config import SnapshotParameters, load
from trellis.config.snapshots import TypeName
from trellis.errors import InputError
from trellis.io import read_snapshot, write_snapshot
from trellis.io.gadget_layout import TYPE_NAMES
from trellis.io.snapshot_content import chosen_ids
from trellis.plot import overview, problem, snapshots
from trellis.run.simulation_run import SimulationRun

ALL_OPTIONS = {
    "columns": ["velocity"],
    "types": ["halo", "stars"],
    "fraction": 0.3,
    "precision": "single",
    "compression": "gzip",
}


@pytest.fixture
def galaxy() -> tr.ParticleSet:
    """Particles of three types, with a field of their own, in an order that is not that of their ids."""
    particles = tr.ic.plummer(3000, seed=3)
    particles.id = np.random.default_rng(1).permutation(np.arange(10, 3010, dtype=np.uint64))
    particles.add_field("type", 1, "", "")
    particles.type = np.arange(3000) % 3 * 2  # gas, disk, stars
    particles.add_field("charge", 1, "e", "electric charge")
    particles.charge = 1 / 3
    return particles


def test_columns(tmp_path: Path, galaxy: tr.ParticleSet) -> None:
    write_snapshot(tmp_path / "a.hdf5", galaxy, columns=["charge"])
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert set(file["PartType2"]) == {"Coordinates", "Masses", "ParticleIDs", "charge"}
    read = read_snapshot(tmp_path / "a.hdf5")
    assert read.left_out == ("velocity", "acceleration", "potential")
    assert (read.fraction, read.types) == (1.0, ())
    assert np.isnan(read.particles.velocity).all()  # not known, which is not 0
    assert read.particles.by_id(galaxy.id).charge.tolist() == galaxy.charge.tolist()
    with pytest.raises(InputError, match="column 'velocity' is not a number at index 0"):
        tr.Simulation(read.particles, [tr.Gravity(softening=0.1)], 0.1)
    with pytest.raises(InputError, match="columns has 'velocty': did you mean 'velocity'"):
        write_snapshot(tmp_path / "b.hdf5", galaxy, columns=["velocty"])
    assert not (tmp_path / "b.hdf5").exists()


def test_single_precision(tmp_path: Path, galaxy: tr.ParticleSet) -> None:
    galaxy.id += np.uint64(2**63)
    write_snapshot(tmp_path / "a.hdf5", galaxy, precision="single")
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["Header"].attrs["Flag_DoublePrecision"] == 0
        types = {name: dataset.dtype for name, dataset in file["PartType0"].items()}
        assert types.pop("ParticleIDs") == np.uint64
        assert set(types.values()) == {np.dtype(np.float32)}
    read = read_snapshot(tmp_path / "a.hdf5").particles
    for name in galaxy.public_fields:
        there = read.by_id(galaxy.id).__getattr__(name)
        assert np.array_equal(there, galaxy.column(name) if name == "id" else galaxy.column(name).astype(np.float32))
    write_snapshot(tmp_path / "b.hdf5", galaxy)
    with h5py.File(tmp_path / "b.hdf5") as file:
        assert file["Header"].attrs["Flag_DoublePrecision"] == 1


@pytest.mark.parametrize(
    ("low", "high"), [(0.1, 0.7), (-0.7, -0.1), (0.0, 1.0), (2.0**24 + 0.5, 2.0**24 + 3.5), (-1e-60, 1e-60)]
)
def test_positions_are_not_rounded_out_of_the_box(tmp_path: Path, low: float, high: float) -> None:
    particles = tr.ParticleSet(4)
    particles.box = [[low] * 3, [high] * 3]
    positions = np.array([low, np.nextafter(low, high), np.nextafter(high, low), 0.5 * (low + high)])
    particles.position = positions[:, None]
    write_snapshot(tmp_path / "a.hdf5", particles, precision="single")
    read = read_snapshot(tmp_path / "a.hdf5").particles
    assert ((read.position >= low) & (read.position < high)).all()
    spacing = np.spacing(np.float32(max(abs(low), abs(high))))
    np.testing.assert_allclose(read.position[:, 0], positions, atol=1.01 * spacing)


def test_what_single_precision_has_no_room_for(tmp_path: Path, galaxy: tr.ParticleSet) -> None:
    galaxy.charge = np.inf  # has room, and no run reads it
    write_snapshot(tmp_path / "a.hdf5", galaxy, precision="single")
    galaxy.mass[7] = 2e38 * 2
    with pytest.raises(InputError, match=r"column 'mass' has 4e\+38, which single precision has no room for: allowed"):
        write_snapshot(tmp_path / "b.hdf5", galaxy, precision="single")
    write_snapshot(tmp_path / "b.hdf5", galaxy, precision="single", columns=["mass"], types=["stars"])


def size(path: Path, particles: tr.ParticleSet, **options: object) -> int:
    write_snapshot(path, particles, **options)  # type: ignore[arg-type]
    return path.stat().st_size


def test_bytes(tmp_path: Path, flip_bit: FlipBit) -> None:
    particles = tr.ic.plummer(40_000)
    path = tmp_path / "a.hdf5"
    double, single = size(path, particles), size(path, particles, precision="single")
    numbers = 40_000 * (3 + 3 + 1 + 3 + 1)  # position, velocity, mass, acceleration, potential
    assert double - single == pytest.approx(4 * numbers, rel=0.01)
    lzf, gzip = (size(path, particles, compression=name) for name in ("lzf", "gzip"))
    assert gzip < lzf < 0.7 * double  # without accelerations and potentials, which are 0 here, 0.9
    both = size(path, particles, precision="single", compression="gzip")
    assert both < 0.75 * min(single, gzip)
    assert size(path, particles, fraction=0.1) == pytest.approx(0.1 * double, rel=0.1)
    assert size(path, particles, columns=["mass"]) == pytest.approx(40_000 * 8 * (3 + 1 + 1), rel=0.02)
    size(path, particles, compression="gzip")
    with h5py.File(path) as file:
        dataset = file["PartType1/Coordinates"]
        assert (dataset.compression, dataset.shuffle, dataset.fletcher32) == ("gzip", True, True)
    for name in particles.field_names:
        assert np.array_equal(read_snapshot(path).particles.column(name), particles.column(name)), name
    flip_bit(path, "PartType1/Velocities")
    with pytest.raises(InputError, match=r"a.hdf5' is damaged: the checksum of 'PartType1/Velocities' is wrong"):
        read_snapshot(path)


def mixed(number: int) -> int:
    """SplitMix64, as its authors print it."""
    z = (number + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_a_fraction_hangs_on_the_ids() -> None:
    assert mixed(0) == 0xE220A8397B1DCDAF  # the first number of the generator with seed 0
    ids = np.array([*range(2000), 2**63, 2**64 - 1], dtype=np.uint64)
    for fraction in (1e-3, 0.25, 1 - 2**-53):
        expected = [mixed(int(each)) < int(fraction * 2**64) for each in ids]
        assert chosen_ids(ids, fraction).tolist() == expected
    assert chosen_ids(ids, 1.0).all()
    many = np.arange(1_000_000, dtype=np.uint64)
    less, more = chosen_ids(many, 0.01), chosen_ids(many, 0.1)
    assert not (less & ~more).any()
    assert less.sum() == pytest.approx(10_000, abs=5 * np.sqrt(9900))
    assert np.corrcoef(less[1:], less[:-1])[0, 1] == pytest.approx(0.0, abs=0.005)


def test_types_and_a_fraction_of_them(tmp_path: Path, galaxy: tr.ParticleSet) -> None:
    write_snapshot(tmp_path / "a.hdf5", galaxy, types=["gas", "stars"], fraction=0.5)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert set(file) == {"Header", "Parameters", "PartType0", "PartType4"}
        header = dict(file["Header"].attrs)
    assert (header["SubsetFraction"], header["SubsetTypes"]) == (0.5, "gas, stars")
    assert header["NumPart_Total"].sum() == header["NumPart_ThisFile"].sum()
    read = read_snapshot(tmp_path / "a.hdf5")
    assert (read.fraction, read.types, read.left_out) == (0.5, ("gas", "stars"), ())
    expected = galaxy.id[chosen_ids(galaxy.id, 0.5) & np.isin(galaxy.type, [0, 4])]
    assert set(read.particles.id.tolist()) == set(expected.tolist())
    for name in galaxy.public_fields:
        assert np.array_equal(read.particles.column(name), galaxy.by_id(read.particles.id).__getattr__(name)), name


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"types": ["bulge"]}, "none of 3000 particles is of the types bulge, so that none would be written"),
        ({"fraction": 1e-9}, "none of 3000 particles is in the fraction 1e-09, so that none would be written"),
        ({"types": ["star"]}, "types has 'star': did you mean 'stars'?"),
        ({"fraction": 0.0}, "fraction is 0.0, but must be above 0 and at most 1"),
        ({"precision": "half"}, "precision is 'half', but must be double or single"),
        ({"compression": "zip"}, "compression is 'zip', but must be none or gzip or lzf"),
    ],
)
def test_what_no_snapshot_has(
    tmp_path: Path, galaxy: tr.ParticleSet, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InputError) as error:
        write_snapshot(tmp_path / "a.hdf5", galaxy, **options)  # type: ignore[arg-type]
    assert str(error.value) == sentence
    assert not list(tmp_path.iterdir())


def test_several_ranks_write_what_one_does(tmp_path: Path, mpirun: Command, galaxy: tr.ParticleSet) -> None:
    galaxy.type = np.where(galaxy.type == 2, 1, galaxy.type)
    write_snapshot(tmp_path / "all.hdf5", galaxy)
    write_snapshot(tmp_path / "one.hdf5", galaxy, **ALL_OPTIONS)
    (tmp_path / "split.py").write_text(
        "import sys\nimport trellis as tr\nfrom trellis.config import load\n"
        f"galaxy = tr.io.read_snapshot('{tmp_path / 'all.hdf5'}').particles\n"
        f"tr.io.write_snapshot('{tmp_path / 'three.hdf5'}', galaxy, files=2, **{ALL_OPTIONS})\n"
        "galaxy.mass = 1.0 if tr.rank() < 2 else 1e39\n"
        "try:\n"
        f"    tr.io.write_snapshot('{tmp_path / 'none.hdf5'}', galaxy, precision='single')\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    done = mpirun(3, tmp_path / "split.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("column 'mass' has 1e+39, which single precision has no room for") == 3
    assert sorted(path.name for path in tmp_path.glob("three*")) == ["three.0.hdf5", "three.1.hdf5"]
    one, three = (read_snapshot(tmp_path / f"{name}.hdf5") for name in ("one", "three"))
    assert one.left_out == three.left_out
    assert (three.fraction, three.types) == (0.3, ("halo", "stars"))
    order = np.argsort(three.particles.id)
    assert len(three.particles) > 100
    for name in ("id", "position", "mass", "type"):
        assert np.array_equal(
            three.particles.column(name)[order], one.particles.column(name)[np.argsort(one.particles.id)]
        )


@pytest.fixture
def reduced(parameter_file: Path) -> Path:
    options = ('columns = ["potential"]', "fraction = 0.4", 'precision = "single"', 'compression = "lzf"')
    parameter_file.write_text("\n".join([parameter_file.read_text(), "[snapshots]", *options]))
    return parameter_file


@pytest.mark.pixels
def test_a_run_of_reduced_snapshots(reduced: Path, tmp_path: Path) -> None:
    job = SimulationRun(load(reduced))
    job.run()
    assert (tmp_path / "out" / "overview.png").exists()
    sets = [set(read_snapshot(path).particles.id.tolist()) for path in job.folder.snapshots()]
    assert sets == [sets[0]] * 9
    assert 80 < len(sets[0]) < 160
    overview(job.folder.path, tmp_path / "again.png")
    snapshots(job.folder.snapshots()[:2], tmp_path / "two.png")
    # nothing else hangs on what snapshots hold
    whole = [f"run.output={tmp_path / 'whole'}", "snapshots.fraction=1", "snapshots.precision=double"]
    SimulationRun(load(reduced, whole)).run()
    for name in ("position", "velocity", "id"):
        states = (tr.io.read_checkpoint(tmp_path / place / "checkpoint.hdf5").particles for place in ("out", "whole"))
        assert len({state.column(name).tobytes() for state in states}) == 1
    with pytest.raises(InputError, match=r"'snapshots.fraction' was 0.4 when it was begun, but is 0.5 now"):
        SimulationRun(load(reduced, ["snapshots.fraction=0.5"]), resume=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ('snapshots.types=["stars"]', r"^\[snapshots\]: none of 300 particles is of the types stars and in the frac"),
        ('snapshots.columns=["density"]', r"^\[snapshots\]: columns has 'density': known are position, "),
        ("ic.particles=1e5", "'ic.particles' is 100000.0"),
        ("snapshots.columns=velocity", "'snapshots.columns' is 'velocity', but must be a list"),
        ("snapshots.colums=[]", "unknown key 'snapshots.colums': did you mean 'snapshots.columns'"),
        ('snapshots.types=["star"]', "'snapshots.types.0' is 'star', but must be 'gas', 'halo', 'disk', 'bulge', 'st"),
        ("snapshots.fraction=0", "'snapshots.fraction' is 0, but must be above 0"),
    ],
)
def test_a_run_that_could_not_write_them_does_not_begin(
    reduced: Path, tmp_path: Path, change: str, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        SimulationRun(load(reduced, [change]))
    assert not (tmp_path / "out").exists()


def starting_from(reduced: Path, name: str) -> Path:
    _, _, rest = reduced.read_text().partition("[gravity]")
    reduced.write_text(f'initial_conditions = "{name}"\n[gravity]{rest}')
    return reduced


def test_a_run_does_not_start_from_a_part(reduced: Path, tmp_path: Path, galaxy: tr.ParticleSet) -> None:
    file = load(starting_from(reduced, "part.hdf5"))
    write_snapshot(tmp_path / "part.hdf5", galaxy, columns=["mass"])
    with pytest.raises(InputError, match=r"part.hdf5' leaves out the velocities, but no run starts without them$"):
        SimulationRun(file)
    write_snapshot(tmp_path / "part.hdf5", galaxy, fraction=0.4)
    with pytest.raises(InputError, match=r"part.hdf5' has a fraction 0.4 of the particles, but runs start from all"):
        SimulationRun(file)
    write_snapshot(tmp_path / "part.hdf5", galaxy, types=["disk", "stars"])
    with pytest.warns(UserWarning, match=r"part.hdf5' has particles of the types disk, stars alone"):
        SimulationRun(file)
    write_snapshot(tmp_path / "part.hdf5", galaxy, columns=["velocity"], precision="single", compression="gzip")
    SimulationRun(file)


def test_what_a_gas_computes_are_columns_too(tmp_path: Path) -> None:
    file = Path(__file__).parents[3] / "examples" / "sod.toml"
    changes = ["ic.particles=4608", "run.until=0.01", "run.snapshot_every=0.01", f"run.output={tmp_path / 'out'}"]
    job = SimulationRun(
        load(file, [*changes, 'snapshots.columns=["density", "internal_energy"]', "snapshots.fraction=0.5"])
    )
    job.run()
    read = read_snapshot(job.folder.snapshots()[-1])
    assert {"density", "internal_energy"} < set(read.particles.field_names)
    assert {"smoothing_length", "velocity"} < set(read.left_out)
    with pytest.raises(InputError, match="column 'velocity' has nan, which cannot be drawn"):
        problem(job.folder.path)


def test_arguments_are_what_the_parameters_describe() -> None:
    taken = inspect.signature(write_snapshot).parameters
    for name, field in SnapshotParameters.model_fields.items():
        assert taken[name].default == field.default, name
    assert get_args(TypeName) == TYPE_NAMES

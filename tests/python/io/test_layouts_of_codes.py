"""Snapshots in the layouts of other codes: what is read from where, and what is said of the rest."""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from test_gadget_binary import Writer

import trellis as tr
from trellis.errors import InputError
from trellis.io import Snapshot, read_snapshot
from trellis.io.layouts.codes import LAYOUTS

pytestmark = pytest.mark.filterwarnings("ignore:.*does not name its units")

N, A, H, SIDE = 8, 0.5, 0.7, 100.0
PLACE = np.random.default_rng(1).random((N, 3)) * SIDE
MPC, MASS, KM_PER_S = 3.08567758e24, 1.98841e43, 1e5

COUNTS = np.array([0, N, 0, 0, 0, 0], np.uint32)
HEADER = {"NumPart_ThisFile": COUNTS, "NumPart_Total": COUNTS, "MassTable": np.zeros(6), "NumFilesPerSnapshot": 1}
GADGET_UNITS = {"UnitLength_in_cm": MPC, "UnitMass_in_g": MASS, "UnitVelocity_in_cm_per_s": KM_PER_S}
SPACE = {"Omega0": 0.3, "OmegaLambda": 0.7, "HubbleParam": H}
EPOCH = {"Time": A, "Redshift": 1 / A - 1}
ROWS = {
    "Coordinates": PLACE,
    "Velocities": np.full((N, 3), 10.0),
    "Masses": np.ones(N),
    "ParticleIDs": np.arange(N) + 7,
}


@dataclass
class Example:
    """A file of a code, as attributes of groups and columns of type 1, and what of it is right."""

    groups: dict[str, dict[str, Any]]
    columns: dict[str, Any] = field(default_factory=lambda: dict(ROWS))
    powers: dict[str, dict[str, float]] = field(default_factory=dict)
    momentum: float = 10 * A**1.5
    length: float = 1.0  # by which positions, masses and the box are multiplied

    def write(self, path: Path) -> Path:
        with h5py.File(path, "w") as file:
            for group, attributes in self.groups.items():
                file.create_group(group).attrs.update(attributes)
            for name, values in self.columns.items():
                file[f"PartType1/{name}"] = values
                file[f"PartType1/{name}"].attrs.update(self.powers.get(name, {}))
        return path


SWIFT_GROUPS: dict[str, dict[str, Any]] = {
    "Header": {**HEADER, "NumPart_ThisFile": np.append(COUNTS, 0), "Time": [0.006], "Redshift": [1 / A - 1],
               "Scale-factor": [A], "BoxSize": [SIDE] * 3, "Dimension": [3]},
    "Cosmology": {"Cosmological run": [1], "Omega_m": [0.3], "Omega_lambda": [0.7], "Omega_r": [0.0], "h": [H],
                  "Omega_b": [0.05], "Scale-factor": [A], "Redshift": [1 / A - 1], "w_0": [-1.0], "w_a": [0.0]},
    "Units": {"Unit length in cgs (U_L)": [MPC], "Unit mass in cgs (U_M)": [MASS],
              "Unit time in cgs (U_t)": [MPC / KM_PER_S]},
}  # fmt: skip

EXAMPLES = {
    "Gadget-2": Example({"Header": {**HEADER, **EPOCH, **SPACE, "BoxSize": SIDE}}),
    "Gadget-4": Example(
        {
            "Header": {**HEADER, **EPOCH, "BoxSize": SIDE},
            "Parameters": {**SPACE, **GADGET_UNITS, "ComovingIntegrationOn": 1, "BoxSize": SIDE, "Hubble": 100.0},
        },
        powers={
            "Coordinates": {"a_scaling": 1.0, "h_scaling": -1.0, "to_cgs": MPC},
            "Velocities": {"a_scaling": 0.5, "h_scaling": 0.0, "to_cgs": KM_PER_S},
            "Masses": {"a_scaling": 0.0, "h_scaling": -1.0, "to_cgs": MASS},
        },
    ),
    "Arepo": Example({"Header": {**HEADER, **EPOCH, **SPACE, **GADGET_UNITS, "BoxSize": SIDE}}),
    "SWIFT": Example(SWIFT_GROUPS, momentum=10 * A, length=H),
    "SWIFT, by its powers": Example(
        SWIFT_GROUPS,
        powers={
            "Coordinates": {"a-scale exponent": 1.0, "h-scale exponent": 0.0},
            "Velocities": {"a-scale exponent": 0.0, "h-scale exponent": 0.0},
        },
        momentum=10 * A,
        length=H,
    ),
    "SWIFT, in physical lengths": Example(
        SWIFT_GROUPS,
        columns={**ROWS, "Coordinates": A * PLACE},
        powers={"Coordinates": {"a-scale exponent": 1.0, "h-scale exponent": 0.0, "Value stored as physical": 1}},
        momentum=10 * A,
        length=H,
    ),
    "EAGLE": Example(
        {
            "Header": {**HEADER, **SPACE, "Time": 0.0042, "ExpansionFactor": A, "Redshift": 1 / A - 1,
                       "BoxSize": SIDE, "E(z)": 1.7},
            "Units": GADGET_UNITS,
        },
        columns={("Velocity" if name == "Velocities" else "Mass" if name == "Masses" else name): values
                 for name, values in ROWS.items()},
        powers={"Velocity": {"aexp-scale-exponent": 0.5, "h-scale-exponent": 0.0, "CGSConversionFactor": KM_PER_S}},
    ),
    "OWLS, masses in the header": Example(
        {"Header": {**HEADER, **EPOCH, **SPACE, "MassTable": np.array([0, 1.0, 0, 0, 0, 0]), "BoxSize": SIDE}},
        columns={"Coordinates": PLACE, "Velocity": np.full((N, 3), 10.0), "ParticleIDs": np.arange(N) + 7},
    ),
    "GIZMO": Example(
        {
            "Header": {
                **HEADER, **EPOCH, "Omega_Matter": 0.3, "Omega_Lambda": 0.7, "HubbleParam": H, "BoxSize": SIDE,
                "ComovingIntegrationOn": 1, "UnitLength_In_CGS": MPC, "UnitMass_In_CGS": MASS,
                "UnitVelocity_In_CGS": KM_PER_S, "GIZMO_version": 2022, "Omega_Baryon": 0.0,
                "Gravitational_Constant_In_Code_Inits": 43.0187,
            }
        },
    ),
    "MUSIC": Example(
        {"Header": {**HEADER, **EPOCH, **SPACE, "MassTable": np.array([0, 1.0, 0, 0, 0, 0]), "BoxSize": SIDE,
                    "Music_levelmin": 3, "Music_levelmax": 3}},
        columns={name: values for name, values in ROWS.items() if name != "Masses"},
    ),
    "monofonIC": Example({"Header": {**HEADER, **EPOCH, **SPACE, "BoxSize": SIDE, "Flag_DoublePrecision": 1}}),
    "monofonIC, for SWIFT": Example(
        {
            "Header": {**HEADER, **EPOCH, **SPACE, "BoxSize": SIDE, "Dimension": 3, "Flag_Entropy_ICs": np.zeros(7)},
            "Units": SWIFT_GROUPS["Units"],
        },
        momentum=10 * A,
        length=H,
    ),
}  # fmt: skip


def quiet(path: Path) -> tuple[Snapshot, list[str]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        snapshot = read_snapshot(path)
    return snapshot, [str(each.message) for each in said if "does not name its units" not in str(each.message)]


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_cosmological_file_of_each_code(tmp_path: Path, code: str) -> None:
    example = EXAMPLES[code]
    snapshot, said = quiet(example.write(tmp_path / "a.hdf5"))
    particles = snapshot.particles
    assert said == []
    assert snapshot.time == pytest.approx(A)
    assert particles.position == pytest.approx(PLACE * example.length)
    assert particles.mass == pytest.approx(np.full(N, example.length))
    assert particles.velocity == pytest.approx(np.full((N, 3), example.momentum))
    assert particles.id.tolist() == list(range(7, 7 + N))
    assert particles.box[1] == pytest.approx(np.full(3, SIDE * example.length))
    assert snapshot.cosmology is not None
    assert (snapshot.cosmology.omega_m, snapshot.cosmology.omega_lambda, snapshot.cosmology.h) == (0.3, 0.7, H)
    assert pytest.approx(snapshot.units.H100) == snapshot.cosmology.H0
    if not snapshot.units_assumed:
        assert snapshot.units.length_in_cm == MPC
        assert snapshot.units.velocity_in_cm_per_s == pytest.approx(KM_PER_S)
        assert pytest.approx(43.0187, rel=1e-3) == snapshot.units.G


@pytest.mark.parametrize("named", [False, True])
def test_the_binary_file_of_n_genic(tmp_path: Path, named: bool) -> None:
    particles = tr.ParticleSet.from_columns(position=PLACE, mass=np.ones(N), velocity=np.full((N, 3), 10.0))
    particles.add_field("type", 1, "", "Gadget's particle type, 0 to 5")
    particles.type = 1.0
    header = {"Time": A, "Redshift": 1 / A - 1, "BoxSize": SIDE, "Omega0": 0.3, "HubbleParam": H}
    writer = Writer(named=named, blocks=("POS", "VEL", "ID"), table=(0, 1.0, 0, 0, 0, 0), width=8, header=header)
    snapshot, said = quiet(writer.write(tmp_path / "ics", particles))
    assert said == []
    assert snapshot.time == A
    assert snapshot.particles.position == pytest.approx(PLACE)
    assert snapshot.particles.velocity == pytest.approx(np.full((N, 3), 10 * A**1.5))
    assert snapshot.particles.mass.tolist() == [1.0] * N
    assert snapshot.particles.box[1].tolist() == [SIDE] * 3


def test_blocks_of_a_binary_file_that_are_not_read_are_named(tmp_path: Path) -> None:
    particles = tr.ParticleSet.from_columns(position=PLACE, mass=np.ones(N))
    particles.add_field("type", 1, "", "Gadget's particle type, 0 to 5")
    writer = Writer(named=True, blocks=("POS", "VEL", "ID", "MASS", "SFR", "XYZ"))
    _, said = quiet(writer.write(tmp_path / "a", particles))
    assert [each.partition("leaves out: ")[2] for each in said] == ["SFR, XYZ"]
    writer = Writer(blocks=("POS", "VEL", "ID", "MASS"))
    path = writer.write(tmp_path / "b", particles)
    path.write_bytes(path.read_bytes() + struct.pack("<I28xI", 28, 28))
    _, said = quiet(path)
    assert [each.partition("leaves out: ")[2] for each in said] == ["a block of 28 bytes behind MASS"]


PHANTOM_TYPES = np.array([1, 1, 5, 2, 1, 3, 1, 1])


def phantom(path: Path) -> Path:
    with h5py.File(path, "w") as file:
        header = {"time": 2.5, "udist": 1.496e13, "umass": 1.989e33, "utime": 5.0226e6, "nparttot": N}
        header |= {"massoftype": np.array([0.25, 0.5, 0.75, 1.0, 2.0, 3.0]), "gamma": 1.4}
        for name, value in header.items():
            file[f"header/{name}"] = value
        smoothing = np.full(N, 0.1)
        smoothing[4] = -0.1
        columns = {
            "xyz": PLACE,
            "vxyz": -PLACE,
            "h": smoothing,
            "itype": PHANTOM_TYPES,
            "u": np.arange(N),
            "divv": smoothing,
        }
        for name, values in columns.items():
            file[f"particles/{name}"] = values
        for name, sink in {"xyz": [[1.0, 2, 3]], "vxyz": [[4.0, 5, 6]], "m": [9.0], "hsoft": [0.0]}.items():
            file[f"sinks/{name}"] = sink
    return path


def test_a_file_of_phantom(tmp_path: Path) -> None:
    snapshot, said = quiet(phantom(tmp_path / "a.h5"))
    particles = snapshot.particles
    assert (snapshot.time, snapshot.cosmology, snapshot.units_assumed) == (2.5, None, False)
    assert pytest.approx(1, rel=1e-3) == snapshot.units.G
    assert particles.type.tolist() == [0, 0, 0, 0, 1, 5]
    assert particles.mass.tolist() == [0.25, 0.25, 0.25, 0.25, 2.0, 9.0]
    assert np.array_equal(particles.position, [*PLACE[[0, 1, 6, 7, 2]], [1, 2, 3]])
    assert np.array_equal(particles.velocity, [*-PLACE[[0, 1, 6, 7, 2]], [4, 5, 6]])
    assert particles.internal_energy[:4].tolist() == [0, 1, 6, 7]
    (note,) = said
    for part in ("1 accreted or dead", "1 particles of Phantom's type 2", "type 3", "particles/divv", "sinks/hsoft"):
        assert part in note
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["header/massoftype"]
        file["header/massoftype"] = [1.0, 1.0]
    with pytest.raises(InputError, match="itype goes from 1 to 5, but header/massoftype has 2 masses"):
        read_snapshot(tmp_path / "a.h5")


def test_ids_of_48_bits(tmp_path: Path) -> None:
    path = Example({"Header": {**HEADER, "Time": 0.0}}).write(tmp_path / "a.hdf5")
    with h5py.File(path, "r+") as file:
        del file["PartType1/ParticleIDs"]
        kind = h5py.h5t.STD_U64LE.copy()
        kind.set_size(6)
        column = h5py.h5d.create(file["PartType1"].id, b"ParticleIDs", kind, h5py.h5s.create_simple((N,)))
        values = np.arange(2**40, 2**40 + N, dtype=np.uint64)
        column.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=h5py.h5t.NATIVE_UINT64)
    assert read_snapshot(path).particles.id.tolist() == list(range(2**40, 2**40 + N))


def static(path: Path, header: dict[str, Any] | None = None, columns: dict[str, Any] | None = None) -> Path:
    return Example({"Header": {**HEADER, "Time": 0.0, **(header or {})}}, {**ROWS, **(columns or {})}).write(path)


@pytest.mark.parametrize(
    ("header", "columns", "sentence"),
    [
        (
            {"MassTable": [0, 2.0, 0, 0, 0, 0]},
            {},
            "PartType1/Masses has the mass 1, but the header's MassTable has 2 for",
        ),
        ({"Flag_Entropy_ICs": 1}, {}, "'Flag_Entropy_ICs' is 1: internal energies are entropies there"),
        ({"Dimension": [2]}, {}, "'Dimension' is 2, but must be 3"),
        ({}, {"Velocity": np.zeros((N, 3))}, "PartType1 has both Velocities and Velocity, but must have one of them"),
        ({"ExpansionFactor": 0.5, "Redshift": 3.0, **SPACE}, {}, "the scale factor is 0.5, but 'Redshift' 3"),
    ],
)
def test_what_contradicts_itself_is_refused(
    tmp_path: Path, header: dict[str, Any], columns: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=f"a.hdf5': {sentence}"):
        read_snapshot(static(tmp_path / "a.hdf5", header, columns))


def test_two_places_that_disagree_are_refused(tmp_path: Path) -> None:
    path = Example({"Header": {**HEADER, **EPOCH, **SPACE}, "Parameters": {"Omega0": 0.31}}).write(tmp_path / "a.hdf5")
    with pytest.raises(
        InputError, match=r"a.hdf5': Parameters/Omega0 is 0.31, but Header/Omega0 is 0.3: allowed is one"
    ):
        read_snapshot(path)


def test_a_mass_that_the_header_repeats(tmp_path: Path) -> None:
    assert read_snapshot(static(tmp_path / "a.hdf5", {"MassTable": [0, 1.0, 0, 0, 0, 0]})).particles.mass[0] == 1


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    counts = np.array([0, N, 0, 3, 0, 0, 2], np.uint32)
    path = static(
        tmp_path / "a.hdf5",
        {"NumPart_ThisFile": counts, "NumPart_Total": counts, "Time": 0.25, "Redshift": 2.0, **SPACE},
    )
    with h5py.File(path, "r+") as file:
        file["PartType3/TracerID"], file["PartType6/Coordinates"] = np.arange(3), np.ones((2, 3))
        file["PartType2/Coordinates"] = np.ones((4, 3))
        file["Header"].attrs["NumPart_ThisFile"] = counts + np.array([0, 0, 4, 0, 0, 0, 0], np.uint32)
        file["Header"].attrs["NumPart_Total"] = counts + np.array([0, 0, 4, 0, 0, 0, 0], np.uint32)
        file["PartType2/Masses"] = np.ones(4)
    snapshot, said = quiet(path)
    assert len(snapshot.particles) == N + 4
    assert [each.partition("' ")[2] for each in said] == [
        "has the redshift 2, but its time 0.25 is not the scale factor: space will not expand",
        "has 3 particles of type 3, without coordinates: they are left out",
        "has 2 particles of type 6, which Trellis has no such type for: they are left out",
        "has no velocities of disk particles: they are at rest",
        "has no ids of disk particles: those of the others are left out, and all are counted from 0",
    ]


def test_a_box_that_swift_does_not_repeat(tmp_path: Path) -> None:
    groups = {
        **SWIFT_GROUPS,
        "Cosmology": {"Cosmological run": [0]},
        "Parameters": {"InitialConditions:periodic": b"0"},
    }
    snapshot, _ = quiet(Example(groups).write(tmp_path / "a.hdf5"))
    assert (snapshot.time, snapshot.cosmology) == (0.006, None)
    assert np.isinf(snapshot.particles.box).all()
    assert snapshot.particles.velocity[0].tolist() == [10.0] * 3


def test_a_file_of_swift_in_static_space_is_noted(tmp_path: Path) -> None:
    path = EXAMPLES["SWIFT"].write(tmp_path / "a.hdf5")
    with pytest.warns(UserWarning, match="a.hdf5' is cosmological .* comoving values are taken as they are, and space"):
        snapshot = read_snapshot(path, expanding=False)
    assert snapshot.particles.velocity[0].tolist() == [10.0] * 3
    assert np.array_equal(snapshot.particles.position, PLACE)


def test_black_holes_of_swift_have_their_dynamical_masses(tmp_path: Path) -> None:
    path = EXAMPLES["SWIFT"].write(tmp_path / "a.hdf5")
    with h5py.File(path, "r+") as file:
        group = next(file[name] for name in file if name.startswith("PartType"))
        masses = group["Masses"][:]
        group["SubgridMasses"] = 0.1 * masses
        group.move("Masses", "DynamicalMasses")
    with pytest.warns(UserWarning, match="leaves out: SubgridMasses"):
        snapshot = read_snapshot(path)
    assert snapshot.particles.mass == pytest.approx(H * masses)


def test_the_page_names_each_layout() -> None:
    page = (Path(__file__).parents[3] / "docs/snapshots.md").read_text()
    for layout in LAYOUTS:
        for code in layout.codes.split(", "):
            assert code.split(" and ")[0] in page
        for name in layout.columns.values():
            assert f"`{name}`" in page or layout is LAYOUTS[0], name

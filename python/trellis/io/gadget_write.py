"""Writing Gadget-style HDF5 snapshots, which yt, pynbody and others open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis._core import Cosmology
from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.io.gadget_cosmology import VELOCITY_MEANING, header_of, momentum_factor, parameters_of
from trellis.io.gadget_layout import BOX, COLUMNS, CONSTANT, DATASETS, LENGTH, MASS, TYPE_FIELD, TYPES, VELOCITY
from trellis.io.hdf5 import new_hdf5
from trellis.io.owners import write_owners
from trellis.io.rank_groups import part_path, rank_group, site_group
from trellis.io.snapshot_content import NOT_WRITTEN, SnapshotContent
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.particle_set import check_no_selection
from trellis.units import NBODY, Units

GAS, HALO = 0, 1  # the types of particles that have none, with and without internal energy


@checked_arguments()
@world.collective
def write_snapshot(
    path: str | Path,
    particles: ParticleSet,
    *,
    time: float = 0.0,
    units: Units = NBODY,
    cosmology: Cosmology | None = None,
    files: int = 1,
    at_sites: bool = False,
    columns: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    fraction: float = 1.0,
    precision: str = "double",
    compression: str = "none",
) -> None:
    """Write a Gadget-style HDF5 snapshot.

    The file appears whole or not at all. Every dataset has its unit and meaning as attributes. In a periodic box
    all positions are written within it. With several ranks all of them call this, and the file has the particles of
    all, rank after rank, and says whose each is (see `read_owners`). What a file leaves out, its header says.

    Parameters
    ----------
    path : str or Path
        The file; one that is there is replaced.
    particles : ParticleSet
        Particles to write; a field ``type`` has Gadget's type of each; without it all are of
        type 1, and of type 0, gas, if they have energies of an ideal or isothermal gas.
    time : float
        Time of the snapshot.
    units : Units
        Units of the columns.
    cosmology : Cosmology, optional
        The cosmology by which space expands, if it does: then the time is the scale factor, and the momenta p = a^2
        dx/dt of the column ``velocity`` are written as Gadget's velocities, p / a^1.5.
    files : int
        Files to split it into, ``name.0.hdf5``, ``name.1.hdf5``, ...; at most one for each rank.
    at_sites : bool
        Instead, of several sites each writes a file of its own particles, at this path there. The files have the names
        of one snapshot, and are one when they are together in a folder.
    columns : sequence of str, optional
        Fields to write, beside position, mass and id, which are always; all if not given.
    types : sequence of str, optional
        Types of particles to write: ``gas``, ``halo``, ``disk``, ``bulge``, ``stars``, ``boundary``, Gadget's 0 to 5;
        all if not given.
    fraction : float
        Share of the particles to write. Whether one is among them depends on its id alone, so that each file has the
        same ones, and a larger fraction all of a smaller one (see `trellis.io.snapshot_content.chosen_ids`).
    precision : str
        ``"double"``, or ``"single"`` for some 7 digits in 4 bytes; ids are whole in any case.
    compression : str
        ``"gzip"``, ``"lzf"`` (faster, less, and known to h5py alone) or ``"none"``; the first two after HDF5's shuffle.

    Raises
    ------
    ValueError
        If the file cannot be made there, a name is unknown, an argument is out of its range, no particle is left, or a
        value has no room in single precision.
    RuntimeError
        If it cannot be written to the end, as on a full disk.
    """
    if not math.isfinite(time):
        raise InputError(f"time is {time}, but must be a finite number")
    if cosmology is not None and time <= 0:
        raise InputError(f"time is {time}, but must be a scale factor, above 0, where space expands")
    check_no_selection(particles)
    content = SnapshotContent(columns, types, fraction, precision, compression)
    names, kinds, counts = _choose(particles, content)
    group = site_group() if at_sites else rank_group(files)
    here = counts[group.ranks.start : group.ranks.stop]
    part = part_path(Path(path), group.number, group.count)
    with new_hdf5(part) if group.writes else nullcontext() as file:
        if file is not None:
            _write_header(file, here.sum(axis=0), counts.sum(axis=0), group.count, particles.box)
            _write_time(file, time, units, cosmology, _box_size(particles.box))
            file["Header"].attrs.update(content.header(particles))
            write_owners(file, group.ranks, here)
            written = np.flatnonzero(here.sum(axis=0)).tolist()
            file["Header"].attrs[COLUMNS] = ", ".join(
                sorted(_dataset(kind, name) for kind in written for name in names)
            )
        for kind in np.flatnonzero(here.sum(axis=0)):
            # the usual case of one type needs no copy
            rows = slice(None) if counts[world.rank(), kind] == len(particles) else kinds == kind
            for name in names:
                unit, meaning = particles.field_info(name)
                column = (particles.wrapped_position() if name == "position" else particles.column(name))[rows]
                if name == "velocity" and cosmology is not None:
                    column, meaning = column / momentum_factor(time), VELOCITY_MEANING
                stored = content.stored(name, column, particles.box)
                dataset_name, sizes = _dataset(int(kind), name), here[:, kind].tolist()
                dataset = group.write_column(file, dataset_name, stored, sizes, content.filters)
                if dataset is not None:
                    dataset.attrs.update({"unit": unit, "meaning": meaning})
    world.enter_call("write_snapshot: all files complete")


def _dataset(kind: int, field: str) -> str:
    return f"PartType{kind}/{DATASETS.get(field, field)}"


def check_snapshot(particles: ParticleSet, content: SnapshotContent) -> None:
    """Raise the ValueError, the same on all ranks, that writing such a snapshot of the particles would."""
    _choose(particles, content)


def _choose(particles: ParticleSet, content: SnapshotContent) -> tuple[list[str], NDArray[np.int8], NDArray[np.int64]]:
    """Return the fields to write, the type of each particle that is written, and how many of each each rank writes."""
    names = content.names(particles)
    kinds = content.kinds_written(particles.id, _kinds(particles))
    written = np.bincount(kinds[kinds != NOT_WRITTEN], minlength=TYPES)
    shares = world.gather((written, len(kinds), content.too_large(particles, names, kinds)))
    first = next((each for *_, each in shares if each is not None), None)
    if first is not None:
        raise InputError(first)
    counts = np.array([each for each, *_ in shares])
    content.check_any(int(counts.sum()), sum(size for _, size, _ in shares))
    return names, kinds, counts


def _kinds(particles: ParticleSet) -> NDArray[np.int8]:
    """Gadget's type of each particle."""
    name = TYPE_FIELD[0]
    if name not in particles.field_names:
        of_gas = not {"internal_energy", "isothermal_energy"}.isdisjoint(particles.field_names)
        return np.full(len(particles), GAS if of_gas else HALO, dtype=np.int8)
    given = particles.column(name)
    kinds = given.astype(np.int8)
    wrong = np.flatnonzero((kinds != given) | (kinds < 0) | (kinds >= TYPES))
    if len(wrong) > 0:
        raise InputError(
            f"column '{name}' is {given[wrong[0]]:g} at index {wrong[0]}, but must be one of 0, 1, ..., {TYPES - 1}"
        )
    return kinds


def _box_size(box: NDArray[np.float64]) -> float:
    """Side of a cube from 0 that is periodic along all axes, which is all that Gadget knows; 0 for any other box."""
    low, high = box
    cube = not low.any() and np.isfinite(high).all() and (high == high[0]).all()
    return float(high[0]) if cube else 0.0


def _write_header(
    file: h5py.File,
    here: NDArray[np.int64],
    total: NDArray[np.int64],
    files: int,
    box: NDArray[np.float64],
) -> None:
    file.create_group("Header").attrs.update(
        {
            "NumPart_ThisFile": here.astype(np.int32),
            "NumPart_Total": (total & 0xFFFFFFFF).astype(np.uint32),
            "NumPart_Total_HighWord": (total >> 32).astype(np.uint32),
            "MassTable": np.zeros(TYPES),
            "BoxSize": _box_size(box),
            BOX: box,
            "NumFilesPerSnapshot": files,
            "Flag_Sfr": 0,
            "Flag_Cooling": 0,
            "Flag_StellarAge": 0,
            "Flag_Metals": 0,
            "Flag_Feedback": 0,
        }
    )


def _write_time(file: h5py.File, time: float, units: Units, cosmology: Cosmology | None, side: float) -> None:
    """Write when it is, in which units, and by what space expands; Gadget-4 has the box, of this side, there too."""
    file["Header"].attrs.update({"Time": time, **header_of(cosmology, time)})
    file.create_group("Parameters").attrs.update(
        {
            LENGTH: units.length_in_cm,
            MASS: units.mass_in_g,
            VELOCITY: units.velocity_in_cm_per_s,
            CONSTANT: units.constant or 0.0,
            "UnitEnergy_in_cgs": units.mass_in_g * units.velocity_in_cm_per_s**2,  # yt
            **({"BoxSize": side} if side > 0 else {}),  # pynbody
            **parameters_of(cosmology, time, units),
        }
    )

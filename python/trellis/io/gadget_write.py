"""Writing Gadget-style HDF5 snapshots, which yt, pynbody and others open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis import world
from trellis.errors import InputError
from trellis.io.gadget_layout import BOX, COMOVING, CONSTANT, DATASETS, LENGTH, MASS, TYPE_FIELD, TYPES, VELOCITY
from trellis.io.hdf5 import new_hdf5
from trellis.io.rank_groups import part_path, rank_group
from trellis.particles import ParticleSet
from trellis.units import GIGAYEAR, NBODY, Units

GAS, HALO = 0, 1  # the types of particles that have none, with and without internal energy


@world.collective
def write_snapshot(
    path: str | Path,
    particles: ParticleSet,
    *,
    time: float = 0.0,
    units: Units = NBODY,
    fields: Sequence[str] | None = None,
    files: int = 1,
) -> None:
    """Write a Gadget-style HDF5 snapshot in float64.

    The file appears whole or not at all. Every dataset has its unit and meaning as attributes. In a periodic box
    all positions are written within it. With several ranks all
    of them call this, and the file has the particles of all, rank after rank.

    Parameters
    ----------
    path : str or Path
        The file; one that is there is replaced.
    particles : ParticleSet
        What to write; a field ``type`` says which of Gadget's types a particle has; without it all are of
        type 1, and of type 0, gas, if they have internal energies.
    time : float
        Time of the snapshot.
    units : Units
        Units of the columns.
    fields : sequence of str, optional
        Fields to write; all if not given.
    files : int
        Files to split it into, ``name.0.hdf5``, ``name.1.hdf5``, ...; at most one for each rank.

    Raises
    ------
    ValueError
        If the file cannot be made there, or a field is unknown.
    RuntimeError
        If it cannot be written to the end, as on a full disk.
    """
    if not math.isfinite(time):
        raise InputError(f"time is {time}, but must be a finite number")
    names = [name for name in fields or particles.public_fields if name != TYPE_FIELD[0]]
    kinds = _kinds(particles)
    group = rank_group(files)
    counts = np.array(world.gather(np.bincount(kinds, minlength=TYPES)))  # of each rank
    here = counts[group.ranks.start : group.ranks.stop]
    part = part_path(Path(path), group.number, group.count)
    with new_hdf5(part) if group.writes else nullcontext() as file:
        if file is not None:
            _write_header(file, here.sum(axis=0), counts.sum(axis=0), group.count, time, units, particles.box)
        for kind in np.flatnonzero(here.sum(axis=0)):
            # the usual case of one type needs no copy
            rows = slice(None) if counts[world.rank(), kind] == len(particles) else kinds == kind
            for name in names:
                unit, meaning = particles.field_info(name)
                column = (particles.wrapped_position() if name == "position" else particles.column(name))[rows]
                dataset = group.write_column(
                    file, f"PartType{kind}/{DATASETS.get(name, name)}", column, here[:, kind].tolist()
                )
                if dataset is not None:
                    dataset.attrs.update({"unit": unit, "meaning": meaning})
    world.meet("write_snapshot: all files complete")


def _kinds(particles: ParticleSet) -> NDArray[np.int8]:
    """Gadget's type of each particle."""
    name = TYPE_FIELD[0]
    if name not in particles.field_names:
        return np.full(len(particles), GAS if "internal_energy" in particles.field_names else HALO, dtype=np.int8)
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
    time: float,
    units: Units,
    box: NDArray[np.float64],
) -> None:
    file.create_group("Header").attrs.update(
        {
            "NumPart_ThisFile": here.astype(np.int32),
            "NumPart_Total": (total & 0xFFFFFFFF).astype(np.uint32),
            "NumPart_Total_HighWord": (total >> 32).astype(np.uint32),
            "MassTable": np.zeros(TYPES),
            "Time": time,
            "Redshift": 0.0,
            "BoxSize": _box_size(box),
            BOX: box,
            "NumFilesPerSnapshot": files,
            "Omega0": 0.0,
            "OmegaLambda": 0.0,
            "HubbleParam": 1.0,
            "Flag_Sfr": 0,
            "Flag_Cooling": 0,
            "Flag_StellarAge": 0,
            "Flag_Metals": 0,
            "Flag_Feedback": 0,
            "Flag_DoublePrecision": 1,
        }
    )
    file.create_group("Parameters").attrs.update(
        {
            LENGTH: units.length_in_cm,
            MASS: units.mass_in_g,
            VELOCITY: units.velocity_in_cm_per_s,
            CONSTANT: units.constant or 0.0,
            COMOVING: 0,
            "UnitEnergy_in_cgs": units.mass_in_g * units.velocity_in_cm_per_s**2,  # yt
            "Time_GYR": time * units.length_in_cm / units.velocity_in_cm_per_s / GIGAYEAR,  # pynbody
        }
    )

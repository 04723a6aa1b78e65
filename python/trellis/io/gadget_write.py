"""Writing Gadget-style HDF5 snapshots, which yt, pynbody and others open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.io.gadget_layout import CONSTANT, DATASETS, LENGTH, MASS, TYPE_FIELD, TYPES, VELOCITY
from trellis.io.hdf5 import new_hdf5
from trellis.particles import ParticleSet
from trellis.units import NBODY, Units

HALO = 1  # the type of particles that have none


def write_snapshot(
    path: str | Path,
    particles: ParticleSet,
    *,
    time: float = 0.0,
    units: Units = NBODY,
    fields: Sequence[str] | None = None,
) -> None:
    """Write a Gadget-style HDF5 snapshot in float64.

    The file appears whole or not at all. Every dataset has its unit and meaning as attributes.

    Parameters
    ----------
    path : str or Path
        The file; one that is there is replaced.
    particles : ParticleSet
        What to write; a field ``type`` says which of Gadget's types a particle has, otherwise all are of type 1.
    time : float
        Time of the snapshot.
    units : Units
        Units of the columns.
    fields : sequence of str, optional
        Fields to write; all if not given.

    Raises
    ------
    ValueError
        If the file cannot be made there, or a field is unknown.
    RuntimeError
        If it cannot be written to the end, as on a full disk.
    """
    names = [name for name in fields or particles.public_fields if name != TYPE_FIELD[0]]
    kinds = _kinds(particles)
    count = np.bincount(kinds, minlength=TYPES)
    with new_hdf5(Path(path)) as file:
        _write_header(file, count, time, units)
        for kind in np.flatnonzero(count):
            # the usual case of one type needs no copy
            rows = slice(None) if count[kind] == len(particles) else kinds == kind
            for name in names:
                unit, meaning = particles.field_info(name)
                column = particles.column(name)[rows]
                dataset = file.create_dataset(f"PartType{kind}/{DATASETS.get(name, name)}", data=column)
                dataset.attrs.update({"unit": unit, "meaning": meaning})


def _kinds(particles: ParticleSet) -> NDArray[np.int8]:
    """Gadget's type of each particle."""
    name = TYPE_FIELD[0]
    if name not in particles.field_names:
        return np.full(len(particles), HALO, dtype=np.int8)
    given = particles.column(name)
    kinds = given.astype(np.int8)
    wrong = np.flatnonzero((kinds != given) | (kinds < 0) | (kinds >= TYPES))
    if len(wrong) > 0:
        raise InputError(
            f"column '{name}' is {given[wrong[0]]:g} at index {wrong[0]}, but must be one of 0, 1, ..., {TYPES - 1}"
        )
    return kinds


def _write_header(file: h5py.File, count: NDArray[np.int64], time: float, units: Units) -> None:
    file.create_group("Header").attrs.update(
        {
            "NumPart_ThisFile": count.astype(np.int32),
            "NumPart_Total": (count & 0xFFFFFFFF).astype(np.uint32),
            "NumPart_Total_HighWord": (count >> 32).astype(np.uint32),
            "MassTable": np.zeros(TYPES),
            "Time": time,
            "Redshift": 0.0,
            "BoxSize": 0.0,
            "NumFilesPerSnapshot": 1,
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
        }
    )

"""Checkpoints: the whole state of a run, bit for bit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numpy as np

from trellis.errors import InputError
from trellis.io.hdf5 import new_hdf5, open_hdf5
from trellis.particles import ParticleSet
from trellis.units import Units

FORMAT = "trellis checkpoint 2"


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run after a step.

    Attributes
    ----------
    particles : ParticleSet
        All columns, rows in the order that the run had them.
    time : float
        Time of the particles.
    step_count : int
        Steps since the start.
    initial_energy : float
        Total energy at the start.
    units : Units
        Units of the columns.
    sizes : list of dict
        Group and leaf size of each force, which the last digits depend on.
    """

    particles: ParticleSet
    time: float
    step_count: int
    initial_energy: float
    units: Units
    sizes: list[dict[str, int]] = field(default_factory=list)


def write_checkpoint(path: Path, state: Checkpoint) -> None:
    """Write a checkpoint; it appears whole or not at all, and what was at `path` stays until then.

    Raises
    ------
    RuntimeError
        If it cannot be written to the end, as on a full disk.
    """
    with new_hdf5(path) as file:
        file.attrs.update(
            {
                "format": FORMAT,
                "time": state.time,
                "step_count": state.step_count,
                "initial_energy": state.initial_energy,
                "sizes": json.dumps(state.sizes),
                **{f"units_{name}": value for name, value in asdict(state.units).items() if value is not None},
            }
        )
        for name in state.particles.field_names:
            unit, meaning = state.particles.field_info(name)
            dataset = file.create_dataset(f"fields/{name}", data=state.particles.column(name))
            dataset.attrs.update({"unit": unit, "meaning": meaning})


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises
    ------
    ValueError
        If the file is missing, truncated or not a checkpoint.
    """
    with open_hdf5(path) as file:
        found = file.attrs
        if found.get("format") != FORMAT:
            raise InputError(f"'{path}' is not a checkpoint of this version of trellis")
        particles = ParticleSet(len(file["fields/id"]))
        for name, dataset in file["fields"].items():
            if name not in particles.field_names:
                components = 3 if dataset.ndim == 2 else 1
                particles.add_field(name, components, dataset.attrs["unit"], dataset.attrs["meaning"])
            dataset.read_direct(np.asarray(particles.column(name)))
        return Checkpoint(
            particles,
            float(found["time"]),
            int(found["step_count"]),
            float(found["initial_energy"]),
            Units(**{each.name: found.get(f"units_{each.name}") for each in fields(Units)}),
            json.loads(found["sizes"]),
        )

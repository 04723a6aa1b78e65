"""Notes name the line of the user's program, however deep in Trellis their reason is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

import trellis as tr
from trellis.io import read_snapshot, write_snapshot


def pair() -> tr.ParticleSet:
    return tr.ParticleSet.from_columns(position=[[0.05, 0, 0], [-0.05, 0, 0]], mass=[0.5, 0.5])


def begin(_: Path) -> None:
    tr.Simulation(pair(), [tr.Gravity(softening=0.0)], timestep=0.1).energies()


def begin_in_a_callback(folder: Path) -> None:
    def act(_: tr.Simulation) -> None:
        begin(folder)

    alone = tr.ParticleSet.from_columns(position=[[0.0, 0, 0]], mass=[1.0])
    tr.Simulation(alone, [tr.Gravity(softening=0.1)], timestep=0.1).run(steps=1, callbacks=[(1, act)])


def read_a_strange_column(folder: Path) -> None:
    write_snapshot(folder / "a.hdf5", pair())
    with h5py.File(folder / "a.hdf5", "a") as file:
        file["PartType1/Strange"] = np.zeros(2)
    read_snapshot(folder / "a.hdf5")


@pytest.mark.parametrize("program", [begin, begin_in_a_callback, read_a_strange_column])
def test_a_note_names_a_line_of_the_program(tmp_path: Path, program: Callable[[Path], None]) -> None:
    with pytest.warns(UserWarning, match="into each other|has no use for") as notes:
        program(tmp_path)
    assert {note.filename for note in notes} == {__file__}


def test_all_notes_do() -> None:
    folder = Path(tr.__file__).parent
    others = [path.name for path in folder.rglob("*.py") if "warnings.warn(" in path.read_text()]
    assert others == ["notes.py"]

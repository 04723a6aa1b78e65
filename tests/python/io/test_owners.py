"""Owners of the particles of a snapshot, and their picture."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command
from matplotlib.colors import to_rgb

import trellis as tr
from trellis.errors import InputError
from trellis.io.owners import COUNTS, SITES
from trellis.plot.style import STYLES

# each rank has particles at its own number, of types that differ from rank to rank
WRITES = """
import os, sys, numpy as np, trellis as tr
from trellis import _core
os.chdir(sys.argv[1])
rank = _core.world().rank
own = tr.ParticleSet.from_columns(position=np.full((5 + 3 * rank, 3), rank), mass=1.0)
own.id = 100 * rank + np.arange(len(own))
own.add_field("type")
own.type = np.arange(len(own)) % (2 + rank)
tr.io.write_snapshot("whole.hdf5", own)
tr.io.write_snapshot("parts.hdf5", own, files=2)
tr.io.write_snapshot("some.hdf5", own, fraction=0.5)
"""


def test_a_snapshot_of_several_ranks_says_whose_each_particle_was(tmp_path: Path, mpirun: Command) -> None:
    program = tmp_path / "program.py"
    program.write_text(WRITES)
    done = mpirun(3, program, tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("whole", "parts", "some"):
        file = tmp_path / f"{name}.hdf5"
        owners, particles = tr.io.read_owners(file), tr.io.read_snapshot(file).particles
        assert np.array_equal(owners.ranks, particles.position[:, 0])
        assert len(set(owners.ranks.tolist())) == 3
        assert owners.names() == ["rank 0", "rank 1", "rank 2"]


def of_sites(path: Path, sites: list[str]) -> tr.ParticleSet:
    """Write a snapshot as a rank at each of these sites would: the first has a particle, each next one two more."""
    rows = 1 + 2 * np.arange(len(sites))
    particles = tr.ParticleSet.from_columns(position=np.random.default_rng(1).random((rows.sum(), 3)), mass=1.0)
    tr.io.write_snapshot(path, particles)
    counts = np.zeros((len(sites), 6), dtype=np.int64)
    counts[:, 1] = rows
    with h5py.File(path, "a") as file:
        file[COUNTS], file[SITES] = counts, np.array([site.encode() for site in sites])
    return particles


def test_points_have_the_colour_of_their_site(tmp_path: Path) -> None:
    particles = of_sites(tmp_path / "a.hdf5", ["tokyo", "tokyo", "amsterdam"])
    figure = tr.plot.owners([tmp_path / "a.hdf5"], tmp_path / "a.png", half_width=1.0, style="light")
    (points,) = figure.axes[0].collections
    colours = [to_rgb(line) for line in STYLES["light"].lines[:2]]
    places, faces = points.get_offsets().tolist(), points.get_facecolor()[:, :3]
    drawn = {tuple(place): tuple(face) for place, face in zip(places, faces, strict=True)}
    for row, place in enumerate(particles.position):
        assert drawn[tuple(place[:2])] == pytest.approx(colours[row >= 4])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["tokyo", "amsterdam"]


def test_sites_keep_their_colour_from_panel_to_panel(tmp_path: Path) -> None:
    for name, sites in {"a": ["tokyo", "amsterdam"], "b": ["amsterdam"]}.items():
        of_sites(tmp_path / f"{name}.hdf5", sites)
    figure = tr.plot.owners([tmp_path / "a.hdf5", tmp_path / "b.hdf5"])
    first, second = ({tuple(each) for each in ax.collections[0].get_facecolor()} for ax in figure.axes)
    tokyo, amsterdam = ((*to_rgb(line), 1.0) for line in STYLES["dark"].lines[:2])
    assert first == {tokyo, amsterdam}
    assert second == {amsterdam}


def test_what_does_not_say_whose_particles_are_is_refused(tmp_path: Path) -> None:
    tr.io.write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(10))
    with pytest.raises(InputError, match=r"does not say whose its particles were: only runs of several ranks"):
        tr.plot.owners([tmp_path / "a.hdf5"])
    of_sites(tmp_path / "b.hdf5", ["tokyo", "amsterdam"])
    with h5py.File(tmp_path / "b.hdf5", "a") as file:
        file[COUNTS][0, 1] = 2
    with pytest.raises(InputError, match=r"b.hdf5' is damaged"):
        tr.io.read_owners(tmp_path / "b.hdf5")

"""Sources of a picture: snapshots or runs, masses and particles that make one, particles far out."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import trellis as tr
from trellis.errors import InputError
from trellis.io import write_snapshot


@pytest.mark.parametrize(
    ("mass", "sentence"),
    [
        (0.0, "column 'mass' is 0 of all particles"),
        (-1.0, "column 'mass' has -1, but a surface density is drawn of masses of at least 0"),
    ],
)
def test_masses_that_make_no_picture(tmp_path: Path, trellis: Command, mass: float, sentence: str) -> None:
    particles = tr.ic.plummer(100)
    particles.mass = mass
    with pytest.raises(InputError, match=f"^{sentence}"):
        tr.plot.density(particles)
    write_snapshot(tmp_path / "a.hdf5", particles)
    with pytest.raises(InputError, match=f"a.hdf5': {sentence}"):
        tr.plot.lagrangian_radii([tmp_path / "a.hdf5"])
    done = trellis("plot", tmp_path / "a.hdf5", "-o", tmp_path / "a.png")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (tmp_path / "a.png").exists()


def test_no_particles_are_no_picture(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="sources is 5, but must be snapshots or the output folder of a run"):
        tr.plot.movie(5, tmp_path / "a.gif")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are no particles to draw"):
        tr.plot.density(tr.ParticleSet(0))


@pytest.mark.parametrize("centre", ["box", "mass", "origin"])
def test_one_particle_far_out_leaves_the_picture_as_it_was(centre: Any) -> None:
    particles = tr.ic.plummer(1000)
    usual = tr.plot.density(particles, centre=centre).images[0]
    particles.position[3] = 1e9
    with pytest.warns(UserWarning, match="^1 of 1,000 particles are more than 100 times as far out as 95 % of them"):
        found = tr.plot.density(particles, centre=centre).images[0]
    assert found.get_extent() == usual.get_extent()
    assert found.get_clim()[1] == pytest.approx(usual.get_clim()[1], rel=0.02)


def test_an_ordinary_halo_has_no_particle_far_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.plot.density(tr.ic.hernquist(2000))


@pytest.mark.parametrize(
    ("fractions", "sentence"), [((0, 2), "fractions has 0"), ((0.5, 2), "fractions has 2"), ((), "fractions is empty")]
)
def test_fractions_of_the_mass(tmp_path: Path, fractions: tuple[float, ...], sentence: str) -> None:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(100))
    with pytest.raises(InputError, match=rf"{sentence}, but must have numbers above 0 and at most 1"):
        tr.plot.lagrangian_radii([tmp_path / "a.hdf5"], fractions=fractions)
    with pytest.raises(InputError, match="files is empty"):
        tr.plot.lagrangian_radii([])
    assert len(tr.plot.lagrangian_radii([tmp_path / "a.hdf5"], fractions=(0.5, 1)).get_lines()) == 2


@pytest.mark.parametrize("what", ["folder", "snapshot", "snapshots", "both"])
def test_a_folder_a_snapshot_or_several_are_drawn(
    parameter_file: Path, tmp_path: Path, trellis: Command, what: str
) -> None:
    trellis("run", parameter_file, "--set", "run.until=0.2", "--set", "run.snapshot_every=0.1")
    folder = parameter_file.parent / "out"
    files = sorted(folder.glob("snapshot_*.hdf5"))
    assert len(files) == 3
    given: list[Path] = {"folder": [folder], "snapshot": files[:1], "snapshots": files[:2], "both": [folder, files[0]]}[
        what
    ]
    count = {"folder": 3, "snapshot": 1, "snapshots": 2, "both": 4}[what]
    for command, name, words in (("plot", "a.png", "written"), ("movie", "a.gif", f"written: {count} frames")):
        done = trellis(command, *given, "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
        assert words in done.stdout
    pytest.importorskip("plotly")
    done = trellis("view", *given, "-o", tmp_path / "a.html")
    assert done.returncode == 0, done.stderr
    assert f"written: {count} snapshots" in done.stdout
    assert ("virial ratio" in (tmp_path / "a.html").read_text()) == (what == "folder")

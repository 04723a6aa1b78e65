"""Sources of a picture: snapshots or runs, masses and particles that make one, particles far out."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import Command

import trellis as tr
from trellis.errors import InputError
from trellis.io import write_snapshot


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


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
    for wrong in (5, [5]):
        with pytest.raises(InputError, match=r"^5 is no source: allowed are snapshots, and output folders of runs"):
            tr.plot.movie(wrong, tmp_path / "a.gif")  # type: ignore[arg-type]
    for draw in (tr.plot.snapshots, tr.plot.owners, tr.plot.cosmology_overview):
        with pytest.raises(InputError, match=r"^there is nothing to draw"):
            draw([])
        with pytest.raises(InputError, match=r"^there is no file 'nothere.hdf5'"):
            draw("nothere.hdf5")
    with pytest.raises(InputError, match=r"^a ParticleSet is no source"):
        tr.plot.lagrangian_radii(tr.ic.plummer(10))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are no particles to draw"):
        tr.plot.density(tr.ParticleSet(0))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"pixels": 0}, "pixels is 0, but must be at least 1"),
        ({"limits": (0.0, 0.0)}, r"limits is \(0.0, 0.0\), but must be two numbers above 0, the lower one first"),
        ({"limits": (2.0, 1.0)}, r"limits is \(2.0, 1.0\), but"),
        ({"half_width": 0.0}, "the half width is 0, but"),
        (
            {"centre": [1.0, 2.0]},
            r"centre is \[1.0, 2.0\], but must be three finite numbers, or box, mass, densest, origin",
        ),
    ],
)
def test_what_no_picture_can_have_is_refused(words: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{sentence}"):
        tr.plot.density(tr.ic.plummer(10), **words)


def test_a_point_is_in_the_middle_of_a_picture() -> None:
    left, right, bottom, top = (
        tr.plot.density(tr.ic.plummer(100), centre=np.array([0.123, 0.2, 0.7]), plane="xz", half_width=3.0)
        .images[0]
        .get_extent()
    )
    assert ((left + right) / 2, (bottom + top) / 2) == pytest.approx((0.123, 0.7))


@pytest.mark.parametrize("centre", ["box", "mass", "origin"])
def test_one_particle_far_out_leaves_the_picture_as_it_was(centre: Any) -> None:
    particles = tr.ic.plummer(1000)
    usual = tr.plot.density(particles, centre=centre).images[0]
    particles.position[3] = 1e9
    with pytest.warns(UserWarning, match="^1 of 1,000 particles are more than 100 times as far out as 95 % of them"):
        found = tr.plot.density(particles, centre=centre).images[0]
    assert found.get_extent() == usual.get_extent()
    assert found.get_clim()[1] == pytest.approx(usual.get_clim()[1], rel=0.02)


def test_one_of_few_particles_far_out_is_left_out_as_well() -> None:
    particles = tr.ic.plummer(10)
    particles.position[3] = 1e9
    with pytest.warns(UserWarning, match="^1 of 10 particles are more than 100 times as far out as most of them"):
        left, right, *_ = tr.plot.density(particles).images[0].get_extent()
    assert right - left < 100


def test_many_particles_far_out_are_left_out_as_well() -> None:
    particles = tr.ic.plummer(100)
    usual = tr.plot.density(particles).images[0].get_extent()
    particles.position[::5] = 1e9
    with pytest.warns(UserWarning, match="^20 of 100 particles are more than 10,000 times as far out as 50 % of them"):
        left, right, *_ = tr.plot.density(particles).images[0].get_extent()
    assert right - left < 2 * (usual[1] - usual[0])


def test_radii_are_of_the_particles_that_are_not_far_out(tmp_path: Path) -> None:
    particles = tr.ic.plummer(1000)
    write_snapshot(tmp_path / "a.hdf5", particles)
    particles.position[3] = 1e9
    write_snapshot(tmp_path / "b.hdf5", particles)
    with pytest.warns(UserWarning, match="^1 of 1,000 particles"):
        lines = tr.plot.lagrangian_radii([tmp_path / "a.hdf5", tmp_path / "b.hdf5"]).get_lines()
    for line in lines:
        at, far = line.get_ydata()
        assert far == pytest.approx(at, rel=0.05)
    particles.position = 1.0
    write_snapshot(tmp_path / "c.hdf5", particles)
    with pytest.raises(InputError, match=r"c.hdf5': all mass is in one place: there is no radius above 0"):
        tr.plot.lagrangian_radii(tmp_path / "c.hdf5")


def test_notes_are_said_once(tmp_path: Path, trellis: Command) -> None:
    particles = tr.ic.plummer(100)
    particles.position[3] = 1e9
    write_snapshot(tmp_path / "a.hdf5", particles)
    write_snapshot(tmp_path / "b.hdf5", particles)
    for command, name in (("plot", "a.png"), ("movie", "a.gif")):
        done = trellis(command, tmp_path / "a.hdf5", tmp_path / "b.hdf5", "-o", tmp_path / name)
        assert done.stderr.count("note: 1 of 100 particles are") == 1


def test_a_picture_without_any_mass_is_noted() -> None:
    particles = tr.ic.plummer(100)
    particles.position += 1e3
    with pytest.warns(UserWarning, match="^no mass is in the picture: give another centre, or a larger half width"):
        tr.plot.density(particles, centre="origin", half_width=1.0)
    particles.position = np.full(3, 0.9)
    particles.box = 1.0
    with pytest.warns(UserWarning, match=r"^no mass is in the slice: give a depth above 0\.1"):
        tr.plot.projected_density(particles)
    particles.mass = 0.0
    with pytest.raises(InputError, match=r"^column 'mass' is 0 of all particles"):
        tr.plot.projected_density(particles)
    particles.type = np.arange(100) % 2
    particles.mass = particles.type
    with pytest.raises(InputError, match=r"^column 'mass' is 0 of all particles"):
        tr.plot.density(particles, type=0)


def test_an_ordinary_halo_has_no_particle_far_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.plot.density(tr.ic.hernquist(2000))


@pytest.mark.parametrize(
    ("fractions", "sentence"),
    [
        ((0, 2), "has 0, but must have"),
        ((0.5, 2), "has 2, but must have"),
        ((float("nan"),), "has nan, but must have"),
        (("all",), "has 'all', but must have"),
        ((), "is empty, but must have"),
        (0.5, "is 0.5, but must be a list of"),
    ],
)
def test_fractions_of_the_mass(tmp_path: Path, fractions: Any, sentence: str) -> None:
    write_snapshot(tmp_path / "a.hdf5", tr.ic.plummer(100))
    with pytest.raises(InputError, match=rf"fractions {sentence} numbers above 0 and at most 1"):
        tr.plot.lagrangian_radii([tmp_path / "a.hdf5"], fractions=fractions)
    with pytest.raises(InputError, match="files is empty"):
        tr.plot.lagrangian_radii([])
    assert len(tr.plot.lagrangian_radii([tmp_path / "a.hdf5"], fractions=(0.5, 1)).get_lines()) == 2


def in_a_box(moved: float) -> tr.ParticleSet:
    """Particles of a sphere in a periodic box of side 10, with one of its faces through it or not."""
    particles = tr.ic.plummer(300, seed=2)
    particles.position[:] = (5.0 + 0.1 * particles.position + moved) % 10
    particles.box = 10.0
    return particles


def test_where_the_faces_of_a_periodic_box_are_makes_no_other_picture(tmp_path: Path) -> None:
    drawn = []
    for moved in (0.0, 5.0):
        write_snapshot(tmp_path / f"{moved}.hdf5", in_a_box(moved))
        drawn.append([line.get_ydata() for line in tr.plot.lagrangian_radii([tmp_path / f"{moved}.hdf5"]).get_lines()])
    assert np.array(drawn[1]) == pytest.approx(np.array(drawn[0]), rel=1e-6)
    at, across = (tr.plot.density(in_a_box(moved), centre="mass", half_width=1.0).images[0] for moved in (0.0, 5.0))
    left, right = at.get_extent(), np.array(across.get_extent())
    assert ((right - left + 6) % 10 - 6) == pytest.approx(np.full(4, -5.0), abs=1e-6)
    assert np.asarray(across.get_array()) == pytest.approx(np.asarray(at.get_array()), rel=1e-3)


@pytest.mark.parametrize("moved", [0.0, 5.0])
def test_a_particle_far_out_along_an_open_axis_is_left_out_wherever_the_faces_are(moved: float) -> None:
    particles = in_a_box(moved)
    particles.box = [[0.0, -np.inf, -np.inf], [10.0, np.inf, np.inf]]
    particles.position[:, 1:] = 0.1 * tr.ic.plummer(300, seed=2).position[:, 1:]
    particles.position[:, 0] = (5 + moved + np.where(np.arange(300) % 2, 0.01, -0.01)) % 10
    particles.position[7, 1] = 100.0
    with pytest.warns(UserWarning, match="^1 of 300 particles"):
        tr.plot.density(particles)


def test_a_page_is_centred_on_a_periodic_box(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    write_snapshot(tmp_path / "a.hdf5", in_a_box(4.5))
    tr.plot.view(tmp_path / "a.hdf5", tmp_path / "a.html")
    spans = re.findall(r'axis":{"backgroundcolor"[^}]*"range":\[([^,]+),([^]]+)\]', (tmp_path / "a.html").read_text())
    assert len(spans) == 3
    assert all(float(low) + float(high) == 10 and float(high) > 10 for low, high in spans)


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
    in_python: Any = given[0] if len(given) == 1 else given
    assert [len(line.get_xdata()) for line in tr.plot.lagrangian_radii(in_python).get_lines()] == [count] * 5
    assert len(tr.plot.snapshots(in_python).get_axes()) >= count
    for command, name, words in (("plot", "a.png", "written"), ("movie", "a.gif", f"written: {count} frames")):
        done = trellis(command, *given, "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
        assert words in done.stdout
    pytest.importorskip("plotly")
    done = trellis("view", *given, "-o", tmp_path / "a.html")
    assert done.returncode == 0, done.stderr
    assert f"written: {count} snapshots" in done.stdout
    assert ("virial ratio" in (tmp_path / "a.html").read_text()) == (what == "folder")

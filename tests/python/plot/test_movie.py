from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command
from PIL import Image

import trellis as tr
from trellis.errors import InputError, RunError
from trellis.io import write_snapshot

pytestmark = pytest.mark.pixels


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder with what a run writes: a sphere that shrinks and moves, in five snapshots."""
    folder = tmp_path / "run"
    folder.mkdir()
    for k in range(5):
        particles = tr.ic.sphere(500)
        particles.position = particles.position * (1 - 0.15 * k) + [0.4 * k, 0, 0]
        write_snapshot(folder / f"snapshot_{k:04d}.hdf5", particles, time=0.5 * k)
    return folder


def frames(path: Path) -> list[np.ndarray]:
    with Image.open(path) as film:
        found = []
        for k in range(film.n_frames):
            film.seek(k)
            found.append(np.asarray(film.convert("RGB")).astype(int))
        return found


def test_a_gif_has_a_frame_for_each_snapshot_on_the_same_scales(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    assert tr.plot.movie(run, path, fps=20, centre="origin", half_width=5.0) == 5
    with Image.open(path) as film:
        assert (film.n_frames, film.info["duration"], film.info["loop"]) == (5, 50, 0)
    found = frames(path)
    across, down = found[0].shape[1], found[0].shape[0]
    bar = [frame[:, int(0.8 * across) :] for frame in found]
    assert all((each == bar[0]).all() for each in bar)  # the colour bar and its numbers
    axis = [frame[int(0.93 * down) :, : int(0.8 * across)] for frame in found]
    assert all((each == axis[0]).all() for each in axis)  # the numbers of x
    panel = [frame[int(0.15 * down) : int(0.85 * down), int(0.15 * across) : int(0.75 * across)] for frame in found]
    bright = [(each.sum(axis=2) > 60).sum() for each in panel]
    assert bright[0] > 1.5 * bright[4] > 0
    middle = [np.argwhere(each.sum(axis=2) > 60)[:, 1].mean() for each in panel]
    assert np.diff(middle).min() > 10  # pixels to the right, frame by frame


def test_frames_follow_the_centre(run: Path, tmp_path: Path) -> None:
    tr.plot.movie(run, tmp_path / "a.gif", centre="mass", half_width=3.0)
    found = frames(tmp_path / "a.gif")
    middle = [np.argwhere(frame[60:480, 70:520].sum(axis=2) > 60)[:, 1].mean() for frame in found]
    assert (found[0][510:, :520] != found[4][510:, :520]).any()  # the numbers of x
    assert np.ptp(middle) < 8


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_an_mp4_has_a_frame_for_each_snapshot(run: Path, tmp_path: Path, trellis: Command) -> None:
    path = tmp_path / "a.mp4"
    done = trellis("movie", run, "-o", path, "--fps", 5, "--style", "light")
    assert done.returncode == 0, done.stderr
    assert f"'{path}' written: 5 frames, 1 s" in done.stdout
    assert "5/5" in done.stderr  # the bar of progress
    listed = subprocess.run(
        ["ffmpeg", "-i", str(path), "-f", "null", "-"], capture_output=True, text=True, check=True
    ).stderr
    assert "frame=    5" in listed
    assert "yuv420p" in listed  # what players know
    assert ", 5 fps," in listed
    assert "is there already" in trellis("movie", run, "-o", path).stderr


def test_where_there_is_no_ffmpeg(run: Path, tmp_path: Path, trellis: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = trellis("movie", run, "-o", "a.mp4")
    assert done.returncode == 2
    assert "'a.mp4' needs the program ffmpeg, which is not on the PATH: install it, or write a .gif" in done.stderr
    assert trellis("movie", run).returncode == 0
    assert len(frames(tmp_path / "trellis.gif")) == 5
    (tmp_path / "ffmpeg").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "ffmpeg").chmod(0o755)
    with pytest.raises(RunError, match=r"^cannot write '.*b.mp4': ffmpeg has failed$"):
        tr.plot.movie(run, tmp_path / "b.mp4")
    assert not list(tmp_path.glob("*b.mp4*"))


def test_what_no_movie_is_made_of(run: Path, tmp_path: Path, trellis: Command) -> None:
    with pytest.raises(InputError, match=r"^'a.png' must end in .mp4 or .gif, which says what it is$"):
        tr.plot.movie(run, "a.png")
    with pytest.raises(InputError, match=r"^fps is 0, but must be from 1 to 100$"):
        tr.plot.movie(run, "a.gif", fps=0)
    with pytest.raises(InputError, match=r"^there is no file '.*nowhere'$"):
        tr.plot.movie(tmp_path / "nowhere", "a.gif")
    before = (run / "snapshot_0001.hdf5").read_bytes()
    done = trellis("movie", run, "-o", run / "snapshot_0001.hdf5", "--overwrite")
    assert done.returncode == 2
    assert "is read by this command, and stays as it is" in done.stderr
    assert (run / "snapshot_0001.hdf5").read_bytes() == before


def test_a_snapshot_that_is_being_written_is_left_out(run: Path, tmp_path: Path) -> None:
    (run / ".snapshot_0005.hdf5.part").write_bytes(b"some of it")
    shutil.copy(run / "snapshot_0004.hdf5", run / "snapshot_0005.0.hdf5")
    with h5py.File(run / "snapshot_0005.0.hdf5", "r+") as file:
        file["Header"].attrs["NumFilesPerSnapshot"] = 2
    assert tr.plot.movie(run, tmp_path / "a.gif") == 5

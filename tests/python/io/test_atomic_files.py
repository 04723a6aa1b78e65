"""Files appear whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import trellis as tr
from trellis.errors import InputError, RunError
from trellis.io import write_snapshot
from trellis.io.atomic import replacing, write_text
from trellis.io.hdf5 import new_hdf5


def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(KeyError), replacing(path) as file:  # noqa: PT012
        file.write(b"ne")
        assert path.read_text() == "old"
        raise KeyError
    assert path.read_text() == "old"
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("where", ["nowhere/a.hdf5", "file/a.hdf5", "."])
def test_places_where_no_file_can_be(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write '.*': (no such file|not a directory|is a directory)"):
        write_snapshot(tmp_path / where, tr.ic.sphere(10))


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_names_of_no_file(name: str) -> None:
    with pytest.raises(InputError, match="this is no name of a file"):
        write_snapshot(name, tr.ic.sphere(10))


def test_a_pipe_or_a_device_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("pipe", "link"):
        with pytest.raises(InputError, match=f"cannot write '.*{name}': it is a device or a pipe"):
            write_snapshot(tmp_path / name, tr.ic.sphere(10))
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("time", [float("nan"), float("inf")])
def test_a_snapshot_has_a_time(tmp_path: Path, time: float) -> None:
    with pytest.raises(InputError, match=f"^time is {time}, but must be a finite number$"):
        write_snapshot(tmp_path / "a.hdf5", tr.ic.sphere(10), time=time)
    assert not list(tmp_path.iterdir())


def fill(path: Path) -> None:
    with new_hdf5(path) as file:
        for k in range(20):
            file[f"column{k}"] = np.random.default_rng(k).random(5000)


# In a process of its own: a limit on the size of files stands for a full disk, which fails in the same call.
FULL = """
import resource, signal, sys
from pathlib import Path
from trellis.errors import RunError
from trellis.io import write_snapshot
import trellis as tr
particles = tr.ic.sphere(50_000)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    write_snapshot(Path(sys.argv[1]), particles)
except RunError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("size", [0, 100, 4096, 1_000_000, 3_000_000])
def test_a_disk_that_fills_up(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.hdf5"
    path.write_text("what was there")
    done = subprocess.run([sys.executable, "-c", FULL, path, str(size)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"cannot write '{path}': file too large\n"
    assert path.read_text() == "what was there"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.hdf5"]


def test_a_full_file_system(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    try:
        with pytest.raises(RunError, match="no space left on device"):
            fill(disk / "a.hdf5")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], check=True)


def test_hdf5_files_are_complete(tmp_path: Path) -> None:
    fill(tmp_path / "a.hdf5")
    with h5py.File(tmp_path / "a.hdf5") as file:
        for k in range(20):
            assert np.array_equal(file[f"column{k}"][:], np.random.default_rng(k).random(5000))

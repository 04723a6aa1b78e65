"""Compiled interactions in the user's cache folder."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import trellis as tr
from trellis.interactions.code import cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache.folder()


def test_what_was_written_is_read_from_a_folder_of_the_user_alone(folder: Path) -> None:
    assert cache.read("key") is None
    cache.write("key", b"code")
    assert cache.read("key") == b"code"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert [each.name for each in folder.iterdir()] == ["key"]


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o755])
def test_a_folder_that_others_may_enter_is_neither_read_nor_written(folder: Path, mode: int) -> None:
    cache.write("key", b"code")
    folder.chmod(mode)
    assert cache.read("key") is None
    cache.write("other", b"code")
    assert not (folder / "other").exists()


def test_a_file_that_others_may_write_is_not_read(folder: Path) -> None:
    cache.write("key", b"code")
    (folder / "key").chmod(0o620)
    assert cache.read("key") is None


def test_a_folder_below_one_that_others_may_write_is_not_read(folder: Path) -> None:
    cache.write("key", b"code")
    folder.parent.chmod(0o777)
    assert cache.read("key") is None
    folder.parent.chmod(0o1777)  # there no user may move what another owns
    assert cache.read("key") == b"code"


def test_links_and_damaged_files_are_not_read(folder: Path) -> None:
    cache.write("key", b"code")
    (folder / "link").symlink_to(folder / "key")
    assert cache.read("link") is None
    content = bytearray((folder / "key").read_bytes())
    content[-1] ^= 1
    (folder / "key").write_bytes(bytes(content))
    assert cache.read("key") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_another_user_owns_is_not_read(folder: Path) -> None:
    cache.write("key", b"code")
    os.chown(folder / "key", 12345, -1)
    assert cache.read("key") is None
    os.chown(folder / "key", 0, -1)
    os.chown(folder, 12345, -1)
    assert cache.read("key") is None


def test_without_llvm_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    with pytest.raises(ValueError, match="need llvmlite: pip install 'trellis-particles"):
        tr.pair_potential("r", cutoff=1.0)


def test_another_process_compiles_nothing(folder: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from own_interactions import lennard_jones
import llvmlite.binding as llvm
target = llvm.TargetMachine.emit_object
llvm.TargetMachine.emit_object = lambda *given: print("compiled") or target(*given)
print(lennard_jones(cutoff=2.5))
"""
    outputs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split("\n")
        for _ in range(2)
    ]
    assert outputs[0][:2] == ["compiled", "lennard_jones(cutoff=2.5)"]
    assert outputs[1][:1] == ["lennard_jones(cutoff=2.5)"]
    assert len(list(folder.iterdir())) == 1

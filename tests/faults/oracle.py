"""Conditions that hold after each process of a run, whatever has happened to it, and at the run's end."""

from __future__ import annotations

from pathlib import Path

import h5py
from disturbed_run import PART, DisturbedRun, Ended, written

from trellis.output.energy_log import read_energy_log

STOPPED = {75, 129, 130, 143}
"""Exit codes of a run that has stopped with a checkpoint."""


def check_process(run: DisturbedRun, ended: Ended, *allowed: int) -> None:
    """A process has ended by itself, with one of these codes: what it said and left is what the code promises."""
    assert ended.code in allowed, f"exit code {ended.code} is not one of {allowed}: {ended.errors}"
    assert "Traceback" not in ended.errors, ended.errors
    if ended.code == 0:
        check_complete(run)
    if ended.code in STOPPED:
        assert ended.output.count("Stopped with a checkpoint") == 1, ended.output
        check_stopped(run)
    if ended.code in (1, 2):
        said = "error: " if run.ranks == 1 else "trellis: rank "
        assert ended.errors.count(said) == 1, ended.errors


def check_complete(run: DisturbedRun) -> None:
    """The folder is, bit for bit, that of the run that nothing disturbed, and nothing else is left in it."""
    assert names(run.folder) == names(run.reference)
    assert (run.folder / "overview.png").stat().st_size > 0
    found, expected = written(run.folder), written(run.reference)
    unlike = [name for name in expected if found[name] != expected[name]]
    assert not unlike, f"{unlike} are not those of the unbroken run"


def check_stopped(run: DisturbedRun) -> None:
    """The checkpoint is that of the last step, and nothing temporary is left."""
    assert checkpoint_step(run) == last_step(run)
    check_tidy(run)


def check_tidy(run: DisturbedRun) -> None:
    """Neither a lock nor a temporary file is left, but by kill -9."""
    left = [name for name in names(run.folder) if name.startswith(".") or name == "run.lock"]
    assert not left, f"{left} were left behind"


def last_step(run: DisturbedRun) -> int:
    """Return the last step in the log."""
    return int(read_energy_log(run.folder / "energy.csv")["step"][-1])


def checkpoint_step(run: DisturbedRun) -> int:
    """Return the step of the checkpoint; -1 without one."""
    try:
        with h5py.File(run.folder / "checkpoint.hdf5") as file:
            return int(file.attrs["step_count"])
    except FileNotFoundError:
        return -1


def names(folder: Path) -> list[str]:
    """Return the names of a folder's files; parts of checkpoints without the checkpoint's number."""
    return sorted(PART.sub(r"checkpoint.*.\1", path.name) for path in folder.iterdir())


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder as they are."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}

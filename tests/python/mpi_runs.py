"""Runs that mpirun starts on several ranks, and that a test disturbs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import MPI

RUN = ["-m", "trellis", "run"]


def output(folder: Path) -> list[str]:
    return ["--set", f"run.output={folder}"]


@contextmanager
def begun(folder: Path, *arguments: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A run on three ranks that has done a few steps."""
    process = subprocess.Popen(
        ["mpirun", "-n", "3", sys.executable, *RUN, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **MPI, **environment},
    )
    try:
        log = folder / "energy.csv"
        while process.poll() is None and not (log.exists() and log.read_text().count("\n") > 5):
            time.sleep(0.001)
        assert process.poll() is None, process.communicate()
        yield process
    finally:
        process.kill()
        process.communicate()


def ranks_of(mpirun: subprocess.Popen[str]) -> list[int]:
    """Processes of the ranks, in their order."""
    return [int(rank) for rank in Path(f"/proc/{mpirun.pid}/task/{mpirun.pid}/children").read_text().split()]

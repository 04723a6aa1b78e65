"""Commands as forks of one process do as processes of their own do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command


@pytest.mark.parametrize(
    "command",
    [
        ["--help"],
        ["info"],
        ["nothing"],
        ["run", "nowhere.toml"],
        ["ic", "sphere", "--particles", "9", "-o", "out.hdf5", "--overwrite"],
        ["check", "collapse.toml", "--set", "run.until=soon"],
    ],
    ids=" ".join,
)
def test_a_fork_prints_and_ends_as_a_process_does(
    parameter_file: Path, trellis: Command, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(parameter_file.parent)
    forked = trellis(*command)
    alone = subprocess.run(
        [sys.executable, "-m", "trellis", *command],
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (forked.returncode, forked.stdout, forked.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert forked.stdout + forked.stderr != ""

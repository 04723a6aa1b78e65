from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import trellis as tr

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_plummer(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "plummer.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    values = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines() if line.startswith(("energy", "virial")))
    assert abs(float(values["energy error"])) < 1e-3
    assert 0.95 < float(values["virial ratio"]) < 1.05
    assert len(tr.io.read_snapshot(tmp_path / "plummer.hdf5").particles) == 20_000
    assert (tmp_path / "plummer.png").exists()


def test_the_packages_own_example() -> None:
    assert doctest.testmod(tr).attempted > 0
    assert doctest.testmod(tr).failed == 0

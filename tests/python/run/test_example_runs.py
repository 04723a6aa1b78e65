from __future__ import annotations

import doctest
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType

import pytest

import trellis as tr
from trellis.forces import external_function

EXAMPLES = Path(__file__).parents[3] / "examples"


def run(folder: Path, name: str, instead: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Run an example with some of its text replaced; return the lines that it prints."""
    program = (EXAMPLES / name).read_text(encoding="utf-8")
    for own, other in instead.items():
        assert own in program
        program = program.replace(own, other)
    (folder / name).write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, name],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_plummer(tmp_path: Path) -> None:
    lines = run(tmp_path, "plummer.py")
    values = dict(line.rsplit(" ", 1) for line in lines if line.startswith(("energy", "virial")))
    assert abs(float(values["energy error"])) < 1e-3
    assert 0.95 < float(values["virial ratio"]) < 1.05
    assert len(tr.io.read_snapshot(tmp_path / "plummer.hdf5").particles) == 20_000
    assert (tmp_path / "plummer.png").exists()


def test_bar_and_disc(tmp_path: Path) -> None:
    jacobi, spread = run(tmp_path, "bar_and_disc.py", {"20_000": "500", "until=20.0": "until=10.0"})[-2:]
    assert float(jacobi.split()[-1]) < 1e-3
    assert float(spread.split()[-1]) > 0.1
    assert (tmp_path / "bar_and_disc.png").exists()


def test_satellite(tmp_path: Path) -> None:
    energy, lost = run(tmp_path, "satellite.py", {"2000": "300", "until=50.0": "until=25.0"})[-2:]
    assert abs(float(energy.split()[-1])) < 1e-3
    assert 0.02 < float(lost.split()[-1]) < 0.9
    assert (tmp_path / "satellite.png").exists()


def test_lj_minima(tmp_path: Path) -> None:
    lines = run(tmp_path, "lj_minima.py", {"CLUSTERS = 2000": "CLUSTERS = 200"})
    different, lowest, share = (float(line.split()[-1]) for line in lines)
    assert 30 < different < 150
    assert lowest == pytest.approx(-44.326801, abs=1e-6)
    assert 0.03 < share < 0.3
    assert (tmp_path / "lj_minima.png").exists()


def test_polymer_melt(tmp_path: Path) -> None:
    smaller = {
        "CHAINS, BEADS, STEPS = 40, 100, 10_000": "CHAINS, BEADS, STEPS = 12, 50, 1000",
        "steps=500": "steps=200",
    }
    lines = run(tmp_path, "polymer_melt.py", smaller)
    temperature, pressure, energy = (float(line.split()[-3].rstrip(",")) for line in lines[:3])
    assert temperature == pytest.approx(0.97, abs=0.06)
    assert pressure == pytest.approx(4.66, abs=0.4)
    assert energy == pytest.approx(20.94 * 49 / 50 * 100 / 99, abs=0.4)
    assert float(lines[3].split()[-1]) == pytest.approx(0.9656, abs=0.005)
    assert (tmp_path / "polymer_melt.png").exists()


def test_core_collapse(tmp_path: Path) -> None:
    lines = run(tmp_path, "core_collapse.py", {"= 1000, 64, 120.0, 0.5": "= 8, 64, 60.0, 0.5"})
    assert int(lines[0].split()[1]) >= 3
    assert 5 < float(lines[1].split()[1]) < 60
    assert float(lines[2].split()[-1]) < 0.01
    assert (tmp_path / "core_collapse.png").exists()


@pytest.mark.parametrize("module", [tr, tr.external, external_function], ids=lambda module: module.__name__)
def test_the_examples_of_docstrings(module: ModuleType) -> None:
    done = doctest.testmod(module)
    assert done.attempted > 0
    assert done.failed == 0

"""``trellis model sites`` and ``trellis model memory``: what they print, the files that are read, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from typer.testing import CliRunner

from trellis.cli.app import app
from trellis.model.sites import BUILT_IN, Run, find_site_machine, our_parts, paper_parts
from trellis.model.sites.parts import OUR_ROWS, ROWS

WIDE = {"COLUMNS": "150"}


def test_both_tables_are_printed() -> None:
    options = ["--particles", "1e9", "--mesh", "128", "--processes", "64", "--sites", "4", "--sites", "2"]
    result = CliRunner().invoke(app, ["model", "sites", "--system", "das-3", *options], env=WIDE)
    assert result.exit_code == 0, result.output
    rows = [line.strip("│").split("│") for line in result.output.splitlines() if line.startswith("│")]
    printed = [[cell.strip() for cell in row] for row in rows]
    assert [row[0] for row in printed] == [*ROWS, *OUR_ROWS]
    columns = [Run(1e9, 128**3, 0.5, 64, s) for s in (2, 4)]
    for row in printed[: len(ROWS)]:
        assert row[1:] == [f"{paper_parts(run, BUILT_IN['das-3'])[row[0]]:.4g}" for run in columns]
    for row in printed[len(ROWS) :]:
        assert row[1:] == [f"{our_parts(run, BUILT_IN['das-3'])[row[0]]:.4g}" for run in columns]


def test_parts_add_up() -> None:
    run = Run(512**3, 128**3, 0.3, 120, 3)
    paper = paper_parts(run, BUILT_IN["gbbp"])
    assert sum(list(paper.values())[:7]) == pytest.approx(paper["Total"])
    ours = our_parts(run, BUILT_IN["gbbp"])
    assert ours["Force and local"] + ours["Wide area, visible"] == pytest.approx(ours["Total"])


def test_a_file_is_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "ring.toml"
    path.write_text("[wan]\nlatency = 0.15\nshared = true\n")
    machine = find_site_machine(str(path))
    assert (machine.wan.latency, machine.wan.shared, machine.wan.bandwidth) == (0.15, True, 400e6)
    assert machine.cores == BUILT_IN["global-grid"].cores


@pytest.mark.parametrize(
    ("particles", "printed"), [("8589934592", "850.4 GB"), ("549755813888", "5.443e+04 GB")], ids=["850 GB", "54 TB"]
)
def test_memory_of_the_paper(particles: str, printed: str) -> None:
    result = CliRunner().invoke(app, ["model", "memory", "--particles", particles])
    assert result.exit_code == 0, result.output
    assert printed in result.output


def test_refusals(tmp_path: Path, trellis: Command) -> None:
    done = trellis("model", "sites", "--processes", "8")
    assert done.returncode == 2
    assert "'--sites' is 16, but there are only 8 processes" in done.stderr
    path = tmp_path / "ring.toml"
    path.write_text("[exchange]\nbehind = 1.5\n")
    done = trellis("model", "sites", "--system", path)
    assert done.returncode == 2
    assert f"error: {path}: 'exchange.behind' is 1.5, but must be" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1

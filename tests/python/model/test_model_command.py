"""``trellis model``: its tables and its refusals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command
from typer.testing import CliRunner

from trellis.cli.app import app
from trellis.model import BUILT_IN, Work, calibrate
from trellis.model.methods import column
from trellis.model.prediction import predict as predicted
from trellis.model.step import t_step_single

runner = CliRunner()
WIDE = {"COLUMNS": "200"}


def row(output: str, name: str) -> list[str]:
    """The cells of a row of the printed table."""
    lines = [line for line in output.splitlines() if name in line]
    assert len(lines) == 1, output
    return [cell.strip() for cell in lines[0].strip("│").split("│")][1:]


def test_predict_prints_table_2() -> None:
    result = runner.invoke(app, ["model", "predict", "--group", "230", "--system", "titan-v"], env=WIDE)
    assert result.exit_code == 0, result.output
    columns = [column(method, Work(2**22, 0.5, 230), BUILT_IN["titan-v"]) for method in ("C1", "G1", "G2", "G2", "G3")]
    for name in ("Calculate force", "Calculate multipole moment, global tree", "Write back"):
        whole = next(each for each in columns[0].rows if each.startswith(name))
        assert row(result.output, name) == [f"{values.rows[whole]:.4g}" for values in columns]
    assert row(result.output, "Total") == [f"{values.total:.4g}" for values in columns]
    assert row(result.output, "Set root cell")[-1] == "-"
    mean = t_step_single(Work(2**22, 0.5, 230), BUILT_IN["titan-v"], 16)
    assert float(row(result.output, "Mean step")[-1]) == pytest.approx(mean, rel=1e-3)


NARROW = [
    ["predict"],
    ["predict", "--group", "230", "--method", "G3"],
    ["predict", "--ranks", "1024", "--particles", "1073741824", "--system", "reference"],
    ["remote"],
    ["replicas"],
    ["replicas", *(word for devices in range(1, 13) for word in ("--devices", f"{4 * devices}"))],
    ["sites"],
]


@pytest.mark.parametrize("words", NARROW, ids=" ".join)
def test_a_prediction_fits_a_terminal_of_80_columns(words: list[str]) -> None:
    def printed(columns: str) -> list[list[str]]:
        output = runner.invoke(app, ["model", *words], env={"COLUMNS": columns}).output
        assert max(map(len, output.splitlines())) <= int(columns)
        assert "\N{HORIZONTAL ELLIPSIS}" not in output
        return [line.replace("│", " ").split() for line in output.splitlines()]

    def numbers(line: list[str]) -> int:
        return next((k for k, word in enumerate(reversed(line)) if not re.fullmatch(r"-|[0-9.]+(e.\d+)?", word)), 0)

    narrow = [(line[: len(line) - numbers(line)], numbers(line)) for line in printed("80")]
    for line in printed("300"):
        if line and numbers(line) > 0 and line[0][0] not in "┏┡├└":
            name = line[: len(line) - numbers(line)]
            assert any(found == name and count > 0 for found, count in narrow), name


def test_predict_is_short_on_80_columns() -> None:
    lines = runner.invoke(app, ["model", "predict"], env={"COLUMNS": "80"}).output.splitlines()
    rows = len(predicted(BUILT_IN["titan-v"], 1 << 22, 0.5, None, 16, 1, None).rows)
    assert len(lines) <= rows + 6  # a title, a note, headings
    assert next(line for line in lines if line.startswith("Calculate force")).split()[2:] == [
        *("0.741", "0.118", "0.107", "0.203", "0.0712")
    ]


def test_predict_one_method() -> None:
    result = runner.invoke(app, ["model", "predict", "--method", "C1", "--theta", "0.8"], env=WIDE)
    assert "G3" not in result.output
    assert len(row(result.output, "Total")) == 1


def test_predict_many_ranks() -> None:
    options = ["--ranks", "64", "--particles", "67108864", "--system", "reference", "--group", "250"]
    result = runner.invoke(app, ["model", "predict", *options], env=WIDE)
    assert result.exit_code == 0, result.output
    assert row(result.output, "Determine domains")[1] == "-"
    assert float(row(result.output, "point to point")[0]) > 0
    single = t_step_single(Work(2**20, 0.5, 250, 64), BUILT_IN["reference"], 16)
    assert float(row(result.output, "Mean step")[0]) > single


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "G4"], "'--method' is 'G4': did you mean 'G1'?"),
        (["--method", "G1", "--ranks", "4"], "the model holds for G3 only"),
        (["--particles", "100", "--ranks", "64"], "'--particles' is 100, but must be at least 8 for each"),
    ],
)
def test_predict_refuses(trellis: Command, options: list[str], sentence: str) -> None:
    done = trellis("model", "predict", *options)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert sentence.split("did you mean")[0] in done.stderr


def test_calibrate_then_predict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "STREAM_BYTES", 1 << 22)
    path = tmp_path / "system.toml"
    sizes = ["--particles", "1000", "--particles", "4000"]
    made = runner.invoke(app, ["model", "calibrate", *sizes, "--steps", "1", "-o", str(path)])
    assert made.exit_code == 0, made.output
    assert f"'{path}' written: B_host = " in made.output
    for reuse in (1, 4):
        options = ["--system", str(path), "--particles", "2000", "--reuse", str(reuse)]
        result = runner.invoke(app, ["model", "predict", *options], env=WIDE)
        assert result.exit_code == 0, result.output
        first, later = (float(value) for value in row(result.output, "Total"))
        assert 0 < first < 1
        assert 0 < later < 1
        mean = (first + (reuse - 1) * later) / reuse
        assert float(row(result.output, "Mean step")[0]) == pytest.approx(mean, rel=2e-3)
    assert row(result.output, "Make interaction list")[1] == "-"
    made, checked = row(result.output, "Check lists")
    assert made == "-"
    assert 0 < float(checked) < later


def test_calibrate_needs_two_sizes(tmp_path: Path, trellis: Command) -> None:
    done = trellis("model", "calibrate", "--particles", 1000, "-o", tmp_path / "system.toml")
    assert done.returncode == 2
    assert "at least two" in done.stderr

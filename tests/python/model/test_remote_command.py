"""``trellis model remote``: its tables, the files that it reads, and its refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from typer.testing import CliRunner

from trellis.cli.app import app
from trellis.model.remote import BUILT_IN, CASES, find_remote_machine, seconds_of
from trellis.model.remote.cases import FORCE_CASES, GAS_CASES, ROWS

NETWORK = """
[upload]
latency = 2e-5
bandwidth = 118e6
[download]
latency = 3e-5
bandwidth = 112e6
[launch]
latency = 6e-6
"""


def cells_of(output: str) -> dict[str, list[list[str]]]:
    """The cells of the printed rows by their names, those of both tables."""
    rows: dict[str, list[list[str]]] = {}
    for line in output.splitlines():
        if line.startswith("│"):
            name, *cells = (cell.strip() for cell in line.strip("│").split("│"))
            rows.setdefault(name, []).append(cells)
    return rows


def test_both_tables_are_printed() -> None:
    result = CliRunner().invoke(app, ["model", "remote", "--particles", "5000", "--neighbours", "30"])
    assert result.exit_code == 0, result.output
    printed = cells_of(result.output)
    assert set(printed) == {row.strip() for row in ROWS}
    for row in ("Total", "GRAPE", "Download of lists (a_7)"):
        name = next(each for each in ROWS if each.strip() == row)
        for cells, cases in zip(printed[row], (FORCE_CASES, GAS_CASES), strict=True):
            seconds = [seconds_of(case, 5000, 30, BUILT_IN["classic"]).get(name) for case in cases.values()]
            assert cells == ["-" if value is None else f"{value:.4g}" for value in seconds]


def test_a_measured_network_is_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "network.toml"
    path.write_text(NETWORK)
    machine = find_remote_machine(str(path))
    assert (machine.upload.latency, machine.upload.bandwidth) == (2e-5, 118e6)
    assert (machine.download.latency, machine.download.bandwidth) == (3e-5, 112e6)
    assert machine.launch.latency == 6e-6
    assert machine.grape == BUILT_IN["classic"].grape  # not in the file: the paper's
    result = CliRunner().invoke(app, ["model", "remote", "--system", str(path)])
    upload = f"{2e-5 + 16 * 10_000 / 118e6:.4g}"
    assert cells_of(result.output)["Upload (a_4)"] == [["-", "-", upload, upload], ["-", upload, upload, upload]]
    assert "network, N = 10,000" in result.output


def test_all_of_a_machine_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(NETWORK + "[grape]\nN_chip = 1\nt_pair = 1e-10\n[slave]\na_6 = 0\n[messages]\nb_up = 14\n")
    machine = find_remote_machine(str(path))
    rows = seconds_of(CASES["RGN"], 10_000, 40, machine)
    assert rows["  Pairs (a_1)"] == pytest.approx(0.01)
    assert rows["  Neighbour lists made (a_6)"] == 0
    assert rows["  Upload (a_4)"] == pytest.approx(2e-5 + 14 * 10_000 / 118e6)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[upload]\nlatency = -1.0\n", "'upload.latency' is -1.0, but must be at least 0"),
        ("[download]\nbandwidth = 0\n", "'download.bandwidth' is 0, but must be above 0"),
        ("[upload]\nlatncy = 1.0\n", "unknown key 'upload.latncy': did you mean 'upload.latency'?"),
        ("[uplink]\nlatency = 1.0\n", "unknown section 'uplink'"),
        ("launch = 1.0\n", "'launch' is 1.0, but must be a section, [launch]"),
    ],
)
def test_a_bad_file_is_one_sentence_and_exit_code_2(tmp_path: Path, trellis: Command, text: str, sentence: str) -> None:
    path = tmp_path / "network.toml"
    path.write_text(text)
    done = trellis("model", "remote", "--system", path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert f"error: {path}: {sentence}" in done.stderr


def test_a_machine_that_is_not_there(trellis: Command) -> None:
    done = trellis("model", "remote", "--system", "classik")
    assert done.returncode == 2
    assert "'classik' is no system and no file: did you mean 'classic'?" in done.stderr

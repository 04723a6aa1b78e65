"""``trellis model replicas``: its tables, the files that it reads, and its refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from typer.testing import CliRunner

from trellis.cli.app import app
from trellis.model.remote.machine import Launch, Transfer
from trellis.model.remote.measure import Network, to_toml
from trellis.model.replicas import BUILT_IN, Exchange, find_replica_machine, pipelined_parts, seconds_of_parts
from trellis.model.replicas.parts import PIPELINED_ROWS, ROWS

NETWORK = Network(
    Transfer(latency=2e-6, bandwidth=1.5e9), Transfer(latency=6e-5, bandwidth=1.25e9), Launch(), {1: 1e-4}
)
WIDE = {"COLUMNS": "150"}


def cells_of(output: str) -> dict[str, list[list[str]]]:
    """The cells of the printed rows by their names, those of both tables."""
    rows: dict[str, list[list[str]]] = {}
    for line in output.splitlines():
        if line.startswith("│"):
            name, *cells = (cell.strip() for cell in line.strip("│").split("│"))
            rows.setdefault(name, []).append(cells)
    return rows


def test_both_tables_are_printed() -> None:
    options = ["--replicas", "4096", "--energies", "10", "--devices", "64", "--devices", "16"]
    result = CliRunner().invoke(app, ["model", "replicas", "--system", "tsubame-2048", *options], env=WIDE)
    assert result.exit_code == 0, result.output
    printed = cells_of(result.output)
    assert set(printed) == {row.strip() for row in [*ROWS, *PIPELINED_ROWS]}
    machine, exchange = BUILT_IN["tsubame-2048"], Exchange(4096, 10)
    for row in ROWS:
        seconds = [seconds_of_parts(n, exchange, machine)[row] for n in (16, 64)]
        assert printed[row.strip()][0] == [f"{value:.4g}" for value in seconds]
    for row in PIPELINED_ROWS:
        seconds = [pipelined_parts(n, exchange, machine)[row] for n in (16, 64)]
        assert printed[row.strip()][-1] == [f"{value:.4g}" for value in seconds]


def test_parts_add_up() -> None:
    paper = seconds_of_parts(64, Exchange(), BUILT_IN["tsubame-256"])
    inner = sum(seconds for row, seconds in paper.items() if row.startswith("  "))
    assert inner == pytest.approx(paper["Communication (t_com)"])
    whole = paper["Devices (t_gpu)"] + paper["Communication (t_com)"] + paper["Client (t_clt)"]
    assert paper["Total"] == pytest.approx(whole)
    ours = pipelined_parts(64, Exchange(), BUILT_IN["tsubame-256"])
    assert sum(seconds for row, seconds in ours.items() if row.startswith("  ")) == pytest.approx(ours["Client"])


def test_without_options_it_is_table_2() -> None:
    result = CliRunner().invoke(app, ["model", "replicas"], env=WIDE)
    assert "tsubame-256, 14,336 replicas, energies of each: 100" in result.output
    totals = [float(cell) for cell in cells_of(result.output)["Total"][0]]
    assert totals == pytest.approx([37.049, 0.597, 0.174, 0.108, 0.254], rel=0.005)


def test_a_measured_network_is_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "network.toml"
    path.write_text(to_toml(NETWORK, "trellis://gpubox/cuda:0"))
    machine = find_replica_machine(str(path))
    for section in ("upload", "download"):
        assert getattr(machine, section).model_dump() == getattr(NETWORK, section).model_dump()
    assert machine.launch.latency == 0
    assert machine.device == BUILT_IN["tsubame-256"].device  # not in the file: the paper's
    path.write_text(path.read_text() + "[client]\nt_call = 0\nt_answer = 1e-6\n[device]\nt_gpu0 = 1.0\n")
    parts = pipelined_parts(4, Exchange(4, 1), find_replica_machine(str(path)))
    assert parts["Slowest device"] == 1
    assert parts["Latency"] == pytest.approx(6.2e-5)
    assert parts["  Answers of all devices"] == pytest.approx(4 * (1e-6 + 3e-8 + 24 / 1.25e9))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[device]\nslowest = 0.5\n", "'device.slowest' is 0.5, but must be at least 1"),
        ("[client]\nt_cal = 1e-6\n", "unknown key 'client.t_cal': did you mean 'client.t_call'?"),
        ("[grape]\nN_chip = 8\n", "unknown section 'grape'"),
    ],
)
def test_a_bad_file_is_one_sentence_and_exit_code_2(tmp_path: Path, trellis: Command, text: str, sentence: str) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(text)
    done = trellis("model", "replicas", "--system", path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert f"error: {path}: {sentence}" in done.stderr


def test_a_machine_that_is_not_there(trellis: Command) -> None:
    done = trellis("model", "replicas", "--system", "tsubame-265")
    assert done.returncode == 2
    assert "'tsubame-265' is no system and no file: did you mean 'tsubame-256'?" in done.stderr

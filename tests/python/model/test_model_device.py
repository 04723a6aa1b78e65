"""Trellis with a device: rows are those of a run; calibration finds the coefficients that made the times."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from typer.testing import CliRunner

from trellis.cli.app import app
from trellis.errors import InputError
from trellis.model import calibrate as host_side
from trellis.model import calibrate_device as module
from trellis.model import find_system
from trellis.model.calibrate_device import MeasuredSteps, calibrate_device, check_device, measure_steps, parts_of
from trellis.model.prediction import predict
from trellis.model.trellis_device import (
    COPY_ALL,
    COPY_FORCE,
    FORCE,
    KERNEL,
    ROWS,
    SEND_ALL,
    TREE,
    WAIT,
    DeviceCalibration,
    Rates,
    all_parts,
    at_the_same_time,
    construction_step,
    reusing_step,
    total,
)

RATES = Rates(B_host=20e9, B_transfer=10e9, F_GPU=1e12)
TRUE = DeviceCalibration(
    name="cpu",
    sizes=[1000, 30_000],
    threads=1,
    theta=0.6,
    group_size=64,
    alpha_root=[1.5, 1.25],
    alpha_key=[2.5, 2.25],
    alpha_sort=[3.5, 3.25],
    alpha_reorder=[4.5, 4.25],
    alpha_link=[5.5, 5.25],
    alpha_mom=[6.5, 6.25],
    alpha_const_list=[7.5, 7.25],
    alpha_check_list=[9.5, 9.25],
    alpha_integration=[8.5, 8.25],
    alpha_cp_all=[1.2, 1.1],
    alpha_cp_list=[1.4, 1.3],
    alpha_cp_FORCE=[1.6, 1.5],
    alpha_H2D_all=[1.3, 1.0],
    alpha_H2D_list=[1.8, 1.7],
    alpha_D2H_FORCE=[2.2, 2.1],
    alpha_GPU_calc=[1.9, 1.0],
    alpha_overlap=[1.05, 1.15],
    pairs_base=500.0,
    pairs_slope=120.0,
)


def measured_by_the_model(n: int) -> MeasuredSteps:
    """What a run of steps would show, if it took the times of the equations."""
    parts = all_parts(n, RATES, TRUE)
    waiting = TRUE.alpha("alpha_overlap", n) * at_the_same_time(parts)
    waiting -= parts["Make interaction list"] + parts["Copy interaction list"]
    first = {**parts, WAIT: waiting, "upload_seconds": 4 * parts["H2D interaction list"], "bytes_up": 4e6}
    later = {**parts, WAIT: parts[SEND_ALL] + parts[KERNEL], "upload_seconds": parts[SEND_ALL], "bytes_up": 3e6}
    both = {"download_seconds": parts["D2H FORCE"], "kernel_seconds": parts[KERNEL], "batches": 4}
    return MeasuredSteps(
        {name: [value] for name, value in {**first, **both}.items()},
        {name: [value] for name, value in {**later, **both}.items()},
        TRUE.pairs(n),
    )


def test_calibration_finds_the_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "measure_steps", lambda n, *_: measured_by_the_model(n))
    monkeypatch.setattr(module, "device_bandwidth", lambda _: 3e11)
    monkeypatch.setattr("trellis._core.info", lambda: {"threads": 1})
    accelerator, found = calibrate_device(RATES.B_host, TRUE.sizes, TRUE.theta, 1, None, "cpu")
    assert accelerator.B_GPU == 3e11
    assert pytest.approx(RATES.F_GPU) == accelerator.F_GPU  # that of the faster size
    rates = Rates(RATES.B_host, accelerator.B_transfer, accelerator.F_GPU)
    for n in (1000, 5000, 30_000):
        for step in (construction_step, reusing_step):
            assert step(n, rates, found) == pytest.approx(step(n, RATES, TRUE))


def test_kernels_take_what_is_waited_for_beyond_the_sending() -> None:
    steps = measured_by_the_model(30_000)
    steps.reusing[WAIT] = [0.05]
    steps.reusing["upload_seconds"] = [0.02]
    assert parts_of(steps)[KERNEL] == pytest.approx(0.03)
    steps.reusing["kernel_seconds"] = [0.8]  # of four batches, at most all at the same time
    assert parts_of(steps)[KERNEL] == pytest.approx(0.2)


def test_what_overlaps_counts_once() -> None:
    n = 30_000
    parts = all_parts(n, RATES, TRUE)
    reusing = reusing_step(n, RATES, TRUE)
    assert reusing[FORCE] == pytest.approx(parts[COPY_ALL] + parts[SEND_ALL] + parts[KERNEL] + parts[COPY_FORCE])
    fast = Rates(RATES.B_host, 1e15, 1e18)  # then the host's lists are all that counts
    on_host = parts["Make interaction list"] + parts["Copy interaction list"]
    expected = parts[COPY_ALL] + TRUE.alpha("alpha_overlap", n) * on_host + parts[COPY_FORCE]
    assert construction_step(n, fast, TRUE)[FORCE] == pytest.approx(expected, rel=1e-3)
    assert total(reusing) == pytest.approx(sum(spent for row, spent in reusing.items() if row[0] != " "))


def test_rows_are_those_of_a_run() -> None:
    measured = measure_steps(2000, 0.7, 1, None, "cpu")
    assert all(min(measured.construction[row]) > 0 for row in (*TREE, WAIT, COPY_ALL))
    assert measured.reusing["Make interaction list"] == [0.0]
    assert 0 < measured.reusing["bytes_up"][0] < measured.construction["bytes_up"][0]
    assert all(seconds > 0 for seconds in parts_of(measured).values() if seconds != 0)


def test_calibrate_then_predict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_side, "STREAM_BYTES", 1 << 22)
    monkeypatch.setattr(module, "STREAM_PARTICLES", 2000)
    path = tmp_path / "system.toml"
    options = ["--particles", "1000", "--particles", "4000", "--steps", "1", "--group", "32", "--device", "cpu"]
    made = CliRunner().invoke(app, ["model", "calibrate", *options, "-o", str(path)])
    assert made.exit_code == 0, made.output
    assert "B_transfer = " in made.output
    system = find_system(str(path))
    assert system.device is not None
    assert set(system.device.model_dump()) == set(DeviceCalibration.model_fields)
    assert system.device.group_size == 32
    assert min(system.accelerator.model_dump().values()) > 1e8
    table = predict(system, 2000, 0.5, None, 4, 1, None)
    first, later = table.columns.values()
    assert set(table.rows) == {*ROWS, "Total", "Mean step"}
    assert all(0 < seconds < 1 for column in (first, later) for seconds in column.values())
    assert first["Mean step"] == pytest.approx((first["Total"] + 3 * later["Total"]) / 4)
    (constructing,) = predict(system, 2000, 0.5, None, 4, 1, "G2").columns.values()
    assert constructing["Mean step"] == constructing["Total"] == first["Total"]
    assert "Force kernel" in predict(system, 2000, 0.5, None, 4, 1, "C1").rows


@pytest.mark.parametrize(("theta", "ranks", "sentence"), [(0.7, 1, "'--theta' is 0.7"), (0.5, 2, "'--ranks' is 2")])
def test_what_was_not_measured_is_refused(theta: float, ranks: int, sentence: str) -> None:
    system = find_system("titan-v")
    calibrated = type(system)("here", system.host, system.accelerator, device=TRUE.model_copy(update={"theta": 0.5}))
    with pytest.raises(InputError, match=sentence):
        predict(calibrated, 1000, theta, None, 16, ranks, None)


def test_a_device_that_is_not_there(tmp_path: Path, trellis: Command) -> None:
    done = trellis("model", "calibrate", "--device", "cuda:99", "-o", tmp_path / "system.toml")
    assert done.returncode == 2
    assert "'--device' is 'cuda:99': on this machine, allowed are host, cpu" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    check_device("cpu")

"""Rates of the kernels of a device, beside those that an H200 had."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trellis.model.device_kernels import CARDS, EXPANSION_OPERATIONS, P2P_OPERATIONS, rate

RESULTS = Path(__file__).parents[3] / "bench/results/gpu-h200-f184582049.md"


def row(section: str, name: str) -> list[float]:
    """Return the numbers of a row of a table of the results."""
    cells = re.search(rf"^\| {name} \|(.*)\|$", section, re.MULTILINE)
    assert cells is not None
    return [float(cell) for cell in cells[1].split("|")]


@pytest.mark.parametrize("theta", ["0.5", "0.25", "0.75", "1"])
def test_pairs_of_a_step_take_what_their_rate_says(theta: str) -> None:
    section = RESULTS.read_text().split(f"### Monopoles, theta = {theta},")[1].split("###")[0]
    seconds = 1e-3 * row(section, "Total")[-1]
    pairs = 1e9 * row(section, "Gflop/s, whole step")[-1] * seconds / P2P_OPERATIONS
    predicted = pairs / rate("P2P", 2, CARDS["H200"])
    assert 0.9 < predicted / (1e-3 * row(section, "Force kernel")[-1]) < 1


def test_the_rate_of_pairs_is_the_one_measured() -> None:
    measured = float(re.search(r"\| 256 \| 2000 \| ([\d.]+) ", RESULTS.read_text())[1])  # type: ignore[index]
    assert rate("P2P", 2, CARDS["H200"]) == pytest.approx(1e9 * measured, rel=2e-3)


def test_twice_the_peak_and_bandwidth_halve_the_time() -> None:
    card = CARDS["A100 80 GB"]
    twice = type(card)(F=2 * card.F, B=2 * card.B)
    for kernel in ("P2P", *EXPANSION_OPERATIONS):
        assert rate(kernel, 4, twice) == pytest.approx(2 * rate(kernel, 4, card))


def test_moments_of_particles_wait_for_memory_and_cells_shared_by_a_group_do_not() -> None:
    card = CARDS["H200"]
    assert rate("P2M", 2, card) == pytest.approx(card.B / 32)
    assert rate("M2P", 5, card) == pytest.approx(card.F / EXPANSION_OPERATIONS["M2P"][3])

"""Trellis's own equations: phases are those of a run; calibration finds the coefficients that made the times."""

from __future__ import annotations

import itertools

import pytest

import trellis as tr
from trellis.errors import InputError
from trellis.model import calibrate as module
from trellis.model.calibrate import Measured, calibrate, copy_bandwidth, measure_phases
from trellis.model.trellis_cpu import CHECK, Calibration, all_phases, check_covers, construction_step, reusing_step

B_HOST = 20e9
TRUE = Calibration(
    sizes=[1000, 30_000, 500_000],
    threads=1,
    theta=0.6,
    group_size=64,
    alpha_root=[1.5, 1.25, 1.0],
    alpha_key=[2.5, 2.25, 2.0],
    alpha_sort=[3.5, 3.25, 3.0],
    alpha_reorder=[4.5, 4.25, 4.0],
    alpha_link=[5.5, 5.25, 5.0],
    alpha_mom=[6.5, 6.25, 6.0],
    alpha_const_list=[7.5, 7.25, 7.0],
    alpha_check_list=[9.5, 9.25, 9.0],
    alpha_integration=[8.5, 8.25, 8.0],
    pairs_base=500.0,
    pairs_slope=120.0,
    pair_rate=5e9,
)


ON_DEVICE = ["Copy all particles and tree cells", "Copy interaction list", "Wait for device", "Copy FORCE"]
EXCHANGES = ["Decompose domain", "Exchange ptcl", "Construct LET", "Exchange LET"]  # on several ranks only
MESH = ["Density assignment", "Mesh communication", "FFT", "Acceleration on mesh", "Force interpolation"]


def test_phases_are_those_of_a_run() -> None:
    gravity = tr.Gravity(theta=0.5, lists="reuse", reuse_steps=2)
    simulation = tr.Simulation(tr.ic.sphere(500), [gravity], timestep=1e-6)
    for predicted in (reusing_step, construction_step):
        simulation.step()
        spent = [phase for phase, seconds in simulation.phases.items() if seconds > 0]
        assert list(predicted(1000, B_HOST, TRUE)) == spent
    assert simulation.list_use == [{"constructions": 2, "early": 0, "reuses": 1, "prunings": 0, "asked": 0}]
    others = ON_DEVICE + EXCHANGES + MESH
    assert list(all_phases(1000, B_HOST, TRUE)) == [phase for phase in simulation.phases if phase not in others]


def test_what_the_kinds_of_step_share_costs_the_same() -> None:
    whole, part = construction_step(10**6, B_HOST, TRUE), reusing_step(10**6, B_HOST, TRUE)
    assert part.keys() - whole.keys() == {CHECK}
    assert whole.keys() - part.keys() == {
        "Set root cell",
        "Calculate key",
        "Sort key",
        "Link tree cell",
        "Make interaction list",
    }
    assert all(part[phase] == whole[phase] for phase in part.keys() & whole.keys())


def test_checking_reads_a_candidate_for_an_entry() -> None:
    n = 500_000
    entries = n / 64 * TRUE.pairs(n) / 16
    assert reusing_step(n, B_HOST, TRUE)[CHECK] == pytest.approx(9.0 * 64 * entries / B_HOST)


def test_times_follow_bandwidth_and_rate() -> None:
    slow = all_phases(10**6, B_HOST, TRUE)
    twice = TRUE.model_copy(update={"pair_rate": 2 * TRUE.pair_rate})
    fast = all_phases(10**6, 2 * B_HOST, twice)
    assert fast == pytest.approx({phase: seconds / 2 for phase, seconds in slow.items()})


def test_calibration_finds_the_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(n: int, theta: float, steps: int, group: int | None) -> Measured:
        assert (theta, group) == (TRUE.theta, None)
        first, later = construction_step(n, B_HOST, TRUE), reusing_step(n, B_HOST, TRUE)
        spread = [{phase: [0.0, value, 9.0][: steps + 1] for phase, value in kind.items()} for kind in (first, later)]
        return Measured(*spread, TRUE.pairs(n))

    monkeypatch.setattr(module, "copy_bandwidth", lambda _: B_HOST)
    monkeypatch.setattr(module, "measure_phases", measured)
    monkeypatch.setattr(module._core, "info", lambda: {"threads": 1})
    found = calibrate([1000, 30_000, 500_000], TRUE.theta, steps=2)
    assert found.host.B_host == B_HOST
    assert found.trellis is not None
    for name, value in TRUE.model_dump().items():
        assert getattr(found.trellis, name) == pytest.approx(value), name


def test_measured_phases() -> None:
    measured = measure_phases(2000, 0.7, 2)
    for kind, predicted in ((measured.construction, construction_step), (measured.reusing, reusing_step)):
        assert all(len(spent) == 2 for spent in kind.values())
        assert {phase for phase, spent in kind.items() if min(spent) > 0} == set(predicted(2000, B_HOST, TRUE))
    assert measured.medians()[CHECK] > 0
    assert 16 < measured.pairs < 2000


@pytest.mark.parametrize("threads", [1, 2])
def test_copy_bandwidth_counts_bytes_read_and_written(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STREAM_BYTES", 1 << 20)
    # a clock that goes a second further whenever it is asked: each copy takes one
    monkeypatch.setattr(module.time, "perf_counter", itertools.count().__next__)
    assert copy_bandwidth(threads) == 2 << 20


def test_factors_between_the_sizes() -> None:
    assert TRUE.alpha("alpha_key", 10) == 2.5
    assert TRUE.alpha("alpha_key", 30_000) == 2.25
    assert TRUE.alpha("alpha_key", (1000 * 30_000) ** 0.5) == pytest.approx(2.375)
    assert TRUE.alpha("alpha_key", 10**8) == 2.0


@pytest.mark.parametrize(
    ("theta", "group", "sentence"), [(0.7, None, "'--theta' is 0.7"), (0.6, 128.0, "'--group' is 128")]
)
def test_what_was_not_measured_is_refused(theta: float, group: float | None, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        check_covers(TRUE, theta, group)
    check_covers(TRUE, 0.6, 64.0)

"""The model against Iwasawa et al. (2020): Table 2, and the text on figures 5 to 12."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iwasawa_single_node import best_time, with_bandwidths
from trellis.model import BUILT_IN, Work
from trellis.model.force import t_interaction
from trellis.model.many_nodes import t_LET_allgather, t_LET_p2p, t_step_para
from trellis.model.methods import column, t_mean_step, t_step
from trellis.model.search import best_group
from trellis.model.step import t_step_single

N = 2**22
THETA = 0.5
TITAN_V, REFERENCE = BUILT_IN["titan-v"], BUILT_IN["reference"]
GROUPS = {"C1": 230, "G1": 1500, "G2": 230, "G3": 230}

# Table 2 where the model gives the same to 10 %.
TABLE_2 = {
    "G1": {
        "  Copy EPI": 0.0037,
        "  Copy interaction list (EPJ and SPJ)": 0.020,
        "  Copy FORCEs": 0.0060,
        "  Force kernel": 0.11,
        "  H2D EPI": 0.0042,
        "  H2D interaction list (EPJ and SPJ)": 0.034,
        "  D2H FORCE": 0.0067,
        "  Make interaction list (EPJ and SPJ)": 0.063,
    },
    "C1": {"Calculate force": 0.76, "  Make interaction list (EPJ and SPJ)": 0.16},
    "G2": {
        "Set root cell": 0.0066,
        "  Calculate key (local)": 0.0093,
        "  Sort key (local)": 0.044,
        "  Reorder ptcl (local)": 0.030,
        "  Calculate key (global)": 0.0,
        "  Sort key (global)": 0.042,
        "  Reorder ptcl (global)": 0.037,
        "Calculate multipole moment, global tree": 0.0065,
        "  Make interaction list (id)": 0.13,
        "  Copy EPI": 0.0037,
        "  Copy FORCEs": 0.0060,
        "  H2D EPI": 0.0042,
        "  H2D interaction list (id)": 0.022,
        "  D2H FORCE": 0.0067,
    },
    "G3": {
        "Calculate multipole moment, local tree": 0.0062,
        "Make global tree": 0.0071,
        "  Reorder ptcl (global)": 0.0071,
        "Calculate force": 0.072,
        "  Copy EPI": 0.0037,
        "  Copy FORCEs": 0.0060,
        "  H2D EPI": 0.0042,
        "  D2H FORCE": 0.0067,
        "Write back + integration (+ copy ptcl)": 0.025,
    },
}
# Rows of Table 2 that do not follow from Table 3: method, row, Table 2, and the model over that (see docs/model.md).
APART = [
    ("G2", "Calculate multipole moment, local tree", 0.0053, 1.14),
    ("G3", "Calculate multipole moment, global tree", 0.0068, 0.89),
    ("G2", "Calculate force", 0.21, 0.895),
    ("G2", "  Link tree cell (local)", 0.011, 2.59),
    ("G2", "  Link tree cell (global)", 0.011, 2.59),
    ("G3", "  Copy all particles and tree cells", 0.0065, 0.67),
    ("G3", "  H2D all particles and tree cells", 0.0073, 0.77),
    ("G2", "  Copy interaction list (id)", 0.013, 0.56),
    ("G3", "  Force kernel", 0.043, 1.41),
    ("C1", "  Force kernel", 0.43, 1.40),
    ("C1", "Write back + integration (+ copy ptcl)", 0.015, 1.72),
    ("G2", "Write back + integration (+ copy ptcl)", 0.021, 1.23),
    ("G1", "Calculate force", 0.15, 0.782),
]


@pytest.mark.parametrize(
    ("method", "row", "printed"), [(m, row, value) for m, rows in TABLE_2.items() for row, value in rows.items()]
)
def test_table_2(method: str, row: str, printed: float) -> None:
    assert column(method, Work(N, THETA, GROUPS[method]), TITAN_V).rows[row] == pytest.approx(printed, rel=0.1)


@pytest.mark.parametrize(("method", "row", "printed", "ratio"), APART)
def test_table_2_where_it_is_apart_from_table_3(method: str, row: str, printed: float, ratio: float) -> None:
    found = column(method, Work(N, THETA, GROUPS[method]), TITAN_V).rows[row]
    assert found / printed == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize(("method", "printed"), [("C1", 0.98), ("G1", 0.36), ("G2", 0.42), ("G3", 0.095)])
def test_totals_of_table_2(method: str, printed: float) -> None:
    assert column(method, Work(N, THETA, GROUPS[method]), TITAN_V).total == pytest.approx(printed, rel=0.06)


def test_list_length_behind_table_2() -> None:
    # 0.022 s for the lists, 4 bytes an entry
    entries = 0.022 * TITAN_V.accelerator.B_transfer / (TITAN_V.coefficients.alpha_H2D_list * 4)
    assert Work(N, THETA, 230).entries == pytest.approx(entries, rel=0.05)


def fastest(method: str, n_reuse: int = 1, system: str = "titan-v", theta: float = THETA) -> tuple[int, float]:
    group = best_group(method, N, theta, BUILT_IN[system], n_reuse)
    return group, t_mean_step(method, Work(N, theta, group), BUILT_IN[system], n_reuse)


def test_figure_5_reusing_step_against_c1_and_g1() -> None:
    group, _ = fastest("G3", 10**6)
    reusing = t_step("G3", Work(N, THETA, group), TITAN_V)
    assert fastest("C1")[1] / reusing == pytest.approx(10, rel=0.15)
    assert fastest("G1")[1] / reusing == pytest.approx(4, rel=0.15)


def test_figure_5_best_group() -> None:
    groups = [fastest("G3", n_reuse)[0] for n_reuse in (1, 2, 4, 16)]
    assert groups == sorted(groups, reverse=True)
    assert len(set(groups)) == 4
    assert fastest("G1")[0] == pytest.approx(1500, rel=0.1)


def test_performance_of_g3() -> None:
    group, seconds = fastest("G3", 16)
    rate = 23 * N * Work(N, THETA, group).n_list / seconds
    assert rate == pytest.approx(3.7e12, rel=0.15)


def test_figure_6_c1_is_steepest() -> None:
    def slope(method: str, n_reuse: int = 1) -> float:
        return fastest(method, n_reuse, theta=0.25)[1] / fastest(method, n_reuse, theta=1.0)[1]

    assert slope("C1") > 1.5 * max(slope("G1"), slope("G3"), slope("G3", 2), slope("G3", 4), slope("G3", 16))


def test_figure_7_both_steps() -> None:
    for group in (64, 230, 1000, 4000):
        work = Work(N, THETA, group)
        for name in ("titan-v", "rtx2080"):
            assert t_step("G2", work, BUILT_IN[name]) > 1.3 * t_step("G3", work, BUILT_IN[name])


def test_figure_8_little_is_left_to_gain_after_four_steps() -> None:
    once, four, sixteen = (fastest("G3", n_reuse, "reference")[1] for n_reuse in (1, 4, 16))
    assert once / four > 1.5
    assert four / sixteen < 1.2


@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [("gpu2x", 0.5, 0.7), ("gpu4x", 0.25, 0.5), ("link4x", 0.9, 0.98), ("link0.5x", 1.02, 1.1)],
)
def test_figure_9_the_link_matters_little_and_the_accelerator_much(name: str, lowest: float, highest: float) -> None:
    relative = fastest("G3", 16, name)[1] / fastest("G3", 16, "reference")[1]
    assert lowest < relative < highest


def test_table_4() -> None:
    def times(name: str) -> list[float]:
        system = BUILT_IN[name]
        device = system.accelerator
        base = REFERENCE.accelerator
        return [
            device.F_GPU / base.F_GPU,
            system.host.B_host / REFERENCE.host.B_host,
            device.B_GPU / base.B_GPU,
            device.B_transfer / base.B_transfer,
        ]

    assert times("gpu2x") == [2, 1, 2, 1]
    assert times("gpu4x") == [4, 1, 4, 1]
    assert times("link4x") == [1, 1, 1, 4]
    assert times("link0.5x") == [1, 1, 1, 0.5]


def test_figure_10() -> None:
    reference = best_time(REFERENCE)
    slower = best_time(with_bandwidths(0.1, 0.1)) / reference
    assert slower == pytest.approx(4, rel=0.15)
    device = REFERENCE.accelerator
    faster = device.model_copy(update={"F_GPU": 10 * device.F_GPU, "B_GPU": 10 * device.B_GPU})
    assert reference / best_time(replace(REFERENCE, optional_accelerator=faster)) == pytest.approx(10 / slower)
    for host, link in ((10, 1), (1, 10), (10, 10)):
        assert best_time(with_bandwidths(host, link)) / reference > 0.75


def test_figure_13_reading_and_operations() -> None:
    small, large = t_interaction(5, TITAN_V), t_interaction(10, TITAN_V)
    assert small / large == pytest.approx(2, rel=0.15)
    assert t_interaction(1000, TITAN_V) / t_interaction(4000, TITAN_V) < 1.1


def para(n: float, processes: float) -> float:
    return t_step_para(Work(n, THETA, 250, processes), REFERENCE, 16, 16)


def slope(total: float, processes: float) -> float:
    """Power of n_p with which the time of a step changes."""
    more = 1.1 * processes
    return float(np.log(para(total / more, more) / para(total / processes, processes)) / np.log(1.1))


def test_figure_11_weak_scaling() -> None:
    n = 2**20
    assert para(n, 1e5) / para(n, 1e3) < 1.05
    assert 1.1 < para(n, 1e6) / para(n, 1e5) < 1.5
    growth = para(n, 1e6) - para(n, 1e5)
    gather = [t_LET_allgather(Work(n, THETA, 250, p), REFERENCE) for p in (1e5, 1e6)]
    assert (gather[1] - gather[0]) / growth > 0.45  # the largest part


def test_figure_12_strong_scaling_of_2_to_the_30() -> None:
    total = 2.0**30
    assert slope(total, 300) < -0.9
    assert -0.85 < slope(total, 4000) < -0.6  # shallower from 3,000
    work = Work(total / 4000, THETA, 250, 4000)
    assert t_LET_p2p(work, REFERENCE) > 10 * t_LET_allgather(work, REFERENCE)
    processes = np.geomspace(1e3, 1e6, 200)
    assert processes[np.argmin([para(total / p, p) for p in processes])] == pytest.approx(5e4, rel=0.3)


def test_figure_12_single_step_grows_with_processes() -> None:
    total = 2.0**30
    single = [t_step_single(Work(total / p, THETA, 250, p), REFERENCE, 16) for p in (3e4, 1e5, 1e6)]
    assert single[1] < single[0]
    assert single[2] > 4 * single[1]


def test_figure_12_strong_scaling_of_2_to_the_40() -> None:
    total = 2.0**40
    assert slope(total, 1e5) < -0.9
    assert para(total / 1e6, 1e6) < 1.5 * para(total / 1e5, 1e5) / 10

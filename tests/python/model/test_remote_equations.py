"""Equations (2) to (16) of Nakasato et al. (1997) against the numbers that are printed with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trellis.model.remote import BUILT_IN, CASES, seconds_of
from trellis.model.remote import equations as eq
from trellis.model.remote.cases import FORCE_CASES, ROWS
from trellis.model.remote.machine import Launch, Messages, Transfer, a_6

CLASSIC, SS_10 = BUILT_IN["classic"], BUILT_IN["ss-10"]
N, NEIGHBOURS = 10_000, 40


def test_equation_2_and_5() -> None:
    assert eq.a_1(CLASSIC) == pytest.approx(1.3e-9, rel=0.05)
    assert CLASSIC.slave.a_2 == 2.0e-5
    assert CLASSIC.slave.a_3 == 4.0e-5
    assert eq.t_G(N, CLASSIC) == pytest.approx(1.25e-9 * N**2 + 6.0e-5 * N)


def test_equations_3_4_and_6() -> None:
    machine = BUILT_IN["classic-500k"]
    assert eq.t_LAN(N, machine) == pytest.approx(32 / 500e3 * N)
    assert eq.t_RG(N, machine) == pytest.approx(eq.t_G(N, machine) + 32 / 500e3 * N)


def test_equations_7_to_10_and_13() -> None:
    machine = BUILT_IN["classic-1m"]
    assert eq.a_8(machine) == pytest.approx(2e-6)
    a_7_over_a_4 = eq.a_7(NEIGHBOURS, machine) / (eq.t_LAN(N, machine) / N)
    assert a_7_over_a_4 == pytest.approx(NEIGHBOURS / 16)  # the text after (13)
    assert eq.t_LAN_with_lists(N, NEIGHBOURS, machine) == pytest.approx((32 + 80) / 1e6 * N)
    whole = eq.t_GN(N, NEIGHBOURS, machine) + eq.t_LAN_with_lists(N, NEIGHBOURS, machine)
    assert eq.t_RGN(N, NEIGHBOURS, machine) == pytest.approx(whole)


@pytest.mark.parametrize(("machine", "printed"), [(CLASSIC, 5.0e-4), (SS_10, 2.4e-4)], ids=["classic", "ss-10"])
def test_equations_8_11_and_12(machine: object, printed: float) -> None:
    assert isinstance(machine, type(CLASSIC))
    lists = eq.t_GN(N, NEIGHBOURS, machine) - eq.t_G(N, machine)
    assert lists == pytest.approx(printed * N, rel=0.08)
    assert eq.a_5(machine) == pytest.approx(4.6e-6, rel=0.01)  # 16 / 3.5e6; printed is 5.6e-5
    assert 0 < machine.slave.a_6 < printed / NEIGHBOURS


def test_equation_12_with_11_is_the_sum_that_is_printed_before_it() -> None:
    for spec in (26.4, 50.2):
        assert a_6(spec) + eq.a_5(CLASSIC) == pytest.approx(1.9e-5 - 2.5e-7 * spec)


@pytest.mark.parametrize("n", [10_000, 30_000, 60_000])
def test_equations_14_to_16(n: int) -> None:
    t_GRAPE = eq.t_RGN(n, NEIGHBOURS, CLASSIC)
    assert t_GRAPE == pytest.approx(1.3e-9 * n**2 + 7.5e-4 * n, rel=0.02)  # (15)
    assert eq.t_neighbour(n, NEIGHBOURS, CLASSIC) == pytest.approx(6.4e-4 * n, rel=0.01)  # (16)
    assert eq.t_neighbour(n, NEIGHBOURS, CLASSIC) / t_GRAPE == pytest.approx(0.8, abs=0.05)  # the text after it


def test_a_message_takes_latency_and_bytes_over_bandwidth() -> None:
    machine = replace(
        CLASSIC,
        upload=Transfer(latency=1.0, bandwidth=1e6),
        download=Transfer(latency=10.0, bandwidth=2e6),
        launch=Launch(latency=100.0),
        messages=Messages(b_up=14, b_down=12, b_neighbour=4),
    )
    rows = seconds_of(CASES["RGN"], N, NEIGHBOURS, machine)
    assert rows["  Upload (a_4)"] == pytest.approx(1.0 + 14 * N / 1e6)
    assert rows["  Launch"] == 100.0
    assert rows["  Download (a_4)"] == pytest.approx(10.0 + 12 * N / 2e6)
    assert rows["  Download of lists (a_7)"] == pytest.approx(10.0 + 4 * NEIGHBOURS * N / 2e6)
    assert rows["Total"] == pytest.approx(eq.t_RGN(N, NEIGHBOURS, machine))


def test_phases_sum_to_the_equations() -> None:
    equations = {
        "G": eq.t_G(N, SS_10),
        "GN": eq.t_GN(N, NEIGHBOURS, SS_10),
        "RG": eq.t_RG(N, SS_10),
        "RGN": eq.t_RGN(N, NEIGHBOURS, SS_10),
    }
    for name, seconds in equations.items():
        rows = seconds_of(FORCE_CASES[name], N, NEIGHBOURS, SS_10)
        assert list(rows) == [row for row in ROWS if row in rows]
        assert rows["Total"] == pytest.approx(seconds)
        assert sum(value for row, value in rows.items() if row.startswith("  ")) == pytest.approx(seconds)


def test_more_neighbours_of_case_ps_rgn() -> None:
    wider = replace(CLASSIC, master=CLASSIC.master.model_copy(update={"widening": 2.0}))
    for case, neighbours in (("PS-RGN", 80), ("S-RGN", 40), ("RGN", 40)):
        grape = seconds_of(CASES[case], N, NEIGHBOURS, wider)["GRAPE"]
        assert grape == pytest.approx(eq.t_RGN(N, neighbours, CLASSIC))

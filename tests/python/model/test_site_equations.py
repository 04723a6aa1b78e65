"""Equations (1) to (14) of Groen et al. (2011) by hand, and the step of this project over sites."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trellis.model.sites import BUILT_IN, Run, predicted_step, step_over_sites
from trellis.model.sites import equations as eq
from trellis.model.sites.machine import Cores, Exchange, LocalNetwork, SiteMachine, WideNetwork
from trellis.model.sites.ours import bytes_to_neighbour

GRID = BUILT_IN["global-grid"]
MACHINE = SiteMachine(
    "by hand",
    cores=Cores(tau_tree=1e-8, tau_fft=1e-3, tau_mesh=0.5),
    lan=LocalNetwork(latency=0.1, bandwidth=1000.0),
    wan=WideNetwork(latency=2.0, bandwidth=100.0),
)
RUN = Run(particles=1000, mesh=16, theta=0.5, processes=16, sites=4, sampled=0.01, migrated=7)


def test_parts_by_hand() -> None:
    assert eq.t_pm(RUN, MACHINE) == pytest.approx(1e-3 * 16 * 4 + 0.5 * 1000 / 16)
    assert eq.t_comm_l(RUN, MACHINE) == pytest.approx(0.1 * (18 * 2 + 2 * 4))  # of the 4 processes of a site
    assert eq.t_comm_b(RUN, MACHINE) == pytest.approx((4 * 16 + 64 * 100 / 0.5 / 4 + 12 * 10) / 1000)
    assert eq.w_comm_l(RUN, MACHINE) == pytest.approx(2.0 * 23)
    assert eq.wide_bytes(RUN) == pytest.approx(4 * 16 * 4 + 48 * 100 / 0.5 + 4 * 10 + 7)
    assert eq.w_comm_b(RUN, MACHINE) == pytest.approx(eq.wide_bytes(RUN) / 100)
    assert eq.t_tree(RUN, MACHINE) == pytest.approx(1.2e-8 * eq.n_int(RUN) / 16)
    parts = eq.t_tree(RUN, MACHINE) + eq.t_pm(RUN, MACHINE) + eq.t_comm(RUN, MACHINE)
    assert eq.t_single(RUN, MACHINE) == pytest.approx(parts)
    assert eq.t_sites(RUN, MACHINE) == pytest.approx(parts + eq.w_comm(RUN, MACHINE))


def test_a_line_that_all_share_has_all_bytes() -> None:
    shared = replace(MACHINE, wan=MACHINE.wan.model_copy(update={"shared": True}))
    assert eq.w_comm_b(RUN, shared) == pytest.approx(3 * eq.w_comm_b(RUN, MACHINE))
    two = replace(RUN, sites=2)
    assert eq.w_comm_b(two, shared) == eq.w_comm_b(two, MACHINE)


def test_one_site_sends_nothing_far() -> None:
    alone = replace(RUN, sites=1)
    assert eq.w_comm(alone, MACHINE) == 0
    assert eq.speed_up(alone, MACHINE) == eq.efficiency(alone, MACHINE) == 1
    step = predicted_step(alone, MACHINE)
    assert (step.wide, step.efficiency) == (0, 1)


def test_exchanges_of_a_ring() -> None:
    assert [eq.exchanges(s) for s in (1, 2, 3, 4)] == [0, 13, 18, 23]  # 18 round trips on three sites


def test_speed_up_and_efficiency() -> None:
    alone = replace(RUN, sites=1)
    assert eq.efficiency(RUN, MACHINE) == pytest.approx(eq.t_single(alone, MACHINE) / eq.t_sites(RUN, MACHINE))
    small = replace(alone, processes=4)
    assert eq.speed_up(RUN, MACHINE) == pytest.approx(eq.t_single(small, MACHINE) / eq.t_sites(RUN, MACHINE))


def test_faster_sites_get_more_particles() -> None:
    assert eq.particles_of_sites(90, [30, 30, 30], [1, 2, 2]) == pytest.approx([45, 22.5, 22.5])
    assert eq.particles_of_sites(90, [45, 22.5, 22.5], [1, 1, 1]) == pytest.approx([45, 22.5, 22.5])  # it stays


def test_a_step_that_hides_its_messages() -> None:
    wan, exchange = WideNetwork(latency=0.3, bandwidth=100e6), Exchange(round_trips=2, hidden=0.5, behind=0.9)
    hidden = step_over_sites(compute=12.0, force=10.0, size=50e6, wan=wan, exchange=exchange)
    assert hidden.wide == pytest.approx(0.6 + 0.5)
    assert (hidden.visible, hidden.seconds) == pytest.approx((0.45, 12.45))
    assert hidden.efficiency == pytest.approx(12 / 12.45)
    short = step_over_sites(compute=0.6, force=0.5, size=50e6, wan=wan, exchange=exchange)
    assert short.visible == pytest.approx(1.1 - 0.45)
    shared = step_over_sites(compute=1.2, force=1.0, size=50e6, wan=wan, exchange=exchange, lines=3)
    assert shared.wide == pytest.approx(0.6 + 1.5)


def test_a_compressed_tree_against_the_papers_bytes() -> None:
    """The goal of a fifth, for all that passes a link with the paper's mesh."""
    run = Run(512**3, 128**3, 0.5, 120, 3)
    assert bytes_to_neighbour(run, Exchange()) < eq.wide_bytes(run) / 5
    entries = 7 / 3 * 512**2 / 0.7
    assert bytes_to_neighbour(run, Exchange(b_moments=0)) == pytest.approx(6 * entries)


def test_a_short_force_hides_a_part() -> None:
    run = Run(256**3, 128**3, 0.5, 2000, 3)
    step, force = predicted_step(run, GRID), eq.t_tree(run, GRID)
    wide = 1.0625 * GRID.wan.latency + bytes_to_neighbour(run, GRID.exchange) / GRID.wan.bandwidth
    assert 0.1 < 0.9 * force < wide
    assert step.visible == pytest.approx(wide - 0.9 * force)
    assert step.compute == pytest.approx(force + eq.t_comm(replace(run, mesh=0), GRID))

"""Equations (3) to (7) of Oikawa et al. against the numbers that are printed with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trellis.model.replicas import BUILT_IN, Exchange
from trellis.model.replicas import equations as eq
from trellis.model.replicas.machine import Client, Device, Download, Launch, Local, Messages, ReplicaMachine, Upload

EXCHANGE = Exchange()
SMALL, LARGE = BUILT_IN["tsubame-256"], BUILT_IN["tsubame-2048"]


def test_bytes_of_section_3() -> None:
    assert eq.S_U(EXCHANGE, SMALL) == 114_688
    assert eq.S_D(EXCHANGE, SMALL) == 5_734_400


@pytest.mark.parametrize(
    ("machine", "t_gpu0", "loop", "iterations"),
    [(SMALL, 2.58e-3, 66_706.951, 1800), (LARGE, 33.6e-3, 48_288.290, 100)],
    ids=["256", "2048"],
)
def test_times_of_section_4(machine: ReplicaMachine, t_gpu0: float, loop: float, iterations: int) -> None:
    assert machine.device.t_gpu0 == pytest.approx(t_gpu0, rel=0.0015)  # printed with three digits
    assert eq.T_local(EXCHANGE, machine) == pytest.approx(loop / iterations, abs=0.0006)


def test_network_of_section_4_2() -> None:
    assert (SMALL.upload.latency, SMALL.upload.bandwidth) == (9.23e-6, 1960e6)
    assert (SMALL.download.latency, SMALL.download.bandwidth) == (31.7e-6, 850e6)
    assert SMALL.launch.latency == 5.96e-6
    assert (LARGE.upload, LARGE.download, LARGE.launch) == (SMALL.upload, SMALL.download, SMALL.launch)


def test_the_clients_work_is_that_of_200_exchanges() -> None:
    assert SMALL.client.t_clt == pytest.approx(1.591 / 200, abs=0.5e-5)


def test_each_part_by_hand() -> None:
    machine = ReplicaMachine(
        "by hand",
        device=Device(t_gpu0=2.0),
        upload=Upload(latency=0.1, bandwidth=10.0),
        download=Download(latency=0.01, bandwidth=100.0),
        launch=Launch(latency=0.001),
        messages=Messages(uploads=3, b_up=5, b_down=7),
        client=Client(t_clt=0.5),
        local=Local(t_other=4.0),
    )
    exchange = Exchange(replicas=12, energies=2)
    assert eq.t_gpu(4, exchange, machine) == 6
    assert eq.t_com_B(exchange, machine) == pytest.approx(12 * 3 * 5 / 10 + 12 * 2 * 7 / 100)
    assert eq.t_com_L(4, machine) == pytest.approx(4 * (3 * 0.1 + 0.01 + 0.001))
    whole = 6 + eq.t_com_B(exchange, machine) + eq.t_com_L(4, machine) + 0.5
    assert eq.T(4, exchange, machine) == pytest.approx(whole)
    assert eq.R(4, exchange, machine) == pytest.approx(28 / (4 * whole))


def test_without_communication_and_client_the_efficiency_is_one() -> None:
    silent = replace(
        SMALL, upload=Upload(latency=0), download=Download(latency=0), launch=Launch(latency=0), local=Local(t_other=0)
    )
    silent = replace(silent, client=Client(t_clt=0), messages=Messages(b_up=1e-12, b_down=1e-12))
    assert eq.R(1024, EXCHANGE, silent) == pytest.approx(1)

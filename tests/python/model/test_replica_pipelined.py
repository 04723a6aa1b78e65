"""The equations of a pipelined exchange against a client and devices that are played out answer by answer."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np
import pytest

from trellis.errors import InputError
from trellis.model.replicas import BUILT_IN, Exchange, calibrated, pipelined
from trellis.model.replicas.machine import Client, Device, Download, Launch, Local, ReplicaMachine, Upload
from trellis.model.replicas.parts import PIPELINED_ROWS, pipelined_parts

REPLICAS, LATENCY = 3584, (1e-5, 2e-5, 3e-5)


def machine_of(call: float, answer: float, replica: float = 0.0, seconds: float = 2.58e-3) -> ReplicaMachine:
    """A machine whose bytes take no time, with those of the client's seconds."""
    up, launch, down = LATENCY
    return ReplicaMachine(
        "played",
        device=Device(t_gpu0=seconds),
        upload=Upload(latency=up, bandwidth=1e30),
        launch=Launch(latency=launch),
        download=Download(latency=down, bandwidth=1e30),
        client=Client(t_call=call, t_answer=answer, t_replica=replica),
        local=Local(t_other=0),
    )


def partners(random: np.random.Generator, devices: int, replicas: int) -> list[set[int]]:
    """Return for each device the devices of its replicas' partners, after many exchanges."""
    owners = random.permutation(np.repeat(np.arange(devices), replicas // devices))
    needed: list[set[int]] = [set() for _ in range(devices)]
    for one, other in owners.reshape(-1, 2):
        needed[one].add(int(other))
        needed[other].add(int(one))
    return needed


def played(devices: int, machine: ReplicaMachine, *, waiting: bool, rounds: int = 24) -> float:
    """Return the mean seconds of an exchange, played out answer by answer and call by call."""
    random = np.random.default_rng(1)
    share = REPLICAS // devices
    away = share * machine.device.t_gpu0 + sum(LATENCY)
    read = machine.client.t_answer + share * machine.client.t_replica
    needed = [
        partners(random, devices, REPLICAS) if waiting else [{i} for i in range(devices)] for _ in range(rounds + 1)
    ]
    answers = [(away + number * machine.client.t_call, number, 0) for number in range(devices)]
    heapq.heapify(answers)
    clock, done, called = 0.0, np.full(devices, -1), np.full(devices, -1)
    ends = []
    while answers:
        came, device, turn = heapq.heappop(answers)
        clock = max(clock, came) + read
        done[device] = turn
        if turn == rounds:
            ends.append(clock)
            continue
        for other in sorted(needed[turn][device] | {device}):
            ready = done[other] == turn and called[other] < turn
            if ready and all(done[each] >= turn for each in needed[turn][other]):
                called[other] = turn
                clock += machine.client.t_call
                heapq.heappush(answers, (clock + away, other, turn + 1))
    return float(np.mean(ends)) / (rounds + 1)


@pytest.mark.parametrize("devices", [1, 16, 64, 256])
@pytest.mark.parametrize("client", [1e-6, 1e-4, 4e-4])
def test_devices_that_do_not_wait(devices: int, client: float) -> None:
    machine = machine_of(call=0.4 * client, answer=0.6 * client, replica=1e-7)
    predicted = pipelined.t_asynchronous(devices, Exchange(REPLICAS, 1), machine)
    assert predicted == pytest.approx(played(devices, machine, waiting=False), rel=0.03)


@pytest.mark.parametrize("devices", [1, 16, 64, 256])
@pytest.mark.parametrize(("call", "answer"), [(1e-6, 1e-6), (2e-5, 2e-5), (1e-5, 3e-5), (1e-4, 1e-4), (4e-4, 4e-4)])
def test_devices_that_wait_for_partners(devices: int, call: float, answer: float) -> None:
    machine = machine_of(call=call, answer=answer)
    predicted = pipelined.t_synchronous(devices, Exchange(REPLICAS, 1), machine)
    happened = played(devices, machine, waiting=True)
    assert predicted == pytest.approx(happened, rel=0.1)
    assert predicted > 0.98 * happened  # at most


def test_bytes_go_through_the_client() -> None:
    machine = replace(
        machine_of(call=0, answer=0),
        upload=Upload(latency=0, bandwidth=1e6),
        download=Download(latency=0, bandwidth=2e6),
    )
    for devices in (1, 64):
        work = pipelined.t_client(devices, Exchange(REPLICAS, 5), machine)
        assert work == pytest.approx(REPLICAS * (16 / 1e6 + 5 * 24 / 2e6))


def test_the_device_with_most_replicas_and_the_slowest_count() -> None:
    machine = machine_of(call=0, answer=0, seconds=1.0)
    alone = pipelined.latency(machine)
    assert alone == pytest.approx(sum(LATENCY))
    assert pipelined.t_synchronous(3, Exchange(10, 1), machine) == pytest.approx(4 + alone)
    assert pipelined.t_asynchronous(3, Exchange(10, 1), machine) == pytest.approx(10 / 3 + alone)
    slow = replace(machine, device=Device(t_gpu0=1.0, slowest=2))
    assert pipelined.t_synchronous(3, Exchange(10, 1), slow) == pytest.approx(8 + alone)
    assert pipelined.efficiency(4, 5.0, Exchange(10, 1), slow) == pytest.approx(0.5)


def test_the_goals_of_one_client_and_1024_devices_allow_two_microseconds_a_device() -> None:
    network = machine_of(call=2e-6, answer=2e-6, replica=3e-8)
    for t_gpu0, goal in ((33.6e-3, 0.98), (2.58e-3, 0.9)):
        parts = pipelined_parts(1024, Exchange(energies=1), replace(network, device=Device(t_gpu0=t_gpu0)))
        assert list(parts) == PIPELINED_ROWS
        assert goal < parts["Efficiency"] < parts["Efficiency, asynchronous"] < 1


def test_calibrated_from_runs_it_predicts_others() -> None:
    truth = machine_of(call=2e-5, answer=2e-5, replica=2e-7)
    exchange = Exchange(REPLICAS, 1)
    measured = {devices: played(devices, truth, waiting=True) for devices in (8, 32, 128)}
    found = calibrated(machine_of(call=1, answer=1, replica=1), exchange, measured)
    assert found.client.t_call == pytest.approx(2e-5, rel=0.2)
    assert found.client.t_answer == found.client.t_call
    for devices in (16, 64, 256):
        happened = played(devices, truth, waiting=True)
        assert pipelined.t_synchronous(devices, exchange, found) == pytest.approx(happened, rel=0.03)


def test_calibrated_is_exact_where_the_equation_is() -> None:
    truth, exchange = BUILT_IN["tsubame-256"], Exchange()
    truth = replace(truth, client=Client(t_call=1e-4, t_answer=1e-4, t_replica=5e-8))
    measured = {devices: pipelined.t_synchronous(devices, exchange, truth) for devices in (16, 64, 256)}
    found = calibrated(BUILT_IN["tsubame-256"], exchange, measured).client
    assert (found.t_call, found.t_answer) == pytest.approx((1e-4, 1e-4), rel=0.01)
    assert found.t_replica == pytest.approx(5e-8, rel=0.05)


@pytest.mark.parametrize(
    ("measured", "sentence"),
    [
        ({64: 1.0}, "two or more numbers of devices are needed, but those of 1 are given"),
        ({64: 0.1, 128: 0.2}, "an exchange with 64 devices took 0.1 s, but its devices take 0.57"),
    ],
)
def test_calibrated_refuses(measured: dict[int, float], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        calibrated(BUILT_IN["tsubame-256"], Exchange(), measured)

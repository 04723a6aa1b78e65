"""Latencies and bandwidths fitted to exchanges of a known law."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trellis.model.remote import find_remote_machine, measure
from trellis.model.remote.equations import t_LAN
from trellis.model.remote.machine import Messages, RemoteMachine
from trellis.model.remote.measure import COUNTS, EACH, Network, Seconds, line_through, measure_network, to_toml

UPLOAD, DOWNLOAD, LAUNCH = (2e-5, 118e6), (3e-5, 112e6), 6e-6  # latency, bandwidth
EACH_DEVICE = 1.4e-6


def network_of(noise: float = 0) -> Seconds:
    """Return exchanges over a network of these figures, each off by a factor of up to 1 + noise."""
    random = np.random.default_rng(1)

    def seconds(*, up: int = 0, down: int = 0, launches: int = 0, devices: int = 1) -> float:
        there = (UPLOAD[0] + up / UPLOAD[1] if up else 0) + launches * LAUNCH
        back = DOWNLOAD[0] + down / DOWNLOAD[1]
        return float((there + back + (devices - 1) * EACH_DEVICE) * (1 + noise * random.uniform(-1, 1)))

    return seconds


def predicted(network: Network, up: int, down: int) -> float:
    """Seconds of an upload, a launch and a download by the model, for one particle of `up` and `down` bytes."""
    messages = Messages(b_up=up, b_down=down)
    return t_LAN(
        1, RemoteMachine("", upload=network.upload, download=network.download, launch=network.launch, messages=messages)
    )


def test_latency_and_bandwidth_are_found() -> None:
    network = measure_network(network_of())
    assert (network.upload.latency, network.upload.bandwidth) == pytest.approx(UPLOAD, rel=0.01)
    assert (network.download.latency, network.download.bandwidth) == pytest.approx(DOWNLOAD, rel=0.01)
    assert network.launch.latency == pytest.approx(LAUNCH)
    alone = network_of()(up=EACH, down=EACH, launches=1)
    assert network.devices == pytest.approx({count: alone + (count - 1) * EACH_DEVICE for count in COUNTS})
    for up, down in ((512, 512), (160_000, 160_000), (1 << 22, 1 << 20)):
        assert predicted(network, up, down) == pytest.approx(network_of()(up=up, down=down, launches=1), rel=0.01)


def test_far_away_fewer_devices_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "LONGEST", 0)
    assert list(measure_network(network_of()).devices) == [1]


def test_noise_of_five_per_cent_does_not_matter_much() -> None:
    network = measure_network(network_of(noise=0.05))
    for up, down in ((512, 512), (160_000, 160_000), (1 << 22, 1 << 20)):
        assert predicted(network, up, down) == pytest.approx(network_of()(up=up, down=down, launches=1), rel=0.2)


def test_a_line_never_has_a_negative_latency_or_bandwidth() -> None:
    assert line_through([1, 2, 4], [5, 6, 8]) == pytest.approx((4, 1))
    size, took = np.array([100, 200, 400]), np.array([0.9, 2.0, 4.2])
    latency, bandwidth = line_through(size, took)  # beyond a line through nought
    assert latency == 0
    tried = np.linspace(90, 120, 3001)
    errors = np.sum((size / tried[:, None] / took - 1) ** 2, axis=1)
    assert bandwidth == pytest.approx(tried[np.argmin(errors)], abs=0.01)
    latency, bandwidth = line_through([1, 2, 4], [3.0, 2.9, 2.8])  # faster with more bytes: noise
    assert latency > 0
    assert bandwidth > 0


def test_the_file_is_what_the_model_reads(tmp_path: Path) -> None:
    network = measure_network(network_of())
    path = tmp_path / "network.toml"
    path.write_text(to_toml(network, "trellis://gpubox/cuda:0"))
    machine = find_remote_machine(str(path))
    for section in ("upload", "download", "launch"):
        measured, read = getattr(network, section).model_dump(), getattr(machine, section).model_dump()
        assert read == pytest.approx(measured, rel=1e-3)
    assert path.read_text().startswith("# trellis://gpubox/cuda:0\n")

"""Measure the seconds of messages to a device as latency + bytes / bandwidth, for the model of a remote device."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

import numpy as np

from trellis import _core
from trellis.model.machine_file import text_of
from trellis.model.remote.machine import Launch, Transfer

SIZES = [1 << k for k in range(9, 23)]  # 512 B to 4 MiB
SMALL = 8  # bytes of a message that is next to empty
LAUNCHES = 32  # measured together
COUNTS = [1 << k for k in range(11)]  # devices at once, 1 to 1,024
EACH = 512  # bytes to each of several devices, and back
REPEATS = 15
LONGEST = 20.0  # s: the number of devices whose measurement takes longer is the last


class Seconds(Protocol):
    """A function that gives the seconds of an exchange: bytes to each of some devices, launches, bytes back."""

    def __call__(self, *, up: int = 0, down: int = 0, launches: int = 0, devices: int = 1) -> float:
        """Return the seconds in which each of `devices` devices gets `up` bytes, launches, and sends `down` bytes."""
        ...


@dataclass(frozen=True)
class Network:
    """A measured network: sections of a machine file, and seconds of an exchange by number of devices at once."""

    upload: Transfer
    download: Transfer
    launch: Launch
    devices: dict[int, float]


def exchanges_with(device: str) -> Seconds:
    """Return the function that makes exchanges with the device of that name: their median, the first one left out."""

    def seconds(*, up: int = 0, down: int = 0, launches: int = 0, devices: int = 1) -> float:
        exchange = _core.Exchange([device] * devices, up=up, down=down, launches=launches)
        exchange.seconds()
        return float(median(exchange.seconds() for _ in range(REPEATS)))

    return seconds


def line_through(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Return latency and bandwidth of the line latency + size / bandwidth whose relative errors are least.

    Parameters
    ----------
    sizes : sequence of float
        Bytes, at least two different numbers.
    seconds : sequence of float
        Seconds of a message of each size, above 0.

    Returns
    -------
    latency : float
        Seconds, at least 0.
    bandwidth : float
        Bytes a second, above 0.
    """
    size, took = np.asarray(sizes, dtype=float), np.asarray(seconds, dtype=float)
    (latency, a_byte), *_ = np.linalg.lstsq(np.stack([1 / took, size / took], axis=1), np.ones(len(size)), rcond=None)
    if latency < 0:
        latency, a_byte = 0.0, np.sum(size / took) / np.sum((size / took) ** 2)
    if a_byte <= 0:
        a_byte = 1 / np.max(size / took)
    return float(latency), float(1 / a_byte)


def measure_network(seconds: Seconds, report: Callable[[str], object] = lambda _: None) -> Network:
    """Measure uploads, downloads and launches one by one, and exchanges with 1 to 1,024 devices at once.

    An upload or a launch is not waited for: its time is what it adds to a download behind it.

    Parameters
    ----------
    seconds : Seconds
        Function that makes the exchanges, as `exchanges_with` returns it.
    report : callable
        Called with a line of text before each measurement.
    """
    report(f"downloads of {SIZES[0]:,} to {SIZES[-1]:,} bytes")
    back, rate_down = line_through(SIZES, [seconds(down=size) for size in SIZES])
    report(f"uploads of {SIZES[0]:,} to {SIZES[-1]:,} bytes")
    there_and_back, rate_up = line_through(SIZES, [seconds(up=size, down=SMALL) for size in SIZES])
    report(f"{LAUNCHES} launches")
    launches = seconds(launches=LAUNCHES, down=SMALL) - seconds(down=SMALL)
    report(f"exchanges with {COUNTS[0]} to {COUNTS[-1]:,} devices")
    return Network(
        Transfer(latency=max(there_and_back - back, 0.0), bandwidth=rate_up),
        Transfer(latency=back, bandwidth=rate_down),
        Launch(latency=max(launches / LAUNCHES, 0.0)),
        _at_once(seconds),
    )


def _at_once(seconds: Seconds) -> dict[int, float]:
    """Return the seconds of an exchange by number of devices at once."""
    spent = {}
    for count in COUNTS:
        begin = time.monotonic()
        spent[count] = seconds(up=EACH, launches=1, down=EACH, devices=count)
        if time.monotonic() - begin > LONGEST:
            break
    return spent


def to_toml(network: Network, title: str) -> str:
    """Return the text of a machine file with a measured network; the title is its first line, a comment."""
    lines = [f"# {title}", f"# {EACH} bytes to each of this number of devices and back, with a launch:"]
    lines += [f"# {count:4d}: {spent:.3g} s" for count, spent in network.devices.items()]
    sections = {"upload": network.upload, "download": network.download, "launch": network.launch}
    return "\n".join([*lines, "", text_of({name: section.model_dump() for name, section in sections.items()})])

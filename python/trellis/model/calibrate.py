"""Measure the rates of this machine that the model reads, and write them as a system file."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

import trellis.ic as ic
from trellis import _core
from trellis.model.machine_file import text_of
from trellis.model.systems import Host, System
from trellis.model.trellis_cpu import CHECK, Calibration, phase_bytes
from trellis.simulation import Simulation

STREAM_BYTES = 1 << 28  # size of each of the two arrays: far more than a cache holds
STREAM_REPEATS = 7
SOFTENING = 1e-3
TIMESTEP = 1e-6  # so short that lists stay valid

Report = Callable[[str], object]


def copy_bandwidth(threads: int) -> float:
    """Return the best bandwidth of the copy of STREAM, read and written bytes a second; each thread copies a part."""
    part = STREAM_BYTES // 8 // threads
    pairs = [(np.ones(part), np.zeros(part)) for _ in range(threads)]
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(STREAM_REPEATS):
            start = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), pairs))
            best = min(best, time.perf_counter() - start)
    return 2 * part * 8 * threads / best


@dataclass(frozen=True)
class Measured:
    """Seconds of each phase in each step of a kind, and the mean number of pairs of a particle."""

    construction: dict[str, list[float]]
    reusing: dict[str, list[float]]
    pairs: float

    def medians(self) -> dict[str, float]:
        """Return median seconds of each phase: of construction steps, but for "Check lists" of reusing steps."""
        seconds = {**self.construction, CHECK: self.reusing[CHECK]}
        return {phase: statistics.median(spent) for phase, spent in seconds.items()}


def measure_phases(n: int, theta: float, steps: int, group: int | None = None) -> Measured:
    """Measure `steps` construction steps of a cold uniform sphere, and as many reusing steps, by turns."""
    gravity = _core.Gravity(theta=theta, softening=SOFTENING, lists="reuse", reuse_steps=2, group_size=group)
    simulation = Simulation(ic.sphere(n, seed=1), [gravity], TIMESTEP)
    simulation.step()  # the first sorts the rows, and touches memory for the first time
    construction, reusing = follow(simulation, steps, lambda: simulation.phases)
    return Measured(construction, reusing, simulation.interactions / n)


def follow(
    simulation: Simulation, steps: int, facts: Callable[[], dict[str, float]]
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the facts of `steps` construction steps, and of as many reusing steps, which come by turns."""
    construction: dict[str, list[float]] = {}
    reusing: dict[str, list[float]] = {}
    for _ in range(2 * steps):
        reuses = simulation.list_use[0]["reuses"]
        simulation.step()
        kind = reusing if simulation.list_use[0]["reuses"] > reuses else construction
        for name, value in facts().items():
            kind.setdefault(name, []).append(value)
    return construction, reusing


def calibrate(
    sizes: Sequence[int], theta: float, steps: int, group: int | None = None, report: Report = lambda _: None
) -> System:
    """Measure this machine.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of particles, at least two, in ascending order.
    theta : float
        Opening angle.
    steps : int
        Steps of each kind at each size; their median is taken.
    group : int, optional
        Most particles that share a list; by default, that of a force.
    report : callable
        Called with a line of text before each measurement.
    """
    threads = int(_core.info()["threads"])
    group_size = int(str(_core.Gravity(theta=theta, group_size=group).settings["group_size"]))
    report(f"B_host: STREAM copy, threads: {threads}")
    B_host = copy_bandwidth(threads)
    medians: dict[int, dict[str, float]] = {}
    pairs: dict[int, float] = {}
    for n in sizes:
        report(f"phases of {n:,} particles, theta = {theta:g}")
        measured = measure_phases(n, theta, steps, group)
        medians[n], pairs[n] = measured.medians(), measured.pairs
    base, slope = fitted_pairs(pairs)
    fitted = {n: base + slope * math.log2(n) for n in sizes}
    alphas = slowdown_factors(medians, fitted, group_size, B_host)
    rate = statistics.median(n * fitted[n] / medians[n]["Force kernel"] for n in sizes)
    calibration = Calibration(
        sizes=list(sizes),
        threads=threads,
        theta=theta,
        group_size=group_size,
        pairs_base=base,
        pairs_slope=slope,
        pair_rate=rate,
        **alphas,
    )
    return System("this machine", Host(B_host=B_host), trellis=calibration)


def fitted_pairs(pairs: dict[int, float]) -> tuple[float, float]:
    """Fit pairs of a particle at each size by base + slope log2(n)."""
    slope, base = np.polyfit(np.log2(list(pairs)), list(pairs.values()), 1)
    return float(base), float(slope)


def slowdown_factors(
    medians: dict[int, dict[str, float]], pairs: dict[int, float], group_size: int, B_host: float
) -> dict[str, list[float]]:
    """Return seconds over the seconds that the bytes alone would take, at each size."""
    factors: dict[str, list[float]] = {}
    for n, seconds in medians.items():
        for phase, (alpha, size) in phase_bytes(n, pairs[n], group_size).items():
            factors.setdefault(alpha, []).append(seconds[phase] * B_host / size)
    return factors


def to_toml(system: System) -> str:
    """Return the text of a system file with the measured numbers."""
    assert system.trellis is not None
    sections = {"host": {"B_host": system.host.B_host}, "trellis": system.trellis.model_dump()}
    if system.device is not None:
        sections |= {"accelerator": system.accelerator.model_dump(), "device": system.device.model_dump()}
    return text_of(sections)

"""Measure a device, and methods G2 and G3 of Trellis with it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import trellis.ic as ic
from trellis import _core
from trellis.errors import InputError
from trellis.model.calibrate import SOFTENING, TIMESTEP, Report, fitted_pairs, follow, slowdown_factors
from trellis.model.systems import Accelerator
from trellis.model.trellis_cpu import B_POSITION, CHECK, INTEGRATION_VECTORS
from trellis.model.trellis_device import (
    BRING_FORCE,
    COPY_ALL,
    COPY_FORCE,
    COPY_LIST,
    INTEGRATION,
    KERNEL,
    MAKE_LIST,
    OPERATIONS,
    SEND_ALL,
    SEND_LIST,
    WAIT,
    DeviceCalibration,
    Rates,
    at_the_same_time,
    device_work,
)
from trellis.simulation import Simulation

WARMING = 14  # steps until the number of batches has been found
STREAM_PARTICLES = 1 << 21  # more than a cache holds
STREAM_THETA = 1.5  # the forces are not used


def check_device(name: str) -> None:
    """Refuse, with a ValueError, the name of a device that is not there."""
    known = list(_core.devices())
    if name not in known:
        raise InputError(f"'--device' is '{name}': on this machine, allowed are {', '.join(known)}")


def device_bandwidth(device: str) -> float:
    """Bytes read and written in a second on the device by kicks and drifts of particles that stay there, at best."""
    gravity = _core.Gravity(theta=STREAM_THETA, softening=1.0, method="tree", order=1, lists="reuse")
    simulation = Simulation(ic.sphere(STREAM_PARTICLES, seed=1), [gravity], TIMESTEP, device=device, resident=True)
    spent = []
    for _ in range(4):
        simulation.step()
        spent.append(simulation.phases[INTEGRATION])
    return STREAM_PARTICLES * INTEGRATION_VECTORS * B_POSITION / min(spent[1:])


@dataclass(frozen=True)
class MeasuredSteps:
    """Phases and, by the names of `Simulation.device_use`, what the device did, in steps of each kind; mean pairs."""

    construction: dict[str, list[float]]
    reusing: dict[str, list[float]]
    pairs: float


def measure_steps(n: int, theta: float, steps: int, group: int | None, device: str) -> MeasuredSteps:
    """Measure construction steps of a cold uniform sphere, which are those of method G2, and reusing steps of G3."""
    gravity = _core.Gravity(
        theta=theta,
        softening=SOFTENING,
        method="tree",
        order=1,
        lists="reuse",
        reuse_steps=2,
        group_size=group,
        send="indices",
    )
    simulation = Simulation(ic.sphere(n, seed=1), [gravity], TIMESTEP, device=device)
    for _ in range(WARMING):
        simulation.step()
    construction, reusing = follow(simulation, steps, lambda: {**simulation.phases, **simulation.device_use[0]})
    return MeasuredSteps(construction, reusing, simulation.interactions / n)


def parts_of(measured: MeasuredSteps) -> dict[str, float]:
    """Return median seconds of each part of a step: of reusing steps, where less overlaps, if they have it."""
    first = {name: statistics.median(values) for name, values in measured.construction.items()}
    later = {name: statistics.median(values) for name, values in measured.reusing.items()}
    share_of_lists = 1 - later["bytes_up"] / first["bytes_up"]
    # In a reusing step the host waits for the table of rows on its way and then for the kernels; at most one kernel a
    # batch runs at a time.
    kernel = max(later[WAIT] - later["upload_seconds"], later["kernel_seconds"] / later["batches"])
    shared = (COPY_ALL, COPY_FORCE, CHECK)
    return {
        **first,
        **{part: later[part] for part in shared},
        SEND_ALL: later["upload_seconds"],
        SEND_LIST: first["upload_seconds"] * share_of_lists,
        BRING_FORCE: later["download_seconds"],
        KERNEL: kernel,
    }


def calibrate_device(
    B_host: float,
    sizes: Sequence[int],
    theta: float,
    steps: int,
    group: int | None,
    device: str,
    report: Report = lambda _: None,
) -> tuple[Accelerator, DeviceCalibration]:
    """Measure a device, as `calibrate` measures the host, whose B_host is given.

    F_GPU is the rate of the force kernel at the size where it is fastest, B_transfer that of sending all particles and
    cells at the largest size.
    """
    report(f"B_GPU: kicks and drifts on {device}")
    B_GPU = device_bandwidth(device)
    measured: dict[int, MeasuredSteps] = {}
    for n in sizes:
        report(f"methods G2 and G3 on {device}, {n:,} particles, theta = {theta:g}")
        measured[n] = measure_steps(n, theta, steps, group, device)
    parts = {n: parts_of(of_size) for n, of_size in measured.items()}
    base, slope = fitted_pairs({n: of_size.pairs for n, of_size in measured.items()})
    accelerator = Accelerator(
        B_transfer=statistics.median(measured[sizes[-1]].reusing["bytes_up"]) / parts[sizes[-1]][SEND_ALL],
        F_GPU=max(n * of_size.pairs * OPERATIONS / parts[n][KERNEL] for n, of_size in measured.items()),
        B_GPU=B_GPU,
    )
    fitted = {n: base + slope * math.log2(n) for n in sizes}
    group_size = int(str(_core.Gravity(theta=theta, group_size=group, method="tree", order=1).settings["group_size"]))
    rates = Rates(B_host, accelerator.B_transfer, accelerator.F_GPU)
    alphas = slowdown_factors(parts, fitted, group_size, B_host)
    for n in sizes:
        for part, (alpha, seconds) in device_work(n, fitted[n], group_size, rates).items():
            alphas.setdefault(alpha, []).append(parts[n][part] / seconds)
        alphas.setdefault("alpha_overlap", []).append(_overlapped(measured[n]) / at_the_same_time(parts[n]))
    return accelerator, DeviceCalibration(
        name=device,
        sizes=list(sizes),
        threads=int(_core.info()["threads"]),
        theta=theta,
        group_size=group_size,
        pairs_base=base,
        pairs_slope=slope,
        **alphas,
    )


def _overlapped(measured: MeasuredSteps) -> float:
    """Seconds of a construction step in which host and device may both be at work."""
    return sum(statistics.median(measured.construction[part]) for part in (MAKE_LIST, COPY_LIST, WAIT))

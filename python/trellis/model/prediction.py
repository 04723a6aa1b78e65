"""The table of `trellis model predict`: seconds of a step, in the rows of Table 2."""

from __future__ import annotations

from dataclasses import dataclass

from trellis.errors import InputError, did_you_mean
from trellis.model import many_nodes, methods, trellis_cpu, trellis_device
from trellis.model.search import best_group
from trellis.model.systems import System
from trellis.model.work import Work

RANKS_ROWS = {
    "Determine domains": many_nodes.t_dc,
    "Construct LETs": many_nodes.t_LET_const,
    "Exchange LETs (all-gather)": many_nodes.t_LET_allgather,
    "Exchange LETs (point to point)": many_nodes.t_LET_p2p,
}


@dataclass(frozen=True)
class Prediction:
    """Rows of a table: for each heading, seconds by the name of the row; a row without a value is not part of it."""

    groups: dict[str, float]
    columns: dict[str, dict[str, float]]
    rows: list[str]


def predict(
    system: System, particles: int, theta: float, group: float | None, reuse: int, ranks: int, method: str | None
) -> Prediction:
    """Predict a step.

    Parameters
    ----------
    system : System
        The machine, one for each rank.
    particles : int
        Particles of all ranks together.
    theta : float
        Opening angle.
    group : float or None
        Mean number of particles that share a list; None: for each method, that of the fastest step.
    reuse : int
        Steps for which lists are kept, where the method does so; domains are kept as long.
    ranks : int
        Processes.
    method : str or None
        C1, G1, G2 or G3; None: all that the system can run.
    """
    if particles < 8 * ranks:
        raise InputError(f"'--particles' is {particles}, but must be at least 8 for each of the {ranks} ranks")
    if system.device is not None and method in (None, "G2", "G3"):
        return _of_device(system, system.device, particles, theta, group, reuse, ranks, method or "G3")
    if system.trellis is not None and method in (None, "C1"):
        return _of_trellis(system, system.trellis, particles, theta, group, reuse, ranks)
    if method is not None and method not in methods.METHODS:
        raise InputError(f"'--method' is '{method}': {did_you_mean(method, methods.METHODS)}")
    chosen = [method] if method else ["C1"] if system.optional_accelerator is None else list(methods.METHODS)
    if ranks > 1:
        if method not in (None, "G3"):
            raise InputError(f"'--method' is '{method}', but with '--ranks' the model holds for G3 only")
        chosen = ["G3"]
    groups, columns = {}, {}
    for name in chosen:
        n = particles / ranks
        n_i = group if group is not None else best_group(name, n, theta, system, reuse)
        work = Work(n, theta, min(n_i, n), ranks)
        for heading, values in _columns(name, work, system, reuse).items():
            groups[heading], columns[heading] = work.n_i, values
    extra = list(RANKS_ROWS) if ranks > 1 else []
    return Prediction(groups, columns, [*methods.ROWS, *extra, "Total", "Mean step"])


def _columns(method: str, work: Work, system: System, reuse: int) -> dict[str, dict[str, float]]:
    """Return the columns of a method: for G3, both of its kinds of step."""
    if method != "G3":
        column = methods.column(method, work, system)
        return {method: {**column.rows, "Total": column.total, "Mean step": column.total}}
    mean = many_nodes.t_step_para(work, system, reuse, reuse)
    columns = {}
    for heading, kind in {"G3 (construction)": "G2", "G3 (reusing)": "G3"}.items():
        column = methods.column(kind, work, system)
        rows = dict(column.rows)
        if work.processes > 1:
            times = {name: time(work, system) for name, time in RANKS_ROWS.items()}
            rows |= times if kind == "G2" else {name: times[name] for name in RANKS_ROWS if "Exchange" in name}
        total = column.total + sum(rows.get(name, 0.0) for name in RANKS_ROWS)
        columns[heading] = {**rows, "Total": total, "Mean step": mean}
    return columns


def _of_trellis(
    system: System,
    calibration: trellis_cpu.Calibration,
    particles: int,
    theta: float,
    group: float | None,
    reuse: int,
    ranks: int,
) -> Prediction:
    """Return the columns of Trellis's own CPU path."""
    trellis_cpu.check_covers(calibration, theta, group, ranks)
    first = trellis_cpu.construction_step(particles, system.host.B_host, calibration)
    later = trellis_cpu.reusing_step(particles, system.host.B_host, calibration)
    mean = (sum(first.values()) + (reuse - 1) * sum(later.values())) / reuse
    columns = {
        heading: {**seconds, "Total": sum(seconds.values()), "Mean step": mean}
        for heading, seconds in {"C1 of Trellis (construction)": first, "C1 of Trellis (reusing)": later}.items()
    }
    groups = dict.fromkeys(columns, float(calibration.group_size))
    phases = trellis_cpu.all_phases(particles, system.host.B_host, calibration)
    return Prediction(groups, columns, [*phases, "Total", "Mean step"])


def _of_device(
    system: System,
    calibration: trellis_device.DeviceCalibration,
    particles: int,
    theta: float,
    group: float | None,
    reuse: int,
    ranks: int,
    method: str,
) -> Prediction:
    """Return the columns of Trellis with a device."""
    trellis_cpu.check_covers(calibration, theta, group, ranks)
    rates = trellis_device.Rates(system.host.B_host, system.accelerator.B_transfer, system.accelerator.F_GPU)
    start = f"{method} of Trellis on {calibration.name}"
    first = trellis_device.construction_step(particles, rates, calibration)
    kinds = {f"{start} (construction)": first}
    mean = trellis_device.total(first)
    if method == "G3":
        later = trellis_device.reusing_step(particles, rates, calibration)
        kinds[f"{start} (reusing)"] = later
        mean = (mean + (reuse - 1) * trellis_device.total(later)) / reuse
    columns = {
        heading: {**seconds, "Total": trellis_device.total(seconds), "Mean step": mean}
        for heading, seconds in kinds.items()
    }
    groups = dict.fromkeys(columns, float(calibration.group_size))
    return Prediction(groups, columns, [*trellis_device.ROWS, "Total", "Mean step"])

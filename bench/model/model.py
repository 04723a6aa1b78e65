"""Predicted against measured seconds of each phase, at sizes that calibration did not use.

    python bench/model/model.py [--repeats 7] [--theta 0.5] [--device cpu]

Prints a Markdown table, for steps that construct lists and steps that reuse them: of the measured steps the median, the
lowest and the highest. Without a device it is the CPU path; with one, methods G2 (which constructs) and G3 (reusing).
"""

from __future__ import annotations

import argparse
import statistics
import sys

from trellis import _core
from trellis.model import trellis_cpu, trellis_device
from trellis.model.calibrate import calibrate, copy_bandwidth, measure_phases
from trellis.model.calibrate_device import calibrate_device, check_device, measure_steps

CALIBRATION_SIZES = tuple(1 << k for k in range(16, 21))
OTHER_SIZES = (90_000, 200_000, 400_000, 800_000)
GOAL = 0.2


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def rows(start: str, predicted: dict[str, float], measured: dict[str, list[float]]) -> list[str]:
    """The table's rows for one number of particles and one kind of step."""
    totals = [sum(step) for step in zip(*measured.values(), strict=True)]
    measured = {phase: measured[phase] for phase in predicted} | {"Total": totals}
    predicted = {**predicted, "Total": sum(predicted.values())}
    lines = []
    for phase, spent in measured.items():
        median = statistics.median(spent)
        error = predicted[phase] / median - 1
        mark = "" if abs(error) <= GOAL else " (!)"
        times = " | ".join(f"{1e3 * t:.2f}" for t in (predicted[phase], median, min(spent), max(spent)))
        lines.append(f"| {start} | {phase} | {times} | {100 * error:+.0f} %{mark} |")
    return lines


def host_sides(steps: dict[str, list[float]], rows: dict[str, float]) -> dict[str, list[float]]:
    """Measured seconds of the rows of a device's table that are the host's; those of forces in one."""
    parts = [steps[part] for part in (*trellis_device.PARTS, trellis_device.WAIT) if part in steps]
    forces = {trellis_device.FORCE: [sum(step) for step in zip(*parts, strict=True)]}
    return {row: (forces | steps)[row] for row in rows if not row.startswith(" ")}


def print_cpu_path(theta: float, repeats: int) -> None:
    system = calibrate(CALIBRATION_SIZES, theta, repeats, report=say)
    assert system.trellis is not None
    for n in OTHER_SIZES:
        say(f"measuring {n:,} particles")
        measured = measure_phases(n, theta, repeats)
        machine = (n, system.host.B_host, system.trellis)
        first, later = trellis_cpu.construction_step(*machine), trellis_cpu.reusing_step(*machine)
        print("\n".join(rows(f"{n:,} | construction", first, measured.construction)))
        print("\n".join(rows(f"{n:,} | reusing", later, measured.reusing)), flush=True)


def print_device(device: str, theta: float, repeats: int) -> None:
    B_host = copy_bandwidth(int(_core.info()["threads"]))
    accelerator, calibration = calibrate_device(B_host, CALIBRATION_SIZES, theta, repeats, 0, device, say)
    rates = trellis_device.Rates(B_host, accelerator.B_transfer, accelerator.F_GPU)
    for n in OTHER_SIZES:
        say(f"measuring {n:,} particles")
        measured = measure_steps(n, theta, repeats, 0, device)
        for kind, step, steps in (
            ("construction", trellis_device.construction_step, measured.construction),
            ("reusing", trellis_device.reusing_step, measured.reusing),
        ):
            whole = {row: spent for row, spent in step(n, rates, calibration).items() if not row.startswith(" ")}
            print("\n".join(rows(f"{n:,} | {kind}", whole, host_sides(steps, whole))), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7, help="steps of each kind at each size")
    parser.add_argument("--theta", type=float, default=0.5, help="opening angle")
    parser.add_argument("--device", default="host", help="cpu, cuda:0, ...: methods G2 and G3 on it")
    options = parser.parse_args()
    check_device(options.device)
    on_host = options.device == "host"
    about = _core.info()
    sizes = ", ".join(f"{n:,}" for n in CALIBRATION_SIZES)
    model = f"Cold uniform sphere, theta {options.theta:g}, device {options.device}"
    print(f"{model}, threads: {about['threads']}, SIMD {about['SIMD']}.")
    print(f"Calibrated with {sizes} particles.")
    print(f"Off by more than {100 * GOAL:.0f} %: (!).\n")
    print("| N | step | phase | predicted ms | measured ms | lowest | highest | predicted over measured |")
    print("|--:|:-----|:------|------:|------:|------:|------:|------:|")
    if on_host:
        print_cpu_path(options.theta, options.repeats)
    else:
        print_device(options.device, options.theta, options.repeats)


if __name__ == "__main__":
    main()

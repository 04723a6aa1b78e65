"""Predicted against measured seconds of each phase, for the CPU path at sizes that calibration did not use.

    python bench/model.py [--repeats 7] [--theta 0.5]

Prints a Markdown table, for steps that construct lists and steps that reuse them: of the measured steps the median, the
lowest and the highest.
"""

from __future__ import annotations

import argparse
import statistics
import sys

from trellis import _core
from trellis.model.calibrate import calibrate, measure_phases
from trellis.model.trellis_cpu import construction_step, reusing_step

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7, help="steps of each kind at each size")
    parser.add_argument("--theta", type=float, default=0.5, help="opening angle")
    options = parser.parse_args()
    system = calibrate(CALIBRATION_SIZES, options.theta, options.repeats, report=say)
    assert system.trellis is not None
    about = _core.info()
    sizes = ", ".join(f"{n:,}" for n in CALIBRATION_SIZES)
    print(f"Cold uniform sphere, theta {options.theta:g}, threads: {about['threads']}, SIMD {about['SIMD']}.")
    print(f"Calibrated with {sizes} particles; B_host {system.host.B_host / 1e9:.1f} GB/s.")
    print(f"Off by more than {100 * GOAL:.0f} %: (!).\n")
    print("| N | step | phase | predicted ms | measured ms | lowest | highest | predicted over measured |")
    print("|--:|:-----|:------|------:|------:|------:|------:|------:|")
    for n in OTHER_SIZES:
        say(f"measuring {n:,} particles")
        measured = measure_phases(n, options.theta, options.repeats)
        machine = (n, system.host.B_host, system.trellis)
        print("\n".join(rows(f"{n:,} | construction", construction_step(*machine), measured.construction)))
        print("\n".join(rows(f"{n:,} | reusing", reusing_step(*machine), measured.reusing)), flush=True)


if __name__ == "__main__":
    main()

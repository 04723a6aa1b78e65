"""Seconds of a step of gravity in a periodic box against its error: Trellis and PKDGRAV3 by turns.

    taskset -c 0 python bench/peers/periodic.py BOXES PKDGRAV3 [--cells 64] [--rounds 5]

BOXES: a folder where the particles are kept, made at the first run. PKDGRAV3: that program. Both run on one thread,
with domains, tree and lists made at each step; seconds are those of the processor. Prints Markdown. The error is RMS,
over the RMS acceleration of a sample, against Ewald's sum in double precision with the softening of the code.
"""

import argparse
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

import numpy as np
from peers import Result, header
from peers_particles import Floats, Rows
from periodic_boxes import boxes, exact

import trellis as tr

SOFT = 0.04  # softening over the mean distance of particles
THETAS = ("0.35", "0.4", "0.55", "0.7", "0.85")
WAYS = (("treepm", (0.1, 2e-2, 5e-3, 2e-3, 1e-3, 4e-4, 1e-4)), ("fmm", (1e-2, 1e-3)))
GOALS = {"z = 0": (2.5, (4e-4, 1.2e-4, 2.4e-5)), "z = 49": (4.0, (7e-3, 9e-4))}


def simulation(positions: Floats, softening: float, method: str, accuracy: float) -> tr.Simulation:
    particles = tr.ParticleSet.from_columns(position=positions, mass=1 / len(positions))
    particles.box = [[0, 0, 0], [1, 1, 1]]
    run = tr.Simulation(particles, [tr.Gravity(softening=softening, accuracy=accuracy, method=method)], 1e-12)
    run.step()
    return run


def ours(runs: dict[str, tr.Simulation]) -> dict[str, float]:
    spent = {}
    for setting, run in runs.items():
        start = time.process_time()
        run.step()
        spent[setting] = time.process_time() - start
    return spent


def theirs(command: list[str], folder: str) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    steps = [line.split() for line in done.stdout.splitlines() if line.startswith("step ")]
    return {f"theta {theta}": float(used) for _, theta, _, used in steps}


def error(found: Floats, right: Floats) -> float:
    return float(np.sqrt(np.sum((found - right) ** 2) / np.sum(right**2)))


def measure(positions: Floats, rows: Rows, rounds: int, program: Path) -> dict[str, list[Result]]:
    softening = SOFT / np.cbrt(len(positions))
    plummer, dehnen = exact(positions, rows, softening)
    runs = {
        f"{method}, accuracy {accuracy:g}": simulation(positions, softening, method, accuracy)
        for method, accuracies in WAYS
        for accuracy in accuracies
    }
    times: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in ("Trellis", "PKDGRAV3")}
    with tempfile.TemporaryDirectory() as folder:
        np.column_stack([positions - 0.5, np.full(len(positions), 1 / len(positions))]).tofile(
            Path(folder) / "particles"
        )
        script = str(Path(__file__).parent.resolve() / "pkdgrav3_gravity.py")
        command = [str(program.resolve()), "-sz", "1", script, "particles", "out", str(softening), "1", *THETAS]
        for _ in range(rounds):
            for code, spent in (("Trellis", ours(runs)), ("PKDGRAV3", theirs(command, folder))):
                for setting, seconds in spent.items():
                    times[code][setting].append(seconds)
        errors = {setting: error(run.particles.by_id(rows).acceleration, plummer) for setting, run in runs.items()}
        for theta in THETAS:
            found = np.fromfile(Path(folder) / f"out.{theta}").reshape(-1, 3)[rows]
            errors[f"theta {theta}"] = error(found, dehnen)
    return {code: [Result(key, spent, errors[key]) for key, spent in each.items()] for code, each in times.items()}


def seconds_at(wanted: float, results: list[Result]) -> float:
    """Median seconds at an error: the logarithms are joined by lines; those of the greatest error for any beyond it.

    NaN for an error that is smaller than all.
    """
    errors, times = np.log(sorted((one.error, median(one.seconds)) for one in results)).T
    return float(np.exp(np.interp(np.log(wanted), errors, times, left=np.nan)))


def print_box(name: str, cells: int, results: dict[str, list[Result]]) -> None:
    print(f"## {cells}^3, {name}\n\n| code | setting | seconds | lowest | highest | RMS error |")
    print("|:--|:--|--:|--:|--:|--:|")
    for code, of_code in results.items():
        for setting, spent, wrong in of_code:
            seconds = " | ".join(f"{t:.3f}" for t in (median(spent), min(spent), max(spent)))
            print(f"| {code} | {setting} | {seconds} | {wrong:.1e} |")
    goal, errors = GOALS[name]
    by_way = {way: [one for one in results["Trellis"] if one.setting.startswith(way)] for way, _ in WAYS}
    print("\n| error | PKDGRAV3 | Trellis | by | PKDGRAV3 / Trellis | goal | |\n|--:|--:|--:|:--|--:|--:|:--|")
    for wanted in errors:
        seconds = {way: seconds_at(wanted, each) for way, each in by_way.items()}
        least, way = min((spent, way) for way, spent in seconds.items() if not np.isnan(spent))
        other = seconds_at(wanted, results["PKDGRAV3"])
        verdict = "reached" if other >= goal * least else "missed"
        print(f"| {wanted:g} | {other:.3f} | {least:.3f} | {way} | {other / least:.2f} | >= {goal:g} | {verdict} |")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boxes", type=Path, help="a folder")
    parser.add_argument("pkdgrav3", type=Path, help="the program pkdgrav3")
    parser.add_argument("--cells", type=int, default=64, help="particles along a side")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", type=int, default=300, help="particles whose error is measured")
    options = parser.parse_args()
    tr.set_threads(1)
    print(header(options.cells**3, options.rounds, options.check, SOFT / options.cells), flush=True)
    for name, positions in boxes(options.boxes, options.cells).items():
        rows = np.sort(np.random.default_rng(7).choice(len(positions), options.check, replace=False))
        print_box(name, options.cells, measure(positions, rows, options.rounds, options.pkdgrav3))


if __name__ == "__main__":
    main()

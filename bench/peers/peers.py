"""Seconds of a step of gravity against its error: Trellis and other codes by turns, on the same particles.

    taskset -c 0 python bench/peers/peers.py [--fdps FDPS_GRAVITY] [--pkdgrav3 PKDGRAV3] [--particles N] [--rounds 5]

FDPS_GRAVITY: bench/peers/fdps_gravity.cpp, built as is said there. PKDGRAV3: that program. All run on one thread, with
domains, tree and lists made at each step. Prints Markdown. The error is that of the accelerations of a sample, RMS,
against direct summation in double precision, with the softening of the code: Plummer's, but for PKDGRAV3. Ratios at
errors beyond those measured, by a factor of 2 at most, have a ~.
"""

import argparse
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from peers_particles import MODELS, SOFTENING, Floats, Rows, direct, rms

import trellis as tr

TIMESTEP = 1e-9  # particles stay where they are
ACCURACIES = (1e-2, 1e-3, 1e-4)
THETAS = {"FDPS": ("0.35", "0.5", "0.7", "0.9"), "PKDGRAV3": ("0.45", "0.6", "0.75", "0.95")}
FDPS_SIZES = ("16", "256")  # leaves and groups: the fastest at equal error among 8 to 32 and 64 to 1024


class Result(NamedTuple):
    setting: str
    seconds: list[float]
    error: float


class Ours:
    """Simulations of the same particles, one for each accuracy."""

    def __init__(self, positions: Floats) -> None:
        self.runs = {f"accuracy {accuracy:g}": simulation(positions, accuracy) for accuracy in ACCURACIES}

    def seconds(self) -> dict[str, float]:
        spent = {}
        for setting, run in self.runs.items():
            start = time.perf_counter()
            run.step()
            spent[setting] = time.perf_counter() - start
        return spent

    def accelerations(self, rows: Rows) -> dict[str, Floats]:
        return {setting: run.particles.by_id(rows).acceleration for setting, run in self.runs.items()}


class Theirs:
    """A program that makes steps at several opening angles."""

    def __init__(self, name: str, command: list[str], folder: Path) -> None:
        self.thetas, self.out = THETAS[name], folder / name
        sizes = FDPS_SIZES if name == "FDPS" else ("0",)  # PKDGRAV3: no period
        self.command = [*command, str(folder / "particles"), str(self.out), str(SOFTENING), *sizes, *self.thetas]

    def seconds(self) -> dict[str, float]:
        done = subprocess.run(self.command, capture_output=True, text=True, cwd=self.out.parent, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{self.command[0]} failed:\n{done.stdout}{done.stderr}")
        steps = [line.split()[1:3] for line in done.stdout.splitlines() if line.startswith("step ")]
        return {f"theta {theta}": float(spent) for theta, spent in steps}

    def accelerations(self, rows: Rows) -> dict[str, Floats]:
        return {f"theta {theta}": np.fromfile(f"{self.out}.{theta}").reshape(-1, 3)[rows] for theta in self.thetas}


def simulation(positions: Floats, accuracy: float) -> tr.Simulation:
    """Particles at rest, after a first step."""
    particles = tr.ParticleSet.from_columns(position=positions[:, :3], mass=positions[:, 3])
    run = tr.Simulation(particles, [tr.Gravity(softening=SOFTENING, accuracy=accuracy)], TIMESTEP)
    run.step()
    return run


def measure(positions: Floats, sample: int, rounds: int, programs: dict[str, list[str]]) -> dict[str, list[Result]]:
    rows = np.sort(np.random.default_rng(7).choice(len(positions), sample, replace=False))
    plummer, dehnen = direct(positions, rows)
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        positions.tofile(Path(folder) / "particles")
        codes: dict[str, Ours | Theirs] = {"Trellis": Ours(positions)}
        codes |= {name: Theirs(name, command, Path(folder)) for name, command in programs.items()}
        for _ in range(rounds):
            for name, code in codes.items():
                for setting, spent in code.seconds().items():
                    times[name][setting].append(spent)
        found = {name: code.accelerations(rows) for name, code in codes.items()}
    exact = {"PKDGRAV3": dehnen}
    return {
        name: [Result(key, spent, rms(found[name][key], exact.get(name, plummer))) for key, spent in of_code.items()]
        for name, of_code in times.items()
    }


def ratio(ours: Result, theirs: list[Result]) -> str:
    """Median time of another code over ours at our error; the logarithms of its times are joined by lines."""
    errors, times = np.log(sorted((one.error, median(one.seconds)) for one in theirs)).T
    wanted = np.log(ours.error)
    k = int(np.clip(np.searchsorted(errors, wanted), 1, len(errors) - 1))
    slope = (times[k] - times[k - 1]) / (errors[k] - errors[k - 1])
    outside = max(errors[0] - wanted, wanted - errors[-1])
    if slope > 0 or outside > np.log(2):
        return "-"
    beyond = "~" if outside > 0 else ""  # the last line, drawn on
    return f"{beyond}{np.exp(times[k] + slope * (wanted - errors[k])) / median(ours.seconds):.2f}"


def header(n: int, rounds: int, sample: int, softening: float) -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=10"]
    commit = subprocess.run(git, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    about = tr.info()
    setting = f"{n:,} particles, softening {softening:g}, one thread, {rounds} rounds, errors of {sample:,} particles."
    return f"{processor}. {about['compiler']}. SIMD {about['SIMD']}. Commit {commit}.\n\n{setting}\n"


def print_model(model: str, results: dict[str, list[Result]]) -> None:
    print(f"## {model}\n\n| code | setting | seconds | lowest | highest | RMS error |\n|:--|:--|--:|--:|--:|--:|")
    for name, of_code in results.items():
        for setting, spent, error in of_code:
            times = " | ".join(f"{t:.3f}" for t in (median(spent), min(spent), max(spent)))
            print(f"| {name} | {setting} | {times} | {error:.1e} |")
    ours, *others = results
    print(f"\n| at our error of | {' | '.join(f'{name} / Trellis' for name in others)} |\n|--:|{'--:|' * len(others)}")
    for one in results[ours]:
        print(f"| {one.error:.1e} | {' | '.join(ratio(one, results[name]) for name in others)} |")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fdps", type=Path, help="the program fdps_gravity")
    parser.add_argument("--pkdgrav3", type=Path, help="the program pkdgrav3")
    parser.add_argument("--particles", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", type=int, default=1000, help="particles whose error is measured")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    options = parser.parse_args()
    programs = {}
    if options.fdps:
        programs["FDPS"] = [str(options.fdps.resolve())]
    if options.pkdgrav3:
        script = Path(__file__).parent / "pkdgrav3_gravity.py"
        programs["PKDGRAV3"] = [str(options.pkdgrav3.resolve()), "-sz", "1", str(script.resolve())]
    tr.set_threads(1)
    print(header(options.particles, options.rounds, options.check, SOFTENING), flush=True)
    for model in options.models:
        position = MODELS[model](options.particles)
        positions = np.column_stack([position, np.full(len(position), 1 / len(position))])
        near = simulation(positions, ACCURACIES[0]).particles.id.astype(np.int64)  # neighbours near each other, for all
        print_model(model, measure(positions[near], options.check, options.rounds, programs))


if __name__ == "__main__":
    main()

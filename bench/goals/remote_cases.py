"""The cases of Nakasato et al. (1997), where an accelerator of another machine computes gravity.

    python bench/goals/remote_cases.py [--particles 4096 16384] [--tree 50000] [--rounds 5] > table.md

Prints a table each for their Table 1 (figures 3 to 6), Tables 3 to 5, and Table 2 (figures 7 and 8): medians of rounds
in which the cases take turns, the lowest and the highest. The slave is a server with one thread on the last core of
this machine, whose accelerator is that core, reached by TLS over loopback; the master is a thread on the first core.
The exit code is 1 if case PS-RG takes more than 1.05 times the longer of its halves, or if remote gravity depends on
clustering by more than 5 %.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from statistics import median

os.environ["OMP_NUM_THREADS"] = "1"  # read when the library is first imported

import numpy as np
from servers import about, addresses, server

import trellis as tr

NEIGHBOURS = 40
SOFTENING = 0.02
SLOWNESS = 20  # time of the gas on the slave over that on the master (section 4.1)
PS_RG_GOAL, FLAT_GOAL = 1.05, 0.05
Take = Callable[[], float]


def on_core(core: int, device: str) -> None:
    """Bind this process to a core, and GRAPE's calls to an accelerator."""
    os.sched_setaffinity(0, {core})
    os.environ["TRELLIS_GRAPE_DEVICE"] = device


def clustered(n: int, alpha: float) -> np.ndarray:
    """Return positions, half of them in a cube of side 1, the others in one of side alpha (figure 7)."""
    random = np.random.default_rng(1)
    x = random.uniform(-0.5, 0.5, (n, 3))
    x[n // 2 :] *= alpha
    return x


def force_by_grape(n: int, alpha: float, mode: int) -> float:
    """Return the seconds of gravity, and in mode 2 of neighbour lists too, by the paper's calls."""
    grape, x = tr.grape, clustered(n, alpha)
    radii = np.full(n, (NEIGHBOURS / (4 / 3 * np.pi * n)) ** (1 / 3))
    grape.g3seteps2(SOFTENING**2)
    begin = time.perf_counter()
    grape.g3setdata(x)
    grape.g3setmass(np.full(n, 1 / n))
    if mode == grape.G3_GRAVITY_AND_NEIGHBORS:
        grape.g3seth2all(radii)
    grape.g3docalculation(0, n, 0, n, mode)
    grape.g3getgravity()
    if mode == grape.G3_GRAVITY_AND_NEIGHBORS:
        grape.g3getneighbor()
    return time.perf_counter() - begin


def by_turns(cases: dict[str, Take], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each case in each round, after one round that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, take in cases.items():
            seconds = take()
            if number > 0:
                taken[name].append(seconds)
    return taken


def line(case: str, n: int, seconds: list[float], remark: str = "") -> str:
    return f"| {case} | {n:,} | {median(seconds):.4f} | {min(seconds):.4f} | {max(seconds):.4f} | {remark} |"


class Machines:
    """The slave and the master: a process each, for GRAPE's calls."""

    def __init__(self, device: str, stack: ExitStack) -> None:
        self.device = device
        spawn = get_context("spawn")
        cores = {"slave": (os.cpu_count() or 1) - 1, "master": 0}
        self._pools = {
            name: stack.enter_context(
                ProcessPoolExecutor(
                    1, spawn, initializer=on_core, initargs=(core, device if name == "master" else "cpu")
                )
            )
            for name, core in cores.items()
        }

    def force(self, machine: str, n: int, *, lists: bool = False, alpha: float = 1.0) -> float:
        mode = tr.grape.G3_GRAVITY_AND_NEIGHBORS if lists else tr.grape.G3_GRAVITY
        return self._pools[machine].submit(force_by_grape, n, alpha, mode).result()


def forces(machines: Machines, n: int, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of Table 1: gravity (G), neighbour lists (N), a program on the slave or the master (R)."""
    return by_turns(
        {
            "G": lambda: machines.force("slave", n),
            "GN": lambda: machines.force("slave", n, lists=True),
            "RG": lambda: machines.force("master", n),
            "RGN": lambda: machines.force("master", n, lists=True),
        },
        rounds,
    )


def steps_of(forces: list[tr.Force], n: int) -> Take:
    """Return a function that gives the mean seconds of eight steps of a collapsing gas; one constructs lists."""
    sim = tr.Simulation(tr.ic.evrard(n, seed=1), forces, 1e-6)
    steps = 8

    def take() -> float:
        begin = time.perf_counter()
        sim.run(steps=steps)
        return (time.perf_counter() - begin) / steps

    return take


def gas_steps(machines: Machines, n: int, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of cases PS-RG and PS-RGN of table 4, and of each half alone.

    Lists are kept for up to 16 steps or, as in the paper, rebuilt at each.
    """
    gravity = tr.Gravity(
        theta=0.5, softening=SOFTENING, method="tree", lists="reuse", reuse_steps=8, device=machines.device
    )
    return by_turns(
        {
            "gravity alone": steps_of([gravity], n),
            "gas alone": steps_of([tr.Sph()], n),
            "PS-RG": steps_of([tr.Sph(), gravity], n),
            "PS-RGN": steps_of([tr.Sph(neighbours_device=machines.device), gravity], n),
            "PS-RG, lists each step": steps_of([tr.Sph(lists="rebuild"), gravity], n),
            "PS-RGN, lists each step": steps_of(
                [tr.Sph(lists="rebuild", neighbours_device=machines.device), gravity], n
            ),
        },
        rounds,
    )


def print_forces(machines: Machines, sizes: list[int], rounds: int) -> dict[int, dict[str, float]]:
    """Print the cases of Table 1; return their medians."""
    print("\n## Forces (Table 1, figures 3 to 6)\n\n| case | N | s | lowest | highest | network |")
    print("|---|--:|--:|--:|--:|--:|")
    medians = {}
    for n in sizes:
        taken = forces(machines, n, rounds)
        medians[n] = {case: median(seconds) for case, seconds in taken.items()}
        for case, seconds in taken.items():
            alone = medians[n].get(case.removeprefix("R"), 0.0)
            share = f"{100 * (1 - alone / medians[n][case]):.0f} %" if case.startswith("R") else ""
            print(line(case, n, seconds, share), flush=True)
    return medians


def print_gas(machines: Machines, forces_of: dict[int, dict[str, float]], rounds: int) -> bool:
    """Print the cases of Tables 3 to 5; return whether PS-RG takes no longer than its goal allows."""
    print("\n## A step of a gas (Tables 3 to 5, figures 9 and 10)\n\n| case | N | s | lowest | highest | |")
    print("|---|--:|--:|--:|--:|---|")
    reached = True
    for n, force in forces_of.items():
        taken = gas_steps(machines, n, rounds)
        medians = {case: median(seconds) for case, seconds in taken.items()}
        gas, both = medians["gas alone"], medians["PS-RG"]
        ratio = both / max(medians["gravity alone"], gas)
        reached = reached and ratio <= PS_RG_GOAL
        remarks = {"gravity alone": "half of PS-RG", "gas alone": "half of PS-RG"}
        remarks["PS-RG"] = f"{ratio:.3f} of the longer half; goal {PS_RG_GOAL}"
        for lists in ("", ", lists each step"):
            remarks[f"PS-RGN{lists}"] = f"{medians[f'PS-RGN{lists}'] / medians[f'PS-RG{lists}']:.3f} of PS-RG{lists}"
        for case, seconds in taken.items():
            print(line(case, n, seconds, remarks.get(case, "")), flush=True)
        print(f"| S-GN | {n:,} | {force['GN'] + SLOWNESS * gas:.4f} | | | predicted: GN + {SLOWNESS} x gas alone |")
        print(f"| S-RGN | {n:,} | {force['RGN'] + gas:.4f} | | | predicted: RGN + gas alone |")
    return reached


def print_tree(machines: Machines, n: int, rounds: int) -> bool:
    """Print Table 2; return whether the remote times are as flat as their goal."""
    print("\n## Direct sum on the slave, and our tree on the master (Table 2, figures 7 and 8)\n")
    print("| case, clustering | N | s | lowest | highest | |\n|---|--:|--:|--:|--:|---|")
    clusterings, angles = (1.0, 5.0, 10.0), (0.8, 1.0, 1.5)
    remote = by_turns({f"RG, {a:g}": lambda a=a: machines.force("master", n, alpha=a) for a in clusterings}, rounds)
    for case, seconds in remote.items():
        print(line(case, n, seconds), flush=True)
    for alpha in clusterings:
        for case, seconds in by_turns(dict(trees(n, alpha, angles)), rounds).items():
            print(line(f"{case}, {alpha:g}", n, seconds), flush=True)
    medians = [median(seconds) for seconds in remote.values()]
    spread = max(medians) / min(medians) - 1
    print(f"\nRemote times differ by {100 * spread:.1f} %; goal: at most {100 * FLAT_GOAL:.0f} %.")
    return spread <= FLAT_GOAL


def trees(n: int, alpha: float, angles: tuple[float, ...]) -> Iterator[tuple[str, Take]]:
    """Yield a step by a tree code on the master for each opening angle."""
    for theta in angles:
        particles = tr.ParticleSet(n)
        particles.position, particles.mass = clustered(n, alpha), np.full(n, 1 / n)
        sim = tr.Simulation(particles, [tr.Gravity(theta=theta, softening=SOFTENING, method="tree", order=1)], 1e-9)

        def take(sim: tr.Simulation = sim) -> float:
            begin = time.perf_counter()
            sim.step()
            return time.perf_counter() - begin

        yield f"tree, theta {theta:g}", take


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=int, nargs="+", default=[4096, 16_384], help="N of Tables 1 and 3")
    parser.add_argument("--tree", type=int, default=50_000, help="N of Table 2")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    last = (os.cpu_count() or 1) - 1
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        where, device = addresses(Path(folder))["TLS"]
        stack.enter_context(server(Path(folder), *where, prefix=["taskset", "-c", str(last)]))
        on_core(0, device)
        machines = Machines(device, stack)
        print(f"{about()} Medians of {given.rounds}; {NEIGHBOURS} neighbours, softening {SOFTENING}.", flush=True)
        forces_of = print_forces(machines, given.particles, given.rounds)
        reached = [print_gas(machines, forces_of, given.rounds), print_tree(machines, given.tree, given.rounds)]
    sys.exit(not all(reached))


if __name__ == "__main__":
    main()

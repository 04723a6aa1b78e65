"""Goals of GPUs: one text of kernels on `opencl:0`, a processor through OpenCL, its accuracy, its bits and its cost.

The program that checks a device is looked for in $TRELLIS_DEVICE_CHECK, otherwise in build-ci/tests/gpu (`make ci`).
The device is the one that OpenCL's loader finds: docs/devices.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from row import Row, row_of
from servers import server

import trellis as tr

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src/trellis"
BUILD = ROOT / "build-ci"
CHECK = Path(os.environ.get("TRELLIS_DEVICE_CHECK", BUILD / "tests/gpu/trellis_device_check"))
DEVICE = "opencl:0"
ROUNDS = 5
WITHIN = 120  # seconds of the check


def missing() -> str:
    """Return why nothing can be measured; empty if it can."""
    if DEVICE not in tr._core.devices():
        return "no OpenCL device"
    return "" if CHECK.exists() else f"{CHECK} is not built"


def compile_seconds() -> float:
    """Return the seconds in which the cores of this machine compiled the kernels for OpenCL; 0 if ninja has no log."""
    log = BUILD / ".ninja_log"
    taken = {}
    for line in log.read_text().splitlines()[1:] if log.exists() else []:
        begin, end, _time, output, _hash = line.split("\t")
        if output.startswith("src/trellis/opencl/"):
            taken[output] = 1e-3 * (int(end) - int(begin))
    return sum(taken.values()) / (os.cpu_count() or 1)


def kernels(_: Path, **__: bool) -> Iterator[Row]:
    """Run the check of the device, and count the kernels that ran, and those functions of the text without one."""
    goals = {
        "all kernels of the text ran on opencl:0": "all",
        "seconds that this adds to the full check": f"<= {WITHIN}",
    }
    if why := missing():
        yield from (Row(what, goal, None, None, why) for what, goal in goals.items())
        return
    begin = time.perf_counter()
    done = subprocess.run([CHECK, DEVICE, "--small"], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    found = dict(re.findall(r"kernel (\S.*): (ran|never ran)$", done.stdout, re.MULTILINE))
    ran = [name for name, state in found.items() if state == "ran"]
    text = "".join(path.read_text() for path in sorted(SOURCES.rglob("*.cu*")) if "devices" not in path.parts)
    text += (SOURCES / "devices/gpu/grid_kernel.cuh").read_text()
    functions = set(re.findall(r"__global__ void (?:__launch_bounds__\(.*\))?\s*(\w+)\(", text))
    without = sorted(functions - {re.split("[<(]", name)[0] for name in ran})
    figure = f"{len(ran)} of {len(found)}, of {len(functions)} functions" + "".join(f", not {name}" for name in without)
    failed = done.returncode != 0
    figure += ", a check failed" if failed else ""
    first, second = goals.items()
    yield Row(*first, figure, not failed and not without and 0 < len(found) == len(ran))
    compiling = compile_seconds()
    yield Row(*second, f"{seconds:.0f}, compiling {compiling:.0f}", seconds + compiling <= WITHIN)


def clumpy(count: int) -> tr.ParticleSet:
    """Return a Hernquist sphere with a tenth of its particles in three dense clumps."""
    few = count // 30
    halo = tr.ic.hernquist(count - 3 * few, seed=1)
    whole = halo
    for seed, place in enumerate([(1.0, 0.0, 0.0), (-0.5, 0.8, 0.0), (0.0, -0.4, 0.6)]):
        clump = tr.ic.plummer(few, seed=seed + 2)
        at, mass = np.array(place) + 0.02 * clump.position, np.full(few, float(halo.mass[0]))
        whole = whole + tr.ParticleSet.from_columns(position=at, mass=mass, id=10 * count + seed * few + np.arange(few))
    return whole


SETS: dict[str, Callable[[int], tr.ParticleSet]] = {
    "sphere": tr.ic.sphere,
    "Plummer": partial(tr.ic.plummer, seed=1),
    "clumpy halo": clumpy,
}


def accuracy(_: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the error with the one asked for, and the numbers of interactions with the host's."""
    count = 4_000 if quick else 50_000

    def measure(make: Callable[[int], tr.ParticleSet], method: str) -> tuple[str, bool]:
        shares, apart = [], 0.0  # opening by accelerations depends on their rounding
        for asked in (1e-2, 1e-3, 1e-4, 1e-5):
            force = {"accuracy": asked, "method": method, "softening": 1e-2, "group_size": 64}
            there, here = (
                tr.Simulation(make(count), [tr.Gravity(**force)], 1e-4, device=where)  # type: ignore[arg-type]
                for where in (DEVICE, "host")
            )
            there.energies()
            here.energies()
            shares.append(float(there.force_error(500)["rms"]) / asked)
            apart = max(apart, abs(there.interactions / here.interactions - 1))
        figure = ", ".join(f"{share:.2f}" for share in shares) + f"; interactions differ by {apart:.0e}"
        return figure, apart <= 1e-5 and max(shares) <= 1

    for name, make in SETS.items():
        for method in ("fmm", "tree"):
            what = f"{name}, {count:,}, {method}: RMS error over the accuracy, 1e-2 to 1e-5"
            goal = "<= 1, interactions of the host within 1e-5"
            why = missing()
            yield Row(what, goal, None, None, why) if why else row_of(what, goal, partial(measure, make, method))


def after_steps(where: str, count: int, *, resident: bool = False, **settings: Any) -> Any:
    """Return positions after steps with lists of theta 0.5."""
    force = tr.Gravity(theta=0.5, softening=1e-2, method="tree", order=1, group_size=64, reuse_steps=4, **settings)
    sim = tr.Simulation(tr.ic.plummer(count, seed=1), [force], 1e-3, device=where, resident=resident)
    sim.run(steps=6)
    return sim.particles.position[np.argsort(sim.particles.id)].copy()


def bits(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare the bits of methods, and those of a server that lends the device."""
    count = 1 << (12 if quick else 15)
    goals = [f"G1 and G2, {count:,}", "G3, on a server", "G4, on a server"]
    if why := missing():
        yield from (Row(what, "same bits", None, None, why) for what in goals)
        return
    here = [after_steps(DEVICE, count, lists="rebuild", send=send) for send in ("particles", "indices")]
    with server(folder, "--unix", f"{folder}/socket", "--device", DEVICE):
        address = f"unix:{folder}/socket/{DEVICE}"
        pairs = [here] + [
            [after_steps(where, count, lists="reuse", resident=resident) for where in (DEVICE, address)]
            for resident in (False, True)
        ]
    for what, (one, other) in zip(goals, pairs, strict=True):
        same = bool(np.array_equal(one, other))
        yield Row(what, "same bits", "same" if same else "other", same)


def conditional_lines(text: str) -> int:
    """Count the lines under conditions on OpenCL or HIP."""
    count, open_conditions = 0, []
    for line in text.splitlines():
        if re.match(r"\s*#\s*if", line):
            open_conditions.append(re.search(r"OPENCL|HIP|SPIR", line) is not None)
        elif re.match(r"\s*#\s*endif", line):
            open_conditions.pop()
        elif any(open_conditions):
            count += 1
    return count


def text(_: Path, **__: bool) -> Iterator[Row]:
    """Count the lines that a second kind of GPU costs."""
    rooms = [path for path in SOURCES.rglob("*.[ch]*") if path.relative_to(SOURCES).parts[0] not in ("base", "devices")]
    under = sum(conditional_lines(path.read_text()) for path in rooms)
    yield Row("lines under conditions on OpenCL or HIP, outside base and devices", "0", str(under), under == 0)
    lines = [line.strip() for path in (SOURCES / "devices/opencl").glob("*.[ch]pp") for line in path.open()]
    code = sum(line != "" and not line.startswith("//") for line in lines)
    yield Row("lines of devices/opencl", "<= 600", f"{code} of code, {len(lines)} in all", code <= 600)


def speed(_: Path, *, quick: bool) -> Iterator[Row]:
    """Time the pairs of a reusing step of G3, in turn on both devices."""
    count = 1 << (14 if quick else 17)
    what, goal = f"G3, {count:,}: pairs a second over those of cpu", ">= 0.5"
    if why := missing():
        yield Row(what, goal, None, None, why)
        return
    sims = []
    for where in (DEVICE, "cpu"):
        force = tr.Gravity(theta=0.5, softening=1e-2, method="tree", order=1, group_size=64, lists="reuse",
                           reuse_steps=100, trust_reuse_steps=True)  # fmt: skip
        sims.append(tr.Simulation(tr.ic.plummer(count, seed=1), [force], 1e-6, device=where))
        sims[-1].run(steps=2)
    rates: list[list[float]] = [[], []]
    for _round in range(ROUNDS):
        for sim, found in zip(sims, rates, strict=True):
            sim.step()
            found.append(sim.interactions / float(sim.device_use[0]["kernel_seconds"]))
    there, cpu = (median(each) for each in rates)
    yield Row(what, goal, f"{there / cpu:.2f} ({there / 1e9:.2f} G/s over {cpu / 1e9:.2f})", there >= 0.5 * cpu)


def reports(_: Path, **__: bool) -> Iterator[Row]:
    """Read what NVIDIA's assembler reports of registers and spills."""
    what, goal = "NVIDIA's report, sm_90: registers and spills", "within the budgets of tools/check_registers.py"
    if not any(BUILD.rglob("*.registers")):
        yield Row(what, goal, None, None, f"{BUILD} has no reports")
        return
    done = subprocess.run([sys.executable, ROOT / "tools/check_registers.py", BUILD / "src"], check=False,
                          capture_output=True, text=True)  # fmt: skip
    lines = done.stdout.splitlines()
    yield Row(what, goal, lines[0] if done.returncode == 0 else f"{len(lines)} beyond them", done.returncode == 0)


def left_out() -> Iterator[Row]:
    """Yield the goals that need a GPU or a compiler that is not there."""
    yield Row("AMD's report: registers and spills", "no spills", None, None, "there is no device hip:N")
    for what, goal in {"pair kernel over the peak": ">= 0.6", "construction of 4M particles, G4": "<= 40 ms"}.items():
        yield Row(what, goal, None, None, "needs a GPU: tools/gpu_check.sh, bench/results/gpu-h200-f184582049.md")


PARTS = [kernels, accuracy, bits, text, speed, reports]

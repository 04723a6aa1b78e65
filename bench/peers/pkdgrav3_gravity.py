"""Steps of gravity with PKDGRAV3 on one thread, for peers.py and periodic.py: domains, tree and forces made at each.

    pkdgrav3 -sz 1 bench/peers/pkdgrav3_gravity.py PARTICLES OUT SOFTENING PERIOD THETA...

PARTICLES: x, y, z and mass of each particle, in double; PERIOD: 0 in open space, else the side of a cube about the
origin. For each opening angle it prints "step THETA SECONDS", of wall clock and of the processor, of the second of two
steps, and writes OUT.THETA, the accelerations in double. PKDGRAV3 takes its Python from VIRTUAL_ENV, and needs numpy
and dill there; built with Cython 3.0, since later ones hide names of its module.
"""

import sys
import time
from pathlib import Path

import numpy as np
import PKDGRAV  # type: ignore[import-not-found]  # a module within the program

GROUP = 128  # targets of one list: faster at equal error than 256 and than the default, 64
REPLICAS_SWITCH = 0.52  # opening angles below it need images beyond the nearest, as its module accuracy says


def write_tipsy(path: Path, positions: np.ndarray, softening: float) -> None:
    """Write the format that it reads, big-endian, with positions in double."""
    n = len(positions)
    dark = np.zeros(n, [("mass", ">f4"), ("position", ">f8", 3), ("velocity", ">f4", 3), ("rest", ">f4", 2)])
    dark["mass"], dark["position"], dark["rest"][:, 0] = positions[:, 3], positions[:, :3], softening
    counts = np.array([n, 3, 0, n, 0, 0], ">u4")  # of all, of dimensions, of gas, of dark matter, of stars, padding
    path.write_bytes(np.zeros(1, ">f8").tobytes() + counts.tobytes() + dark.tobytes())


def step(theta: float) -> tuple[float, float]:
    start, used = time.perf_counter(), time.process_time()
    PKDGRAV.domain_decompose()
    PKDGRAV.build_tree()
    PKDGRAV.gravity(theta=theta)
    return time.perf_counter() - start, time.process_time() - used


def main(particles: str, out: str, softening: str, period: str, *thetas: str) -> None:
    tipsy, side = Path(f"{out}.tipsy"), float(period)
    write_tipsy(tipsy, np.fromfile(particles).reshape(-1, 4), float(softening))
    PKDGRAV.set_parameters(bPeriodic=side > 0, bEwald=side > 0, bMemAcceleration=True, nGroup=GROUP)
    if side > 0:
        PKDGRAV.set_parameters(dPeriod=side)
    PKDGRAV.load(str(tipsy))
    for theta in thetas:
        PKDGRAV.set_parameters(nReplicas=1 if float(theta) >= REPLICAS_SWITCH else 2)
        step(float(theta))
        print("step", theta, *(f"{seconds:.6f}" for seconds in step(float(theta))), flush=True)
        PKDGRAV.reorder()
        PKDGRAV.get_array(field=PKDGRAV.FIELD_ACCELERATION).astype(np.float64).tofile(f"{out}.{theta}")


if __name__ == "__main__":
    main(*sys.argv[1:])

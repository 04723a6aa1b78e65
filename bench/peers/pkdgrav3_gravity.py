"""Steps of gravity with PKDGRAV3 on one thread, for bench/peers/peers.py: domains, tree and forces made at each.

    pkdgrav3 -sz 1 bench/peers/pkdgrav3_gravity.py PARTICLES OUT SOFTENING THETA...

PARTICLES: x, y, z and mass of each particle, in double. For each opening angle it prints "step THETA SECONDS" of the
second of two steps, and writes OUT.THETA, the accelerations in double. PKDGRAV3 takes its Python from VIRTUAL_ENV, and
needs numpy and dill there; built with Cython 3.0, since later ones hide names of its module.
"""

import sys
import time
from pathlib import Path

import numpy as np
import PKDGRAV  # type: ignore[import-not-found]  # a module within the program

GROUP = 128  # targets of one list: faster at equal error than 256 and than the default, 64


def write_tipsy(path: Path, places: np.ndarray, softening: float) -> None:
    """Write the format that it reads, big-endian, with positions in double."""
    n = len(places)
    dark = np.zeros(n, [("mass", ">f4"), ("position", ">f8", 3), ("velocity", ">f4", 3), ("rest", ">f4", 2)])
    dark["mass"], dark["position"], dark["rest"][:, 0] = places[:, 3], places[:, :3], softening
    counts = np.array([n, 3, 0, n, 0, 0], ">u4")  # of all, of dimensions, of gas, of dark matter, of stars, padding
    path.write_bytes(np.zeros(1, ">f8").tobytes() + counts.tobytes() + dark.tobytes())


def step(theta: float) -> float:
    start = time.perf_counter()
    PKDGRAV.domain_decompose()
    PKDGRAV.build_tree()
    PKDGRAV.gravity(theta=theta)
    return time.perf_counter() - start


def main(particles: str, out: str, softening: str, *thetas: str) -> None:
    tipsy = Path(f"{out}.tipsy")
    write_tipsy(tipsy, np.fromfile(particles).reshape(-1, 4), float(softening))
    PKDGRAV.set_parameters(bPeriodic=False, bEwald=False, bMemAcceleration=True, nGroup=GROUP)
    PKDGRAV.load(str(tipsy))
    for theta in thetas:
        step(float(theta))
        print(f"step {theta} {step(float(theta)):.6f}", flush=True)
        PKDGRAV.reorder()
        PKDGRAV.get_array(field=PKDGRAV.FIELD_ACCELERATION).astype(np.float64).tofile(f"{out}.{theta}")


if __name__ == "__main__":
    main(*sys.argv[1:])
